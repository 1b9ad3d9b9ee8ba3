package claude

import (
	"cmp"
	"strings"

	"parley/agents"
)

// apiError is the provider's refusal in the CLI's words.
type apiError struct {
	kind string // authentication_failed, rate_limit, overloaded, server_error …
	text string
}

// result turns the end of one of the CLI's turns into an end, with what the
// session has used so far.
func (d *decoder) result(l resultLine) agents.Ended {
	d.count(l)
	total := d.usage
	e := agents.Ended{Usage: &total, Native: cmp.Or(l.Terminal, l.Subtype)}
	switch {
	case strings.HasPrefix(l.Terminal, "aborted"):
		e.Stop = agents.StopStopped
	case l.Terminal == "tool_deferred", l.StopReason == "tool_deferred":
		e.Stop = agents.StopDefer
	case !l.IsError:
		e.Stop = agents.StopDone
	default:
		p := d.problem(l)
		e.Problem = &p
		switch p.Code {
		case "limit", "context_full":
			e.Stop = agents.StopLimit
		case "refused":
			e.Stop = agents.StopRefused
		default:
			e.Stop = agents.StopFailed
		}
	}
	return e
}

// count takes over the sums of a result. They are those of the whole session.
func (d *decoder) count(l resultLine) {
	if l.CostUSD != nil {
		d.usage.CostUSD = l.CostUSD
	}
	if len(l.Models) == 0 {
		return
	}
	var input, output, cached int64
	for model, m := range l.Models {
		input += m.Input + m.CacheWrite
		output += m.Output
		cached += m.CacheRead
		if m.Window > 0 && strings.HasPrefix(model, d.said.Model) {
			window := m.Window
			d.usage.Window = &window
		}
	}
	d.usage.Input, d.usage.Output, d.usage.Cached = &input, &output, &cached
}

// problem explains a result that is an error.
func (d *decoder) problem(l resultLine) agents.Problem {
	text := agents.Redact(strings.TrimSpace(cmp.Or(l.Result, strings.Join(l.Errors, "\n"))))
	kind := ""
	if d.apiError != nil {
		kind = d.apiError.kind
		text = cmp.Or(text, agents.Redact(d.apiError.text))
	}
	p := agents.Problem{Evidence: agents.LastLines(text)}
	lower := strings.ToLower(text)
	switch {
	case l.Subtype == "error_max_turns":
		p.Code, p.Title, p.Advice = "limit", name+" stopped because the turn reached its limit of steps.", "Send a message to let it go on."
	case l.Subtype == "error_max_budget_usd":
		p.Code, p.Title, p.Advice = "limit", name+" stopped because the session reached its budget.", "Raise the budget, or begin a new session."
	case strings.Contains(lower, "not logged in"), strings.Contains(lower, "please run /login"):
		p.Code, p.Title = "not_logged_in", name+" is not logged in."
		p.Advice, p.Command = "Log in once in a terminal, then send the message again.", loginCommand
	case kind == "authentication_failed", l.APIStatus == 401, l.APIStatus == 403:
		p.Code, p.Title = "auth_failed", "The provider refused "+name+"'s credentials."
		p.Advice, p.Command = "Log in again, or correct the key in the environment, then send the message again.", loginCommand
	case kind == "billing_error", strings.Contains(lower, "credit balance"):
		p.Code, p.Title, p.Advice = "billing", "The account has no credit left.", "Add credit with the provider, or log in with another account."
	case kind == "rate_limit", l.APIStatus == 429:
		p.Code, p.Title, p.Advice = "rate_limited", "The provider's limit is reached.", "Wait until it resets, then send the message again."
		p.ResetAt = d.limit.resetAt
	case kind == "overloaded", l.APIStatus == 529:
		p.Code, p.Title, p.Advice = "overloaded", "The provider is overloaded.", "Wait a few minutes, then send the message again."
	case kind == "model_not_found", l.APIStatus == 404:
		p.Code, p.Title, p.Advice = "model_not_found", "The chosen model does not exist, or this account may not use it.", "Choose another model."
	case strings.Contains(lower, "prompt is too long"), l.Terminal == "prompt_too_long":
		p.Code, p.Title, p.Advice = "context_full", "The conversation no longer fits into the model's context.", "Send /compact to sum it up, or begin a new session."
	case kind == "max_output_tokens":
		p.Code, p.Title, p.Advice = "limit", name+" stopped because its answer reached the limit of tokens.", "Send a message to let it go on."
	case l.StopReason == "refusal":
		p.Code, p.Title, p.Advice = "refused", "The model refused to go on.", "Ask in another way, or begin a new session."
	case noSession(text):
		return sessionLost(text)
	case l.APIStatus == 0 && unreached(lower): // its kind is that of an error of the provider, too
		p.Code, p.Title, p.Advice = "network", name+" could not reach the provider.", "Look at the network and at ANTHROPIC_BASE_URL, then send the message again."
	case l.APIStatus >= 500, kind == "server_error":
		p.Code, p.Title, p.Advice = "overloaded", "The provider answered with an error.", "Wait a moment, then send the message again."
	default:
		p.Code, p.Title, p.Advice = "failed", name+" ended the turn with an error.", "Read what it said, then send the message again."
	}
	return p
}

// unreached recognizes the CLI's words for a provider that was not reached, or
// whose answer broke off.
func unreached(text string) bool {
	for _, words := range []string{"connection error", "connection dropped", "unable to connect", "econn", "enotfound", "eai_again", "timed out"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
