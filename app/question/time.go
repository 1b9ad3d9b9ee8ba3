package question

import (
	"context"
	"time"

	"parley/app"
)

const (
	// moreTime is what the person's "more time" adds.
	moreTime = 5 * time.Minute
	// Typing in the last part of the time adds some by itself, a few times.
	graceWithin = 30 * time.Second
	grace       = time.Minute
	maxGraces   = 5
	// watch is how often a waiting question looks at the clocks: a timer stands
	// still while the computer sleeps, so an end is noticed that much late.
	watch = time.Second
	// drift is how far the wall clock may be off before the times on the card
	// are corrected.
	drift = 2 * time.Second
)

// MoreTime moves the deadline of an open interaction by five minutes, not
// beyond its latest end, and returns it. One that has ended is a *Resolved.
func (d *Desk) MoreTime(ctx context.Context, id string) (app.Interaction, error) {
	return d.extend(ctx, id, app.UpdatedMoreTime, func(*entry, time.Duration) time.Duration { return moreTime })
}

// Typing says that a person is typing an answer: in the last 30 seconds that
// adds a minute, at most five times. It returns the interaction, changed or
// not.
func (d *Desk) Typing(ctx context.Context, id string) (app.Interaction, error) {
	return d.extend(ctx, id, app.UpdatedTyping, func(e *entry, left time.Duration) time.Duration {
		if left > graceWithin || e.graces >= maxGraces {
			return 0
		}
		return grace
	})
}

// extend moves a deadline by what grant gives.
func (d *Desk) extend(ctx context.Context, id, cause string, grant func(e *entry, left time.Duration) time.Duration) (app.Interaction, error) {
	c, err := d.take(ctx, id)
	if err != nil {
		return app.Interaction{}, err
	}
	defer d.release(c)
	if err := d.pay(ctx, c); err != nil {
		return app.Interaction{}, err
	}
	e := c.entry
	if e == nil {
		in, err := d.cfg.Records.Interaction(ctx, id)
		if err == nil && !in.Waiting() {
			err = resolved(in)
		}
		return in, err
	}
	now := d.cfg.Elapsed()
	until := min(max(e.deadline, now)+grant(e, e.deadline-now), e.latest)
	if until <= e.deadline {
		return d.Get(ctx, id)
	}
	in, err := d.move(ctx, e, until, e.latest, cause)
	if err == nil && cause == app.UpdatedTyping {
		e.graces++
	}
	return in, err
}

// move gives a taken interaction new ends, stored before they count.
func (d *Desk) move(ctx context.Context, e *entry, deadline, latest time.Duration, cause string) (app.Interaction, error) {
	wall, mark := d.cfg.Now(), d.cfg.Elapsed()
	at := func(t time.Duration) int64 { return wall.Add(t - mark).UnixMilli() }
	in, err := d.cfg.Records.MoveDeadline(context.WithoutCancel(ctx), e.in.ID, at(deadline), at(latest), cause)
	if err != nil {
		return in, err
	}
	d.mu.Lock()
	e.deadline, e.latest, e.wall, e.mark = deadline, latest, wall, mark
	d.mu.Unlock()
	in.RemainingTimeoutMS = max(0, deadline-mark).Milliseconds()
	return in, nil
}

// look settles an interaction whose time is over, and corrects the times on the
// card when the wall clock was set: the time left stays the same.
func (d *Desk) look(ctx context.Context, id string) error {
	d.mu.Lock()
	e := d.open[id]
	due := e != nil && (e.deadline <= d.cfg.Elapsed() || d.driftedLocked(e))
	d.mu.Unlock()
	if !due {
		return nil // or someone has it; the next look is soon
	}
	c, err := d.take(ctx, id)
	if err != nil {
		return err
	}
	defer d.release(c)
	switch e := c.entry; {
	case e == nil: // settled meanwhile
	case e.deadline <= d.cfg.Elapsed(): // not moved meanwhile
		_, _, err = d.settle(ctx, c, d.ended(app.ReasonTimeout, app.CauseDeadline))
	default:
		_, err = d.move(ctx, e, e.deadline, e.latest, app.UpdatedClock)
	}
	return err
}

// driftedLocked reports whether the wall clock has moved otherwise than time
// has passed.
func (d *Desk) driftedLocked(e *entry) bool {
	passed := d.cfg.Elapsed() - e.mark
	// Round strips the monotonic reading, so that it is the wall that is asked.
	off := d.cfg.Now().Round(0).Sub(e.wall.Round(0)) - passed
	return off.Abs() > drift
}

// nextLook is how long to wait before the next look.
func (d *Desk) nextLook(id string) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.open[id]; e != nil {
		if left := e.deadline - d.cfg.Elapsed(); left > 0 {
			return min(left, watch)
		}
	}
	return watch
}
