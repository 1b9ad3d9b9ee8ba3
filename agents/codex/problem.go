package codex

import (
	"regexp"
	"strconv"
	"strings"

	"parley/agents"
)

var statusPattern = regexp.MustCompile(`(?i)status(?: code)?:? (\d{3})`)

// problem explains a fault in a person's words.
func problem(e turnError, limit *limits) agents.Problem {
	text := agents.Redact(strings.TrimSpace(e.Message))
	if e.Details != "" {
		text += "\n" + agents.Redact(e.Details)
	}
	p := agents.Problem{Evidence: agents.LastLines(text)}
	status := e.Info.Status
	if m := statusPattern.FindStringSubmatch(text); status == 0 && m != nil {
		status, _ = strconv.Atoi(m[1]) // three digits
	}
	lower := strings.ToLower(text)
	switch kind := e.Info.Kind; {
	case strings.Contains(lower, "missing environment variable"):
		p.Code, p.Title = "not_logged_in", "The key for "+name+"'s provider is not set."
		p.Advice = "Set the variable that it names where Parley gets its environment, then send the message again."
	case kind == "unauthorized", status == 401, status == 403:
		p.Code, p.Title = "auth_failed", "The provider refused "+name+"'s credentials."
		p.Advice, p.Command = "Log in again, or correct the key in the environment, then send the message again.", loginCommand
	case kind == "usageLimitExceeded", kind == "sessionBudgetExceeded":
		p.Code, p.Title, p.Advice = "rate_limited", "The account's usage limit is reached.", "Wait until it resets, then send the message again."
		p.ResetAt = limit.resetAt()
	case kind == "rateLimitExceeded", status == 429, strings.Contains(lower, "rate limit"):
		p.Code, p.Title, p.Advice = "rate_limited", "The provider's limit is reached.", "Wait a moment, then send the message again."
	case kind == "contextWindowExceeded":
		p.Code, p.Title, p.Advice = "context_full", "The conversation no longer fits into the model's context.", "Send /compact to sum it up, or begin a new session."
	case kind == "serverOverloaded", kind == "internalServerError", status >= 500, strings.Contains(lower, "high demand"):
		p.Code, p.Title, p.Advice = "overloaded", "The provider is overloaded or answered with an error.", "Wait a few minutes, then send the message again."
	case kind == "modelNotFound", status == 404:
		p.Code, p.Title, p.Advice = "model_not_found", "The chosen model does not exist, or this account may not use it.", "Choose another model."
	case kind == "httpConnectionFailed", kind == "responseStreamConnectionFailed", kind == "responseStreamDisconnected",
		strings.Contains(lower, "stream disconnected"), strings.Contains(lower, "error sending request"), strings.Contains(lower, "waiting for network"):
		p.Code, p.Title, p.Advice = "network", name+" could not reach the provider.", "Look at the network, then send the message again."
	case kind == "cyberPolicy", kind == "bioPolicy", kind == "misalignmentPolicyViolation":
		p.Code, p.Title, p.Advice = "refused", "The provider refused to go on.", "Ask in another way, or begin a new session."
	case kind == "sandboxError":
		p.Code, p.Title, p.Advice = "broken", name+"'s sandbox does not work on this computer.", "Read what it said; its documentation names what the sandbox needs."
	case noThread(text):
		return sessionLost(text)
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

// noThread recognizes the CLI's words for a conversation that it does not have.
func noThread(text string) bool {
	return strings.Contains(text, "no rollout found") || strings.Contains(text, "thread not found")
}

func sessionLost(text string) agents.Problem {
	return agents.Problem{
		Code: "session_lost", Title: name + " no longer has this conversation.",
		Advice: "Begin a new session; what was said here stays readable.", Evidence: agents.LastLines(text),
	}
}
