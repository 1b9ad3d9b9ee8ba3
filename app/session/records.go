package session

import (
	"context"

	"parley/app"
)

// Records is what the manager needs of the store. Every method commits row and
// events in one transaction and returns after the commit; the events have then
// been handed to the bus in order. A turn or session that does not exist is
// app.CodeNotFound.
//
// A session's State as stored is idle, starting, running or stopping; readers
// see "waiting" in place of "running" while an interaction of it is open. That
// is derived in one place, the store, so that list, badge, API and command line
// can't disagree.
type Records interface {
	// CreateSession stores a new session and emits session.created.
	CreateSession(ctx context.Context, s app.Session) (app.Session, error)
	// UpdateSession applies change to the stored row and emits session.updated.
	// change runs inside the transaction and must not call out.
	UpdateSession(ctx context.Context, id app.SessionID, change func(*app.Session)) (app.Session, error)
	// DeleteSession forgets a session with all that belongs to it and emits
	// session.deleted.
	DeleteSession(ctx context.Context, id app.SessionID) error
	Session(ctx context.Context, id app.SessionID) (app.Session, error)
	Sessions(ctx context.Context) ([]app.Session, error)

	// QueueTurn stores a message that waits and emits turn.queued. When idle,
	// the actor starts it at once.
	QueueTurn(ctx context.Context, t app.Turn) error
	// ChangeQueued edits the text or the place (from 0) of a queued message.
	ChangeQueued(ctx context.Context, id app.TurnID, text *string, index *int) error
	// DropQueued removes a queued message and emits turn.unqueued.
	DropQueued(ctx context.Context, id app.TurnID) error
	// Queue lists a session's queued turns in order.
	Queue(ctx context.Context, id app.SessionID) ([]app.Turn, error)
	// StartTurn marks a queued or new turn as running, sets the session's state
	// to running and emits turn.started and session.updated.
	StartTurn(ctx context.Context, t app.Turn) error
	// EndTurn ends a running turn: settles its plan, sets the session's state to
	// idle and LastStatus, and emits plan.updated (if one changed),
	// turn.completed and session.updated.
	EndTurn(ctx context.Context, id app.TurnID, end app.TurnEnded) error

	// QueueFirst is QueueTurn before all others that wait.
	QueueFirst(ctx context.Context, t app.Turn) error
	// OwedForm is the session's newest form while its end has not reached the
	// agent; ok is false when nothing is owed. deferred says that the turn which
	// showed it ended as deferred.
	OwedForm(ctx context.Context, id app.SessionID) (in app.Interaction, deferred, ok bool, err error)

	// BeganSince reports whether a turn of a session began at a time, in Unix
	// milliseconds, or later. An unknown session has none.
	BeganSince(ctx context.Context, id app.SessionID, since int64) (bool, error)

	// Append stores events of a session in order and returns the last number.
	Append(ctx context.Context, id app.SessionID, facts ...app.Fact) (int64, error)
	// WaitedMS sums the time in which a turn waited for a person.
	WaitedMS(ctx context.Context, id app.TurnID) (int64, error)

	// Recover settles what an unclean end left, at start, before anything else
	// runs: running turns end as failed with the problem "interrupted by a
	// restart", waiting clarifies, approvals, elicitations and native questions
	// become cancelled (cause app_restarted), live sessions become idle. Queued
	// turns stay queued. It emits the events of all that.
	Recover(ctx context.Context) error
}

// Desk is what the manager needs of the place where interactions live.
type Desk interface {
	// Ask records, shows and waits. in carries everything but id, times and
	// outcome. It returns when the interaction is settled; when ctx ends it
	// settles it as cancelled with the cause of ctx (context.Cause may be a
	// question.Withdrawn) and returns that outcome.
	Ask(ctx context.Context, in app.Interaction) (app.Outcome, error)
	// Allowed records and returns what a permission given before decides: one for
	// good, or one for the session. ok is false, and nothing was recorded, when
	// there is none.
	Allowed(ctx context.Context, in app.Interaction, inSession bool) (out app.Outcome, ok bool, err error)
	// CancelTurn settles all of a turn's open interactions as cancelled and
	// returns once that is recorded.
	CancelTurn(ctx context.Context, id app.TurnID, cause app.Cause) error
	// Show records a form, which nobody waits for.
	Show(ctx context.Context, in app.Interaction) error
	// WithdrawForm settles a form that waits as cancelled.
	WithdrawForm(ctx context.Context, id string, cause app.Cause) error
	// Delivered records that an answer has left for the agent.
	Delivered(ctx context.Context, interactionID string) error
	// Undelivered records that an answer was given and nobody was left to take it.
	Undelivered(ctx context.Context, interactionID string) error
}

// Bus is where transient events go (deltas, progress, usage); durable ones
// reach it through the store.
type Bus interface {
	Publish(app.Event)
}
