package question

import (
	"context"

	"parley/app"
)

// Answer settles an interaction with what a person said, or closes it without
// an answer. It returns once that is stored. After the agent has moved on it
// becomes the session's next message instead (Late in the reply), once.
//
// A form's answer is queued as the session's next message instead (TurnID in the
// reply), and so is a message that replaces one.
//
// Errors: *Resolved when it was settled before; app.CodeInvalidArgument with
// the field when the answer doesn't fit, and when it names another session or
// call, for a form one of its own codes in place of it; app.CodeNotFound; app.CodeStorageFailed, and then the interaction is
// open as before.
func (d *Desk) Answer(ctx context.Context, a app.Answer) (app.Reply, error) {
	reply, form, err := d.answer(ctx, a)
	if form != nil && d.cfg.FormSettled != nil {
		d.cfg.FormSettled(context.WithoutCancel(ctx), *form)
	}
	return reply, err
}

// answer is Answer but for what follows a form: form is the one that it settled.
// The session is told outside, since it may want the same id.
func (d *Desk) answer(ctx context.Context, a app.Answer) (reply app.Reply, form *app.Interaction, err error) {
	c, err := d.take(ctx, a.InteractionID)
	if err != nil {
		return reply, nil, err
	}
	defer d.release(c)
	if err := d.pay(ctx, c); err != nil {
		return reply, nil, err
	}
	if c.entry == nil {
		return d.answerUnheard(ctx, c, a)
	}
	if err := fits(c.entry.in, a); err != nil {
		return reply, nil, err
	}
	out, _, err := d.judge(c.entry.in, a)
	if err != nil {
		return reply, nil, err
	}
	in, settled, err := d.settle(ctx, c, out)
	if err != nil {
		return reply, nil, err
	}
	if !settled {
		return reply, nil, resolved(in)
	}
	return app.Reply{Accepted: true, Outcome: in.Outcome}, nil, nil
}

// answerUnheard deals with an answer to what nobody waits for any more.
func (d *Desk) answerUnheard(ctx context.Context, c *charge, a app.Answer) (reply app.Reply, form *app.Interaction, err error) {
	in, err := d.cfg.Records.Interaction(ctx, c.id)
	if app.ErrorCode(err) == app.CodeNotFound && a.Type == app.FormType {
		return reply, nil, errNoForm
	}
	if err != nil {
		return reply, nil, err
	}
	if err := fits(in, a); err != nil {
		return reply, nil, err
	}
	if in.Kind == app.KindForm && in.Waiting() {
		return d.answerForm(ctx, in, a)
	}
	if in.Waiting() { // whoever asked is gone and that was never recorded
		if in, _, err = d.settle(ctx, c, d.ended(app.ReasonCancelled, app.CauseConnectionClosed)); err != nil {
			return reply, nil, err
		}
	}
	if !in.TakesLate() || d.cfg.Late == nil || a.Status == app.StatusCancelled {
		return reply, nil, resolved(in)
	}
	reply, err = d.answerLate(ctx, in, a)
	return reply, nil, err
}

// answerLate sends an answer as the session's next message. The message is what
// counts: once it is stored the answer is given, and the record of it, should
// it fail, is completed at the next start.
func (d *Desk) answerLate(ctx context.Context, in app.Interaction, a app.Answer) (app.Reply, error) {
	out, fitted, err := d.judge(in, a)
	if err != nil {
		return app.Reply{}, err
	}
	if out.Reason != app.ReasonResponse {
		return app.Reply{}, invalid("text", "an answer", "", "There is nothing in this answer to send.")
	}
	ctx = context.WithoutCancel(ctx)
	turn, err := d.cfg.Late(ctx, in, fitted)
	if app.ErrorCode(err) == app.CodeAlreadyResolved {
		return app.Reply{}, resolved(d.reread(ctx, in))
	}
	if err != nil {
		return app.Reply{}, err
	}
	late := app.Late{
		TurnID: turn, Response: out.Response, Selected: out.Selected, Text: out.Text, Answers: out.Answers,
		By: a.By, AnsweredAt: out.ResolvedAt,
	}
	if err := d.cfg.Records.LateAnswered(ctx, in.ID, late); err != nil {
		d.cfg.Log.Error("record a late answer", "interaction", in.ID, "turn", turn, "err", err)
	}
	return app.Reply{Accepted: true, Late: true, TurnID: turn, Outcome: in.Outcome}, nil
}

func (d *Desk) reread(ctx context.Context, in app.Interaction) app.Interaction {
	if newer, err := d.cfg.Records.Interaction(ctx, in.ID); err == nil {
		return newer
	}
	return in
}

// meant refuses an answer that names another session or another call of the CLI
// than the interaction: it was meant for something else.
func meant(in app.Interaction, a app.Answer) error {
	if a.SessionID != "" && a.SessionID != in.SessionID {
		return invalid("session_id", "the session that asked", a.SessionID, "This answer is for another session.")
	}
	if a.ToolUseID != "" && in.ToolUseID != "" && a.ToolUseID != in.ToolUseID {
		return invalid("tool_use_id", "the call that asked", a.ToolUseID, "This answer is for another call.")
	}
	return nil
}

// Get returns an interaction as it is now, with the true time left.
func (d *Desk) Get(ctx context.Context, id string) (app.Interaction, error) {
	in, err := d.cfg.Records.Interaction(ctx, id)
	if err != nil {
		return in, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.eachLocked(func(e *entry) {
		if e.in.ID == id && in.Waiting() {
			in.RemainingTimeoutMS = max(0, e.deadline-d.cfg.Elapsed()).Milliseconds()
		}
	})
	return in, nil
}

// Delivered records that an answer has left for the agent.
func (d *Desk) Delivered(ctx context.Context, id string) error {
	return d.cfg.Records.InteractionDelivered(ctx, id)
}

// Undelivered records that an answer was given and nobody was left to take it:
// it moves to where it can go out as a message.
func (d *Desk) Undelivered(ctx context.Context, id string) error {
	return d.cfg.Records.InteractionUndelivered(ctx, id)
}

// Seen records that a person has looked at it.
func (d *Desk) Seen(ctx context.Context, id string) error {
	return d.cfg.Records.InteractionSeen(ctx, id)
}

// Noticed returns those of the ids that wait, that nobody has seen, and that
// nobody was told of in a system notice before, and marks them as told of.
func (d *Desk) Noticed(ctx context.Context, ids []string) ([]string, error) {
	return d.cfg.Records.NoticedInteractions(ctx, ids)
}

// SaveDraft keeps an answer in the making and returns what is kept then. Of two
// saves the one with the higher revision stays, in whatever order they arrive;
// whoever was overtaken gets the other's. nil means that it can't be answered
// any more.
func (d *Desk) SaveDraft(ctx context.Context, id string, draft app.Draft) (*app.Draft, error) {
	if err := draftFits(draft); err != nil {
		return nil, err
	}
	return d.cfg.Records.SaveDraft(ctx, id, draft)
}

// Clear takes an interaction out of "moved on". One that waits can't be cleared
// away: it is closed by an answer.
func (d *Desk) Clear(ctx context.Context, id string) error {
	c, err := d.take(ctx, id) // not while a late answer to it is under way
	if err != nil {
		return err
	}
	defer d.release(c)
	if err := d.pay(ctx, c); err != nil {
		return err
	}
	if c.entry != nil {
		return &app.Error{Code: app.CodeInvalidArgument, Message: "This still waits for an answer. Close it without one instead."}
	}
	return d.cfg.Records.ClearInteraction(ctx, id)
}
