package pi

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"parley/agents"
)

// dialog answers what an extension asks, or has a person answer it. Every dialog
// gets an answer: without one its extension would wait for ever.
func (c *conversation) dialog(line []byte) {
	var d dialog
	if json.Unmarshal(line, &d) != nil {
		c.emit(unknown(line))
		return
	}
	switch d.Method {
	case "select", "confirm", "input", "editor":
	case "notify":
		level := map[string]string{"warning": "warning", "error": "error"}[d.NotifyType]
		c.host.Emit(agents.Notice{Level: cmp.Or(level, "info"), Code: "extension", Text: agents.Redact(d.Message)})
		return
	case "setStatus", "setWidget", "setTitle", "set_editor_text":
		return // decoration of the CLI's own screen
	default:
		c.emit(unknown(line))
		return
	}
	if call, ok := gateQuestion(d); ok {
		c.permission(d, call)
		return
	}
	c.ask(d, question(d), func(o agents.Outcome) dialogAnswer { return answered(d, o) })
}

// gateQuestion reads the question of our own extension.
func gateQuestion(d dialog) (gateCall, bool) {
	var call gateCall
	ok := d.Method == "input" && json.Unmarshal([]byte(d.Title), &call) == nil && call.Parley == "permission"
	return call, ok
}

// permission decides on a call of a tool, or has a person decide.
func (c *conversation) permission(d dialog, call gateCall) {
	c.mu.Lock()
	mode := c.mode
	c.mu.Unlock()
	decided, settled := c.gate.decide(mode, call)
	if settled {
		c.answer(gateSays(d.ID, decided))
		return
	}
	c.ask(d, approval(call, c.gate.cwd), func(o agents.Outcome) dialogAnswer { return gateSays(d.ID, permitted(o)) })
}

func gateSays(id string, a gateAnswer) dialogAnswer {
	raw, err := json.Marshal(a)
	if err != nil {
		return dialogAnswer{ID: id, Cancelled: true}
	}
	value := string(raw)
	return dialogAnswer{ID: id, Value: &value}
}

// answer sends an answer. Nobody needs to know that a CLI which has gone did not
// hear it.
func (c *conversation) answer(a dialogAnswer) {
	a.Type = "extension_ui_response"
	_ = c.peer.Send(a)
}

// field is the id of the one question of a dialog.
const field = "answer"

// question is a dialog for the person.
func question(d dialog) agents.Interaction {
	title := agents.Redact(d.Title)
	f := agents.Field{ID: field, Question: title, Type: "text", FreeText: true}
	switch d.Method {
	case "select":
		f.Type, f.FreeText, f.Required = "choice", false, true // its extension knows these answers and no others
		for _, o := range d.Options {
			f.Options = append(f.Options, agents.Option{Label: agents.Redact(o), Value: o})
		}
	case "confirm":
		f.Type, f.FreeText, f.Required = "boolean", false, true
		f.Description = agents.Redact(d.Message)
	case "input":
		f.Description = agents.Redact(d.Placeholder)
	case "editor":
		if d.Prefill != "" {
			f.Default = []string{agents.Redact(d.Prefill)}
		}
	}
	return agents.Interaction{Kind: agents.AskNative, Title: title, Fields: []agents.Field{f}}
}

// answered is the person's outcome in the CLI's words. Only a response answers.
func answered(d dialog, o agents.Outcome) dialogAnswer {
	out := dialogAnswer{ID: d.ID}
	given := o.Answers[field]
	if o.Reason != "response" || len(given) == 0 {
		out.Cancelled = true
		return out
	}
	switch d.Method {
	case "confirm":
		yes := given[0] == "true"
		out.Confirmed = &yes
	default:
		out.Value = &given[0]
	}
	return out
}

// noAnswer is what the model reads beside a question of an extension that nobody
// answered: the extension itself hears only that there is no answer. "" where
// there is nothing to add.
func noAnswer(in agents.Interaction, o agents.Outcome) string {
	if in.Kind != agents.AskNative {
		return ""
	}
	if o.Refused != "" || o.Reason == "dismissed" || o.Reason == "timeout" {
		return o.NoAnswer()
	}
	return ""
}

// ask puts a dialog to the person on a goroutine of its own and answers it.
func (c *conversation) ask(d dialog, in agents.Interaction, answer func(agents.Outcome) dialogAnswer) {
	q := c.asks.Open(d.ID, "")
	if q == nil {
		return
	}
	var cause error
	c.mu.Lock()
	switch {
	case c.over || c.closed:
		cause = agents.ErrClosed
	case c.turn != nil && c.turn.stopped:
		cause = agents.ErrTurnStopped
	}
	c.mu.Unlock()
	if cause != nil {
		c.withdrawAll(cause)
	}
	ctx, release := q.Context(), context.CancelFunc(func() {})
	if d.TimeoutMS > 0 {
		ctx, release = context.WithTimeoutCause(ctx, time.Duration(d.TimeoutMS)*time.Millisecond, agents.ErrWithdrawn)
	}
	go func() {
		defer release()
		o := c.host.Ask(ctx, in)
		c.mu.Lock()
		running := c.turn != nil && !c.turn.stopped
		c.mu.Unlock()
		// One that was withdrawn has its answer; one that ran out of the time of its
		// extension takes none, and is told nothing.
		if !q.Take() || context.Cause(ctx) != nil {
			return
		}
		if text := noAnswer(in, o); text != "" && running {
			_ = c.request(command{Type: "steer", Message: text}, func(json.RawMessage, error) {})
		}
		c.answer(answer(o))
	}()
}

// withdrawAll ends all open dialogs: the CLI would wait for them for ever.
func (c *conversation) withdrawAll(cause error) {
	for _, id := range c.asks.WithdrawAll(cause) {
		c.answer(dialogAnswer{ID: id, Cancelled: true})
	}
}
