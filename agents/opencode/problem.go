package opencode

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"parley/agents"
)

// saying is a fault of which only the words are known.
func saying(words string) fault {
	var f fault
	f.Data.Message = words
	return f
}

// problem explains a fault in a person's words.
func problem(f fault) agents.Problem {
	text := agents.Redact(cmp.Or(strings.TrimSpace(f.Data.Message), f.Name))
	p := agents.Problem{Evidence: agents.LastLines(text)}
	status, lower := f.Data.StatusCode, strings.ToLower(text+"\n"+f.Data.Body)
	says := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(lower, w) {
				return true
			}
		}
		return false
	}
	switch {
	case f.Name == "ProviderAuthError", says("api key is missing", "api_key is missing", "no api key"):
		p.Code, p.Title = "not_logged_in", name+" has no credentials for this model's provider."
		p.Advice, p.Command = "Log in once in a terminal, then send the message again.", loginCommand
	case status == 401, status == 403, says("authentication_error", "invalid api key", "invalid x-api-key", "unauthorized"):
		p.Code, p.Title = "auth_failed", "The provider refused "+name+"'s credentials."
		p.Advice, p.Command = "Log in again, or correct the key, then send the message again.", loginCommand
	case status == 402, says("insufficient_quota", "insufficient credit", "credit balance", "billing"):
		p.Code, p.Title, p.Advice = "no_credit", "The account has no credit left.", "Add credit, or choose another model."
	case status == 429, says("rate limit", "rate_limit", "too many requests", "usage limit"):
		p.Code, p.Title, p.Advice = "rate_limited", "The provider's limit is reached.", "Wait until it resets, then send the message again."
		p.ResetAt = resetAt(f.Data.Headers, time.Now())
	case f.Name == "ContextOverflowError", says("context_length_exceeded", "context window", "maximum context length", "prompt is too long"):
		p.Code, p.Title, p.Advice = "context_full", "The conversation no longer fits into the model's context.", "Send /compact to sum it up, or begin a new session."
	case f.Name == "MessageOutputLengthError":
		p.Code, p.Title, p.Advice = "output_limit", "The answer reached the model's limit of length.", "Ask for the rest."
	case f.Name == "ContentFilterError", says("content_filter", "content policy"):
		p.Code, p.Title, p.Advice = "refused", "The provider refused to go on.", "Ask in another way, or begin a new session."
	case f.Name == "ProviderModelNotFoundError", status == 404, says("model not found", "modelnotfounderror", "no such model"):
		p.Code, p.Title, p.Advice = "model_not_found", "The chosen model does not exist, or this account may not use it.", "Choose another model."
	case status >= 500, says("overloaded", "service unavailable"):
		p.Code, p.Title, p.Advice = "overloaded", "The provider is overloaded or answered with an error.", "Wait a few minutes, then send the message again."
	case says("unable to connect", "econnrefused", "econnreset", "fetch failed", "network", "connection", "enotfound", "socket"):
		p.Code, p.Title, p.Advice = "network", name+" could not reach the provider.", "Look at the network, then send the message again."
	default:
		p.Code, p.Title, p.Advice = "failed", name+" ended the turn with an error.", "Read what it said, then send the message again."
	}
	return p
}

// resetAt is when a limit resets, as the provider's headers tell it; zero when
// they do not.
func resetAt(headers map[string]string, now time.Time) time.Time {
	for key, value := range headers {
		value = strings.TrimSpace(value)
		switch strings.ToLower(key) {
		case "retry-after":
			if seconds, err := strconv.Atoi(value); err == nil {
				return now.Add(time.Duration(seconds) * time.Second).UTC().Truncate(time.Second)
			}
			if at, err := time.Parse(time.RFC1123, value); err == nil {
				return at.UTC()
			}
		case "anthropic-ratelimit-unified-reset":
			if unix, err := strconv.ParseInt(value, 10, 64); err == nil {
				return time.Unix(unix, 0).UTC()
			}
		}
	}
	return time.Time{}
}

func stopOf(p agents.Problem) agents.Stop {
	switch p.Code {
	case "context_full", "output_limit":
		return agents.StopLimit
	case "refused":
		return agents.StopRefused
	default:
		return agents.StopFailed
	}
}

func sessionLost(text string) agents.Problem {
	return agents.Problem{
		Code: "session_lost", Title: name + " no longer has this conversation.",
		Advice: "Begin a new session; what was said here stays readable.", Evidence: agents.LastLines(text),
	}
}
