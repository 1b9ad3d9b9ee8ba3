package question

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"parley/app"
	"parley/mcp"
)

// Records is what the desk needs of the store. Every method commits before it
// returns, and the events have then been handed on. An unknown id is
// app.CodeNotFound.
type Records interface {
	// OpenInteraction stores a new interaction and emits its *.requested.
	OpenInteraction(ctx context.Context, in app.Interaction) error
	Interaction(ctx context.Context, id string) (app.Interaction, error)
	InteractionsOfTurn(ctx context.Context, id app.TurnID) ([]app.Interaction, error)
	// SettleInteraction stores the outcome unless there is one, emits *.resolved
	// and returns the record as it is then.
	SettleInteraction(ctx context.Context, id string, out app.Outcome) (in app.Interaction, settled bool, err error)
	// SettleForm is SettleInteraction for a form. Unless next is nil it also queues
	// the message that tells the agent, before all others that wait.
	SettleForm(ctx context.Context, id string, out app.Outcome, next *app.Turn) (in app.Interaction, settled bool, err error)
	// MoveDeadline stores new ends and emits *.updated with the cause.
	MoveDeadline(ctx context.Context, id string, deadlineAt, maxDeadlineAt int64, cause string) (app.Interaction, error)
	// LateAnswered stores an answer that went out as a message.
	LateAnswered(ctx context.Context, id string, late app.Late) error
	InteractionDelivered(ctx context.Context, id string) error
	InteractionUndelivered(ctx context.Context, id string) error
	InteractionSeen(ctx context.Context, id string) error
	// NoticedInteractions marks as told of those that wait unseen and untold, and
	// returns them.
	NoticedInteractions(ctx context.Context, ids []string) ([]string, error)
	ClearInteraction(ctx context.Context, id string) error
	// SaveDraft returns the draft that is kept then, nil when there is none.
	SaveDraft(ctx context.Context, id string, draft app.Draft) (*app.Draft, error)
	// AllowedByRule finds the permission given for good that covers a grant.
	AllowedByRule(ctx context.Context, agent string, g app.Grant) (app.Rule, bool, error)
	// OpenSettled stores an interaction with its outcome and emits *.requested
	// and *.resolved. With a rule that was taken back it is app.CodeNotFound.
	OpenSettled(ctx context.Context, in app.Interaction, out app.Outcome) error
}

// Config is what the desk stands on. Only Records must be set.
type Config struct {
	Records Records
	// Limits are the times of new questions; nil is mcp.DefaultLimits.
	Limits func() mcp.Limits
	// Now is the wall clock, for what is shown and stored; nil is time.Now. It
	// may be set back and forth: the time left does not depend on it.
	Now func() time.Time
	// Elapsed is the time since some moment, by a clock that nobody sets and
	// that counts while the computer sleeps; nil is the system's.
	Elapsed func() time.Duration
	// Late sends an answer that comes after the agent has moved on as the
	// session's next message and returns the turn that it will be. The answer
	// is checked, with its choices in the order of the options. nil refuses
	// late answers.
	Late func(ctx context.Context, in app.Interaction, a app.Answer) (app.TurnID, error)
	// FormSettled hears that a form of a session has ended and what of it was
	// queued, so that the session goes on; nil leaves it to whoever asks next.
	FormSettled func(ctx context.Context, in app.Interaction)
	Log         *slog.Logger // nil is slog.Default
}

// Desk holds the open interactions.
type Desk struct {
	cfg Config

	mu   sync.Mutex // guards the fields below and the entries
	open map[string]*entry
	busy map[string]*charge // those that someone has taken
}

// entry is an interaction that someone waits for. Its fields are changed by
// whoever has taken it, under Desk.mu.
type entry struct {
	in       app.Interaction
	waiters  map[*waiter]struct{} // calls that wait for the outcome, usually one
	deadline time.Duration        // by Config.Elapsed
	latest   time.Duration        // up to where it can be moved
	graces   int                  // how often typing has moved it
	wall     time.Time            // Config.Now at the moment of mark
	mark     time.Duration        // Config.Elapsed at the same moment
	owed     *app.Outcome         // its end, when that could not be stored and nobody waits
}

// waiter is one call of Ask.
type waiter struct{ done chan result } // has room for the one result

type result struct {
	out app.Outcome
	err error
}

// charge is the sole use of one id. entry is nil when nobody waits for it: it
// is settled, or unknown.
type charge struct {
	id    string
	entry *entry
	freed chan struct{}
}

// New makes a desk.
func New(cfg Config) *Desk {
	if cfg.Limits == nil {
		cfg.Limits = mcp.DefaultLimits
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Elapsed == nil {
		cfg.Elapsed = sinceNow()
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	return &Desk{cfg: cfg, open: map[string]*entry{}, busy: map[string]*charge{}}
}

// take takes an interaction out of the map, waiting while someone else has it.
// The taker must give it back with release, whatever happened to it.
func (d *Desk) take(ctx context.Context, id string) (*charge, error) {
	for {
		d.mu.Lock()
		other := d.busy[id]
		if other == nil {
			c := d.chargeLocked(id, d.open[id])
			d.mu.Unlock()
			return c, nil
		}
		d.mu.Unlock()
		select {
		case <-other.freed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (d *Desk) chargeLocked(id string, e *entry) *charge {
	c := &charge{id: id, entry: e, freed: make(chan struct{})}
	d.busy[id] = c
	delete(d.open, id)
	return c
}

// release gives an id back; its entry, if it still has one, is open again.
func (d *Desk) release(c *charge) {
	d.mu.Lock()
	delete(d.busy, c.id)
	if c.entry != nil {
		d.open[c.id] = c.entry
	}
	d.mu.Unlock()
	close(c.freed)
}

// settle stores how the interaction in charge ended and wakes who waits. When
// it has ended before, that outcome is handed out instead. When storing fails
// nothing has happened.
func (d *Desk) settle(ctx context.Context, c *charge, out app.Outcome) (in app.Interaction, settled bool, err error) {
	// Once begun it is finished: who called may go away meanwhile.
	in, settled, err = d.cfg.Records.SettleInteraction(context.WithoutCancel(ctx), c.id, out)
	switch {
	case app.ErrorCode(err) == app.CodeNotFound: // deleted with its session
		d.wake(c, result{out: out})
	case err == nil:
		d.wake(c, result{out: *in.Outcome})
	default:
		err = fmt.Errorf("settle %s as %s: %w", c.id, out.Reason, err)
	}
	return in, settled, err
}

// wake hands a result to all who wait for the interaction in charge, and ends
// it here.
func (d *Desk) wake(c *charge, r result) {
	d.mu.Lock()
	e := c.entry
	c.entry = nil
	d.mu.Unlock()
	if e == nil {
		return
	}
	if r.out.InteractionID == "" {
		r.out.InteractionID = c.id
	}
	for w := range e.waiters {
		w.done <- r // has room, and is sent to once
	}
}

// pay stores an end that could not be stored when it came. Afterwards the
// interaction in charge is one that nobody waits for.
func (d *Desk) pay(ctx context.Context, c *charge) error {
	if c.entry == nil || c.entry.owed == nil {
		return nil
	}
	_, _, err := d.settle(ctx, c, *c.entry.owed)
	return err
}

// CancelTurn settles all open interactions of a turn as cancelled and returns
// once that is recorded. What the turn asks afterwards is refused by the record
// as soon as the turn is over or stopping.
func (d *Desk) CancelTurn(ctx context.Context, id app.TurnID, cause app.Cause) error {
	return d.cancel(ctx, cause, func(in app.Interaction) bool { return in.RunID == id })
}

// CancelAll settles everything that waits as cancelled, for instance when
// Parley ends.
func (d *Desk) CancelAll(ctx context.Context, cause app.Cause) error {
	return d.cancel(ctx, cause, func(app.Interaction) bool { return true })
}

func (d *Desk) cancel(ctx context.Context, cause app.Cause, which func(app.Interaction) bool) error {
	var errs []error
	for _, id := range d.find(which) {
		errs = append(errs, d.cancelOne(ctx, id, cause))
	}
	return errors.Join(errs...)
}

func (d *Desk) cancelOne(ctx context.Context, id string, cause app.Cause) error {
	c, err := d.take(ctx, id)
	if err != nil {
		return err
	}
	defer d.release(c)
	if err := d.pay(ctx, c); err != nil || c.entry == nil {
		return err
	}
	_, _, err = d.settle(ctx, c, d.ended(app.ReasonCancelled, cause))
	if app.ErrorCode(err) == app.CodeNotFound {
		return nil
	}
	return err
}

// find lists the ids of interactions that wait, also those that someone has
// taken just now.
func (d *Desk) find(which func(app.Interaction) bool) (ids []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.eachLocked(func(e *entry) {
		if which(e.in) {
			ids = append(ids, e.in.ID)
		}
	})
	return ids
}

func (d *Desk) eachLocked(do func(*entry)) {
	for _, e := range d.open {
		do(e)
	}
	for _, c := range d.busy {
		if c.entry != nil {
			do(c.entry)
		}
	}
}

// ended is an end without an answer.
func (d *Desk) ended(reason app.Reason, cause app.Cause) app.Outcome {
	return app.Outcome{Reason: reason, Cause: cause, Selected: []string{}, ResolvedAt: d.cfg.Now().UnixMilli()}
}
