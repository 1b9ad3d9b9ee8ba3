package question

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"parley/app"
)

// Ask records an interaction, shows it and waits until it is settled. in
// carries everything but times and outcome; an id is made unless it has one. A
// MaxDeadlineAt in it caps how long it may wait, for an agent that has less
// patience than the settings. The outcome tells the id.
//
// When ctx ends, the interaction is settled as cancelled; an *app.Withdrawn as
// the cause of ctx says why, otherwise the connection was closed. A call that
// was repeated (same tool use id, turn and content) joins the card that is
// there, or gets the answer that never reached it.
//
// Errors: app.CodeAlreadyPending when another clarify waits in the session;
// app.CodeNoActiveTurn, app.CodeNotFound and app.CodeStorageFailed of the
// record. With an error nothing was shown.
func (d *Desk) Ask(ctx context.Context, in app.Interaction) (app.Outcome, error) {
	if in.Kind == app.KindForm {
		return app.Outcome{}, errors.New("ask: a form does not wait for its answer")
	}
	if ctx.Err() != nil { // nobody would hear the answer, so nothing is shown
		return d.withdrawn(ctx), nil
	}
	id, w, err := d.enter(ctx, d.fresh(in))
	if err != nil {
		return app.Outcome{}, err
	}
	r := d.wait(ctx, id, w)
	if r.err == nil && r.out.Reason == app.ReasonResponse && ctx.Err() != nil {
		// Answered in the moment in which the agent went.
		if err := d.Undelivered(context.WithoutCancel(ctx), r.out.InteractionID); err != nil {
			d.cfg.Log.Error("mark an answer as undelivered", "interaction", id, "err", err)
		}
	}
	return r.out, r.err
}

// Allowed answers an approval by a permission that the person gave before: one
// for good, or, when inSession says so, one for the session. It is recorded as
// allowed once, by app.ByRule, and never shown as waiting. ok is false when
// nothing covers it, and then nothing was recorded. A request that deserves a
// second look is covered by nothing.
func (d *Desk) Allowed(ctx context.Context, in app.Interaction, inSession bool) (out app.Outcome, ok bool, err error) {
	if in.Kind != app.KindApproval || in.Approval == nil || len(in.Approval.Risks) > 0 {
		return out, false, nil
	}
	rule, ok, err := d.rule(ctx, in)
	if err != nil || !ok && !inSession {
		return out, false, err
	}
	in = d.fresh(in)
	in.TimeoutMS, in.RemainingTimeoutMS, in.DeadlineAt, in.MaxDeadlineAt = 0, 0, 0, 0
	out = d.ended(app.ReasonResponse, app.CausePerson)
	out.Action, out.By, out.RuleID = app.ActionAllowOnce, app.ByRule, rule.ID
	err = d.cfg.Records.OpenSettled(context.WithoutCancel(ctx), in, out)
	if app.ErrorCode(err) == app.CodeNotFound && rule.ID != "" { // taken back in this moment
		return app.Outcome{}, false, nil
	}
	out.InteractionID = in.ID
	return out, err == nil, err
}

// rule finds the stored permission that covers an approval.
func (d *Desk) rule(ctx context.Context, in app.Interaction) (app.Rule, bool, error) {
	for _, g := range in.Approval.Grants {
		if g.Action == app.ActionAllowAlways {
			return d.cfg.Records.AllowedByRule(ctx, in.Agent, g)
		}
	}
	return app.Rule{}, false, nil
}

// fresh is an interaction that begins now.
func (d *Desk) fresh(in app.Interaction) app.Interaction {
	if in.ID == "" {
		in.ID = uuid.Must(uuid.NewV7()).String()
	}
	in.ClarifyID, in.Choices = "", nil
	if in.Kind == app.KindClarify {
		in.ClarifyID = in.ID
	}
	for _, o := range in.Options {
		in.Choices = append(in.Choices, o.Label)
	}
	if in.Options == nil {
		in.Options = []app.Option{}
	}
	now := d.cfg.Now().UnixMilli()
	limits := d.cfg.Limits().Clamp()
	wait, most := limits.Deadline.Milliseconds(), limits.MaxWait.Milliseconds()
	if cap := in.MaxDeadlineAt - now; cap > 0 {
		most = min(most, cap)
		wait = min(wait, most)
	}
	in.RequestedAt, in.TimeoutMS, in.RemainingTimeoutMS = now, wait, wait
	in.DeadlineAt, in.MaxDeadlineAt = now+wait, now+most
	in.SeenAt, in.DeliveredAt, in.ClearedAt, in.UndeliveredAt = 0, 0, 0, 0
	in.Outcome, in.Late, in.Draft = nil, nil, nil
	return in
}

// enter makes a card and returns its id with a place to wait for the outcome,
// or joins the card of the same call. The result of what fails from here on
// comes the same way.
func (d *Desk) enter(ctx context.Context, in app.Interaction) (id string, w *waiter, err error) {
	w = &waiter{done: make(chan result, 1)}
	c, id, err := d.reserve(ctx, in, w)
	if c == nil || err != nil {
		return id, w, err
	}
	defer d.release(c)
	// From here on the card exists for everyone who looks for it. The caller's
	// end doesn't stop it: a repeated call may have joined.
	ctx = context.WithoutCancel(ctx)
	out, again, err := d.unheard(ctx, in)
	if err == nil && !again {
		err = d.cfg.Records.OpenInteraction(ctx, in)
	}
	if err != nil || again {
		d.wake(c, result{out: out, err: err})
	}
	return id, w, nil
}

// reserve takes charge of a new id, or returns the id of the card that w joined.
func (d *Desk) reserve(ctx context.Context, in app.Interaction, w *waiter) (*charge, string, error) {
	for {
		d.mu.Lock()
		twin, pending := d.neighboursLocked(in)
		switch {
		case twin != nil:
			twin.waiters[w] = struct{}{}
			d.mu.Unlock()
			return nil, twin.in.ID, nil
		case pending == nil:
			c := d.chargeLocked(in.ID, d.newEntry(in, w))
			d.mu.Unlock()
			return c, in.ID, nil
		}
		id, owed := pending.in.ID, pending.owed != nil
		d.mu.Unlock()
		if !owed {
			return nil, "", &app.Error{Code: app.CodeAlreadyPending,
				Message: "Another question of this session is waiting for an answer. Wait for it before asking the next."}
		}
		if err := d.payFor(ctx, id); err != nil {
			return nil, "", err
		}
	}
}

// neighboursLocked finds the card of the same call, and the clarify that keeps a
// session from asking another. Other kinds may wait side by side.
func (d *Desk) neighboursLocked(in app.Interaction) (twin, pending *entry) {
	d.eachLocked(func(e *entry) {
		switch {
		case e.owed == nil && repeats(in, e.in):
			twin = e
		case in.Kind == app.KindClarify && e.in.Kind == in.Kind && e.in.SessionID == in.SessionID:
			pending = e
		}
	})
	return twin, pending
}

// payFor stores the end that an interaction is owed.
func (d *Desk) payFor(ctx context.Context, id string) error {
	c, err := d.take(ctx, id)
	if err != nil {
		return err
	}
	defer d.release(c)
	return d.pay(ctx, c)
}

func (d *Desk) newEntry(in app.Interaction, w *waiter) *entry {
	mark := d.cfg.Elapsed()
	return &entry{
		in: in, waiters: map[*waiter]struct{}{w: {}}, wall: d.cfg.Now(), mark: mark,
		deadline: mark + ms(in.TimeoutMS), latest: mark + ms(in.MaxDeadlineAt-in.RequestedAt),
	}
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// unheard finds an answer that was given to the same call and never reached it,
// because its connection broke. It is handed out now, once.
func (d *Desk) unheard(ctx context.Context, in app.Interaction) (out app.Outcome, found bool, err error) {
	if in.ToolUseID == "" || in.RunID == "" {
		return out, false, nil
	}
	earlier, err := d.cfg.Records.InteractionsOfTurn(ctx, in.RunID)
	if err != nil {
		return out, false, err
	}
	for _, e := range earlier {
		if !repeats(in, e) {
			continue
		}
		if out, found, err = d.handOut(ctx, e.ID); found || err != nil {
			return out, found, err
		}
	}
	return out, false, nil
}

func (d *Desk) handOut(ctx context.Context, id string) (app.Outcome, bool, error) {
	c, err := d.take(ctx, id)
	if err != nil {
		return app.Outcome{}, false, err
	}
	defer d.release(c)
	e, err := d.cfg.Records.Interaction(ctx, id)
	if err != nil || e.Outcome == nil || e.Outcome.Reason != app.ReasonResponse || e.DeliveredAt != 0 || e.Late != nil {
		return app.Outcome{}, false, err
	}
	out := *e.Outcome
	out.InteractionID = id
	return out, true, d.cfg.Records.InteractionDelivered(ctx, id)
}

// repeats reports whether b is the card of the call that asks a: the same id of
// the CLI and the same content. Equal content alone is a second question; an
// equal id with other content is one too, since some CLIs ask several times for
// one tool.
func repeats(a, b app.Interaction) bool {
	if a.ToolUseID == "" || a.ToolUseID != b.ToolUseID || a.Kind != b.Kind || a.SessionID != b.SessionID || a.RunID != b.RunID {
		return false
	}
	return content(a) == content(b)
}

// content is what is asked, in a form that survives the record.
func content(in app.Interaction) string {
	text, err := json.Marshal([]any{
		in.Server, in.Question, in.Header, in.Options, in.MultiSelect, in.Questions, in.Approval, in.URL,
	})
	if err != nil {
		panic(fmt.Sprintf("plain data can't be encoded: %v", err))
	}
	return string(text)
}

// wait waits for the outcome and watches the time meanwhile.
func (d *Desk) wait(ctx context.Context, id string, w *waiter) result {
	timer := time.NewTimer(d.nextLook(id))
	defer timer.Stop()
	failed := false
	for {
		select {
		case r := <-w.done:
			return r
		case <-ctx.Done():
			return d.withdraw(ctx, id, w)
		case <-timer.C:
			if err := d.look(context.WithoutCancel(ctx), id); err != nil && !failed {
				// It stays open and is tried again; once is enough to log.
				failed = true
				d.cfg.Log.Error("keep the time of a question", "interaction", id, "err", err)
			}
			timer.Reset(d.nextLook(id))
		}
	}
}

// withdraw ends the wait of a caller that has gone. The last one to go takes
// the card along.
func (d *Desk) withdraw(ctx context.Context, id string, w *waiter) result {
	out := d.withdrawn(ctx)
	out.InteractionID = id
	c, err := d.take(context.WithoutCancel(ctx), id)
	if err != nil {
		return result{err: err} // a context without an end doesn't end
	}
	defer d.release(c)
	if c.entry == nil {
		return <-w.done // settled first
	}
	d.mu.Lock()
	delete(c.entry.waiters, w)
	others := len(c.entry.waiters)
	d.mu.Unlock()
	if others > 0 {
		return result{out: out}
	}
	in, _, err := d.settle(ctx, c, out)
	switch {
	case app.ErrorCode(err) == app.CodeNotFound:
	case err != nil:
		// Nobody is left to try again, so whoever touches it next does.
		d.cfg.Log.Error("record that a question was withdrawn", "interaction", id, "err", err)
		d.mu.Lock()
		c.entry.owed = &out
		d.mu.Unlock()
	default:
		out = *in.Outcome
		out.InteractionID = id
	}
	return result{out: out}
}

func (d *Desk) withdrawn(ctx context.Context) app.Outcome {
	return d.ended(app.ReasonCancelled, app.WithdrawnBy(ctx, app.CauseConnectionClosed))
}
