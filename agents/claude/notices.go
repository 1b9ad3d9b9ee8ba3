package claude

import (
	"fmt"
	"time"

	"parley/agents"
)

// rateLimit is what the CLI last told about the account's limit.
type rateLimit struct{ resetAt time.Time }

// stream is a piece of an answer that is being written.
func (d *decoder) stream(parent string, l streamLine) []agents.Event {
	e := l.Event
	switch e.Type {
	case "message_start":
		if parent == "" {
			d.context(e.Message.Usage)
		}
		return d.texts.begin(parent, e.Message.ID)
	case "content_block_start":
		d.texts.open(parent, e.Index, e.Block.Type)
		if e.Block.Type == "tool_use" {
			return d.toolStarted(parent, e.Block)
		}
	case "content_block_delta":
		switch e.Delta.Type {
		case "text_delta":
			return d.texts.piece(parent, e.Index, e.Delta.Text)
		case "thinking_delta":
			return d.texts.piece(parent, e.Index, e.Delta.Thinking)
		}
	case "message_delta":
		if parent == "" && e.Usage != nil && d.usage.ContextUsed != nil {
			used := *d.usage.ContextUsed + e.Usage.Output
			d.usage.ContextUsed = &used
			return []agents.Event{d.usage}
		}
	}
	return nil
}

// context notes how much of the model's context a request fills.
func (d *decoder) context(u *usage) {
	if u == nil {
		return
	}
	used := u.Input + u.CacheRead + u.CacheWrite
	d.usage.ContextUsed = &used
}

// notice is a line that says something about the work and ends nothing.
func (d *decoder) notice(subtype string, l noticeLine) []agents.Event {
	n := agents.Notice{Level: "info", Code: subtype}
	switch subtype {
	case "status":
		return d.status(l)
	case "informational":
		if l.Content == "" || l.Level == "info" { // "info" is for a transcript, not for a person at work
			return nil
		}
		if l.Level == "warning" {
			n.Level = "warning"
		}
		n.Text = agents.Redact(l.Content)
	case "compact_boundary":
		n.Code, n.Text = "compacted", name+" summed up the conversation to make room."
		if l.Compact.Before > 0 && l.Compact.After > 0 && l.Compact.After < l.Compact.Before {
			n.Text = fmt.Sprintf("%s summed up the conversation: %d tokens became %d.", name, l.Compact.Before, l.Compact.After)
		}
		d.usage.ContextUsed = nil
		if l.Compact.After > 0 {
			d.usage.ContextUsed = &l.Compact.After
		}
	case "model_fallback", "model_refusal_fallback":
		if l.Fallback == "" {
			return nil
		}
		n.Level, n.Code = "warning", "model_fallback"
		n.Text = fmt.Sprintf("The model %s did not answer; %s goes on in its place.", l.Original, l.Fallback)
	case "api_retry":
		n.Level = "warning"
		wait := time.Duration(l.DelayMS) * time.Millisecond
		n.Text = fmt.Sprintf("%s Trying again in %s (%d of %d).", retryReason(l.ErrStatus, l.Error), max(wait.Round(time.Second), time.Second), l.Attempt, l.MaxRetries)
	}
	return []agents.Event{n}
}

func retryReason(status int, kind string) string {
	switch {
	case status == 529 || kind == "overloaded":
		return "The provider is overloaded."
	case status == 429 || kind == "rate_limit":
		return "The provider's rate limit is reached."
	case status == 401 || status == 403:
		return "The provider refused the credentials."
	case status >= 500:
		return fmt.Sprintf("The provider answered with an error (%d).", status)
	case status > 0:
		return fmt.Sprintf("The provider refused the request (%d).", status)
	default:
		return "The connection to the provider broke."
	}
}

// status tells of compaction, and of a permission mode that was changed by
// something else than our request: an approval for the session, or the agent's
// own plan mode.
func (d *decoder) status(l noticeLine) []agents.Event {
	switch {
	case l.Mode != "" && l.Mode != d.mode:
		d.mode = l.Mode
		return []agents.Event{agents.Notice{Level: "info", Code: "mode_changed", Text: modeText(l.Mode)}}
	case l.Status == "compacting":
		return []agents.Event{agents.Notice{Level: "info", Code: "compacting", Text: name + " sums up the conversation to make room. This can take a minute."}}
	case l.CompactResult == "failed":
		return []agents.Event{agents.Notice{Level: "warning", Code: "compact_failed",
			Text: name + " could not sum up the conversation. " + agents.Redact(l.CompactError)}}
	}
	return nil
}

func modeText(mode string) string {
	switch mode {
	case "acceptEdits":
		return name + " now edits files in this folder without asking."
	case "default":
		return name + " now asks before it changes anything."
	case "plan":
		return name + " now plans and changes nothing."
	case "bypassPermissions":
		return name + " now asks for nothing."
	default:
		return name + " changed its permission mode to " + mode + "."
	}
}

func (d *decoder) rateLimit(l noticeLine) []agents.Event {
	info := l.RateLimit
	if info.ResetAt > 0 {
		d.limit.resetAt = time.Unix(info.ResetAt, 0).UTC()
	}
	n := agents.Notice{Level: "warning", Code: "rate_limit"}
	switch info.Status {
	case "rejected":
		n.Level, n.Text = "error", "The account's usage limit is reached."
	case "allowed_warning":
		n.Text = "The account's usage limit is nearly reached."
	default:
		return nil
	}
	if info.ResetAt > 0 {
		n.Advice = "It resets at " + d.limit.resetAt.Format("15:04 MST on 2 January") + "."
	}
	return []agents.Event{n}
}
