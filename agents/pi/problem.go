package pi

import (
	"regexp"
	"strconv"
	"strings"

	"parley/agents"
)

// The CLI hands on what its provider said, with the status in front or in words.
var statusPattern = regexp.MustCompile(`(?i)(?:^|status(?: code)?:? |error:? )(\d{3})\b`)

// problem explains a fault in a person's words.
func problem(text string) agents.Problem {
	text = agents.Redact(strings.TrimSpace(text))
	p := agents.Problem{Evidence: agents.LastLines(text)}
	status := 0
	if m := statusPattern.FindStringSubmatch(text); m != nil {
		status, _ = strconv.Atoi(m[1]) // three digits
	}
	lower := strings.ToLower(text)
	says := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(lower, part) {
				return true
			}
		}
		return false
	}
	switch {
	case says("no api key", "no models available", "no model selected"):
		return notLoggedIn(text)
	case status == 401, status == 403, says("authentication_error", "invalid api key", "invalid x-api-key", "unauthorized"):
		p.Code, p.Title = "auth_failed", "The provider refused "+name+"'s credentials."
		p.Advice, p.Command = "Start Pi in a terminal and log in again with /login, or correct the key in the environment, then send the message again.", loginCommand
	case says("context window", "context length", "context_length", "prompt is too long", "too many tokens", "maximum context"):
		p.Code, p.Title, p.Advice = "context_full", "The conversation no longer fits into the model's context.", "Send /compact to sum it up, or begin a new session."
	case status == 429, says("rate limit", "rate_limit", "usage limit", "quota"):
		p.Code, p.Title, p.Advice = "rate_limited", "The provider's limit is reached.", "Wait until it resets, then send the message again."
	case status == 404, says("model not found", "not_found_error"):
		p.Code, p.Title, p.Advice = "model_not_found", "The chosen model does not exist, or this account may not use it.", "Choose another model."
	case status >= 500, says("overloaded", "internal server error"):
		p.Code, p.Title, p.Advice = "overloaded", "The provider is overloaded or answered with an error.", "Wait a few minutes, then send the message again."
	case says("connection error", "econnrefused", "enotfound", "fetch failed", "network", "socket hang up", "terminated", "etimedout", "timed out"):
		p.Code, p.Title, p.Advice = "network", name+" could not reach the provider.", "Look at the network, then send the message again."
	case says("refusal", "content policy", "safety"):
		p.Code, p.Title, p.Advice = "refused", "The provider refused to go on.", "Ask in another way, or begin a new session."
	default:
		p.Code, p.Title, p.Advice = "failed", name+" ended the turn with an error.", "Read what it said, then send the message again."
	}
	return p
}

func stopOf(p agents.Problem) agents.Stop {
	switch p.Code {
	case "context_full":
		return agents.StopLimit
	case "refused":
		return agents.StopRefused
	default:
		return agents.StopFailed
	}
}

func notLoggedIn(evidence string) agents.Problem {
	return agents.Problem{
		Code: "not_logged_in", Title: name + " has no model that it may use.",
		Advice:  "Start Pi once in a terminal and log in with /login, or set a provider's key where Parley gets its environment.",
		Command: loginCommand, Evidence: evidence,
	}
}

func sessionLost(text string) agents.Problem {
	return agents.Problem{
		Code: "session_lost", Title: name + " no longer has this conversation.",
		Advice: "Begin a new session; what was said here stays readable.", Evidence: agents.LastLines(text),
	}
}
