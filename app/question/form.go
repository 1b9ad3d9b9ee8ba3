package question

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"parley/app"
)

// Show records a form and shows it. Unlike Ask it returns at once: a form has no
// deadline and nobody waits for it, so it outlives the turn, the agent and
// Parley. in carries everything but times and outcome, its id too.
//
// Errors: app.CodeNoActiveTurn, app.CodeNotFound and app.CodeStorageFailed of
// the record. With an error nothing was shown.
func (d *Desk) Show(ctx context.Context, in app.Interaction) error {
	in = d.fresh(in)
	in.TimeoutMS, in.RemainingTimeoutMS, in.DeadlineAt, in.MaxDeadlineAt = 0, 0, 0, 0
	return d.cfg.Records.OpenInteraction(context.WithoutCancel(ctx), in)
}

// WithdrawForm settles a form that waits as cancelled; one that has ended stays
// as it is.
func (d *Desk) WithdrawForm(ctx context.Context, id string, cause app.Cause) error {
	c, err := d.take(ctx, id)
	if err != nil {
		return err
	}
	defer d.release(c)
	_, _, err = d.cfg.Records.SettleForm(context.WithoutCancel(ctx), id, d.ended(app.ReasonCancelled, cause), nil)
	return err
}

var errNoForm = &app.Error{Code: app.CodeFormNotPending, Message: "No form waits for this answer."}

// fits refuses an answer that was meant for something else. An answer to a form
// must say that it is one, and to which call, so that no other client's message
// settles a form by accident.
func fits(in app.Interaction, a app.Answer) error {
	waits := in.Kind == app.KindForm && in.Waiting()
	switch {
	case in.Kind != app.KindForm && a.Type == app.FormType:
		return errNoForm
	case !waits:
		return meant(in, a)
	case a.Type != app.FormType:
		return &app.Error{Code: app.CodeInvalidFormAnswer, Field: "type", Limit: app.FormType, Got: a.Type,
			Message: "This is a form: its answer must say so in its type."}
	case a.ToolUseID == "":
		return &app.Error{Code: app.CodeFormToolRequired, Field: "tool_use_id", Limit: in.ToolUseID,
			Message: "The answer must name the call that showed the form."}
	case a.ToolUseID != in.ToolUseID:
		return &app.Error{Code: app.CodeFormToolMismatch, Field: "tool_use_id", Limit: in.ToolUseID, Got: a.ToolUseID,
			Message: "This answer is for another form. Look at the one that waits now."}
	}
	return formError(meant(in, a))
}

// formError gives a refused argument the code of forms.
func formError(err error) error {
	e, ok := errors.AsType[*app.Error](err)
	if !ok || e.Code != app.CodeInvalidArgument {
		return err
	}
	refused := *e
	refused.Code = app.CodeInvalidFormAnswer
	return &refused
}

// answerForm settles the form in charge. What the agent is to be told is queued
// in the same transaction, so that no crash can lose an answer that was accepted.
func (d *Desk) answerForm(ctx context.Context, in app.Interaction, a app.Answer) (reply app.Reply, form *app.Interaction, err error) {
	out, _, err := d.judge(in, a)
	if err != nil {
		return reply, nil, formError(err)
	}
	next := &app.Turn{ID: uuid.Must(uuid.NewV7()).String(), SessionID: in.SessionID, Form: in.ID}
	switch message := typed(a.Message); {
	case out.Reason == app.ReasonResponse:
		next.Text, next.Attachments = app.FormSummary(in.Questions, out), out.Files
	case message != "":
		next.Text, next.Attachments = message, a.Files
	default:
		next = nil // nothing runs; the next message says that it was closed
	}
	in, settled, err := d.cfg.Records.SettleForm(context.WithoutCancel(ctx), in.ID, out, next)
	if err != nil {
		return reply, nil, err
	}
	if !settled {
		return reply, nil, resolved(in)
	}
	reply = app.Reply{Accepted: true, Outcome: in.Outcome}
	if next != nil {
		reply.TurnID = next.ID
	}
	return reply, &in, nil
}
