package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/agents"
	"parley/app"
)

var (
	errContext = &app.Error{
		Code: app.CodeContextUnavailable, Field: "context_id",
		Message: "This context_id is not that of the turn under way. Use the one in the newest <parley_interaction_context> block; without such a block nobody can be asked.",
	}
	errNoTurn = &app.Error{
		Code: app.CodeNoActiveTurn, Message: "No turn is under way in this session, so nobody can be asked. End your work here.",
	}
)

// LaunchByToken returns what a launch token stands for. A token that never was
// or was taken back is app.CodeUnauthenticated.
func (m *Manager) LaunchByToken(token string) (app.Launch, error) {
	g, ok := m.grants.token(token)
	if !ok {
		return app.Launch{}, app.Errorf(app.CodeUnauthenticated, "This launch token is not valid (any more).")
	}
	return g.launch, nil
}

// ToolsListed says that the CLI of a launch has listed our tools.
func (m *Manager) ToolsListed(launchID string, tools []string) {
	g, ok := m.grants.byID(launchID)
	if !ok || len(tools) == 0 {
		return
	}
	g.once.Do(func() { close(g.listed) })
}

// SupervisedPIDs are the processes whose descendants are agents and may not use
// the API.
func (m *Manager) SupervisedPIDs() []int { return m.grants.shims() }

// SessionOf returns the session to whose agent a process belongs, by its
// ancestors.
func (m *Manager) SessionOf(ancestors []int) (app.SessionID, bool) {
	return m.grants.sessionOf(ancestors)
}

// Tell puts a notice into a session's record.
func (m *Manager) Tell(ctx context.Context, id app.SessionID, n app.Notice) error {
	_, err := on(ctx, m, id, func(a *actor) (struct{}, error) {
		a.notice(n.Level, n.Code, n.Text, n.Advice)
		return struct{}{}, nil
	})
	return err
}

// Clarify asks the person for an agent and waits. The session is found from
// what was handed out to the agent, never from what it says. ctx ends the
// question; its cause may be an *app.Withdrawn, else the connection has gone.
// It returns the question as it was recorded and how it ended.
func (m *Manager) Clarify(ctx context.Context, launchID, contextID, meta string, in app.Interaction) (app.Interaction, app.Outcome, error) {
	g, ok := m.grants.byID(launchID)
	if !ok {
		return in, app.Outcome{}, errContext
	}
	if !g.launch.MayAsk {
		return in, app.Outcome{}, errContext
	}
	a := g.actor
	bound := func() (*turn, error) { return a.bound(launchID, contextID) }
	in, t, err := admitted(ctx, m, a, bound, meta, true, func(t *turn) (app.Interaction, error) {
		t.asks.Add(1)
		in := a.capped(a.provenance(redacted(in)), g)
		in.ToolUseID = callerOf(meta).callID
		return in, nil
	})
	if err != nil {
		return in, app.Outcome{}, err
	}
	defer t.asks.Done()
	askCtx, stop := withdrawable(t.ctx, ctx, func() app.Cause { return app.WithdrawnBy(ctx, app.CauseConnectionClosed) })
	defer stop()
	out, err := m.cfg.Desk.Ask(askCtx, in)
	if err != nil {
		return in, out, err
	}
	in.ID, in.ClarifyID = out.InteractionID, out.InteractionID
	if ctx.Err() == nil {
		a.delivered(out)
	} else {
		a.undelivered(out) // a caller that has gone gets nothing
	}
	var can agents.Caps // none, for a family that has gone meanwhile
	if adapter, ok := m.cfg.Adapter(agents.Family(g.launch.Family)); ok {
		can = adapter.Info().Caps
	}
	return in, seen(can, out), nil
}

// UpdatePlan stores the whole plan of the turn that a context id stands for.
func (m *Manager) UpdatePlan(ctx context.Context, launchID, contextID, meta, explanation string, steps []app.PlanStep) (app.Plan, error) {
	g, ok := m.grants.byID(launchID)
	if !ok || !g.launch.MayPlan {
		return app.Plan{}, errContext
	}
	a := g.actor
	bound := func() (*turn, error) { return a.bound(launchID, contextID) }
	plan, _, err := admitted(ctx, m, a, bound, meta, false, func(t *turn) (app.Plan, error) {
		for i := range steps {
			steps[i].Step = redact(steps[i].Step)
		}
		plan, err := m.cfg.Plans.Update(a.ctx, a.id, t.row.ID, redact(explanation), steps)
		if err == nil {
			t.plan = plan
		}
		return plan, err
	})
	return plan, err
}

// askGrace is how long a question whose CLI doesn't say which tool call asks
// waits for an asking tool in the stream, so that what the agent said before it
// stands on the card. It is well under what a person notices.
const askGrace = 100 * time.Millisecond

// admitted runs act on the actor's goroutine with the turn that find returns
// there, after all that the agent has said before the call. The call waits
// for its place in the agent's stream, for a bounded time: that tells whether a
// sub-agent makes it. What is not known to come from one is let through.
func admitted[T any](ctx context.Context, m *Manager, a *actor, find func() (*turn, error), meta string, asks bool, act func(*turn) (T, error)) (T, *turn, error) {
	type result struct {
		value T
		turn  *turn
		place <-chan struct{} // to be waited for, instead of the rest
	}
	who := callerOf(meta)
	patience := time.Duration(0)
	switch {
	case who.toolID != "":
		patience = m.cfg.Wait.ToolCall
	case asks:
		patience = min(askGrace, m.cfg.Wait.ToolCall)
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for waited := patience == 0; ; waited = true {
		// Not under ctx: what act began must not be lost with the caller.
		r, err := call(context.WithoutCancel(ctx), a, func() (result, error) {
			a.hearWaiting(cap(a.ears))
			t, err := find()
			if err != nil {
				return result{}, err
			}
			if !waited {
				if place := t.origins.place(who.toolID); place != nil {
					return result{place: place}, nil
				}
			}
			if who.subagent || t.origins.parent[who.toolID] != "" {
				return result{}, errSubagent
			}
			a.flush()
			v, err := act(t)
			return result{value: v, turn: t}, err
		})
		if errors.Is(err, errAway) {
			err = errNoTurn
		}
		if err != nil || r.place == nil {
			return r.value, r.turn, err
		}
		select {
		case <-r.place:
		case <-limit.C:
		case <-ctx.Done():
			return r.value, nil, ctx.Err()
		}
	}
}

// bound returns the turn under way if a context id stands for it.
func (a *actor) bound(launchID, contextID string) (*turn, error) {
	t := a.turn
	if a.live == nil || a.live.id != launchID {
		return nil, errContext
	}
	if t == nil {
		return nil, errNoTurn
	}
	b, ok := a.m.grants.context(contextID)
	if !ok || b.launchID != launchID || b.sessionID != a.id || b.profile != a.session.Profile || b.turnID != t.row.ID || t.stopping || t.deferring {
		return nil, errContext
	}
	return t, nil
}

// redacted takes context ids out of every text of a question.
func redacted(in app.Interaction) app.Interaction {
	in.Question, in.Header = redact(in.Question), redact(in.Header)
	in.Options = slices.Clone(in.Options)
	for i, o := range in.Options {
		in.Options[i].Label, in.Options[i].Description, in.Options[i].Preview = redact(o.Label), redact(o.Description), redact(o.Preview)
	}
	in.Choices = slices.Clone(in.Choices)
	for i, c := range in.Choices {
		in.Choices[i] = redact(c)
	}
	return in
}
