package session

import (
	"context"
	"errors"
	"time"

	"parley/agents"
	"parley/app"
)

// host is what an adapter may tell and ask. Both are put into the actor's ears
// in the order of the calls; Emit waits while the actor is behind, and no
// longer than the actor listens to this agent.
type host struct {
	actor *actor
	live  *live
}

// Emit implements agents.Host.
func (h *host) Emit(ev agents.Event) {
	select {
	case h.actor.ears <- said{live: h.live, event: ev}:
	case <-h.live.ctx.Done():
	case <-h.actor.gone:
	}
}

// ask is one request of an agent to the person.
type ask struct {
	ctx   context.Context
	in    agents.Interaction
	reply chan agents.Outcome // has room for the one outcome
}

// Ask implements agents.Host.
func (h *host) Ask(ctx context.Context, in agents.Interaction) agents.Outcome {
	q := &ask{ctx: ctx, in: in, reply: make(chan agents.Outcome, 1)}
	select {
	case h.actor.ears <- said{live: h.live, ask: q}:
	case <-h.live.ctx.Done():
		return cancelledOutcome()
	case <-h.actor.gone:
		return cancelledOutcome()
	}
	select {
	case out := <-q.reply:
		return out
	case <-h.actor.gone:
		return cancelledOutcome()
	}
}

func cancelledOutcome() agents.Outcome {
	return agents.Outcome{Reason: string(app.ReasonCancelled)}
}

func refused(text string) agents.Outcome {
	return agents.Outcome{Reason: string(app.ReasonCancelled), Action: string(app.ActionDeny), Refused: text}
}

// asked puts an agent's request to the person, or refuses it with a text. It
// runs on the actor's goroutine; the waiting does not.
func (a *actor) asked(l *live, q *ask) {
	if text := a.mayNotAsk(q.in); text != "" {
		a.notice(app.LevelWarning, "ask_refused", "The agent wanted to ask you something and was refused: "+q.in.Title, text)
		q.reply <- refused(text)
		return
	}
	t := a.turn
	if t.stopping || t.deferring {
		q.reply <- cancelledOutcome()
		return
	}
	in := a.capped(a.provenance(appInteraction(q.in)), l.grant)
	in.ParentToolID = q.in.Parent
	if q.in.Approval != nil {
		in.Approval = hiddenApproval(in.Approval, a.out.hide)
		a.considered(q.in.Approval, in.Approval)
	}
	t.asks.Add(1)
	a.m.goes(func() {
		defer t.asks.Done()
		ctx, stop := withdrawable(t.ctx, q.ctx, func() app.Cause { return a.whyWithdrawn(l, q.ctx) })
		defer stop()
		out, err := a.decided(ctx, in)
		if err != nil {
			a.log.Error("ask", "kind", in.Kind, "error", err)
			q.reply <- refused(app.ErrorMessage(err))
			return
		}
		a.allowed.heard(in, out)
		q.reply <- forAgent(in, out)
		a.delivered(out)
	})
}

// decided returns what was decided before, else what the person says.
func (a *actor) decided(ctx context.Context, in app.Interaction) (app.Outcome, error) {
	if in.Approval != nil {
		out, ok, err := a.m.cfg.Desk.Allowed(ctx, in, a.allowed.covers(in))
		if err != nil { // then the person is asked
			a.log.Error("look for a permission given before", "error", err)
		} else if ok {
			return out, nil
		}
	}
	return a.m.cfg.Desk.Ask(ctx, in)
}

// mayNotAsk says why a request may not reach the person, "" when it may.
func (a *actor) mayNotAsk(in agents.Interaction) string {
	native := in.Kind == agents.AskNative
	switch {
	case !a.session.Kind.MayAsk():
		return "This session runs unattended: nobody can be asked here. Go on without it, or stop and say what is missing."
	case a.turn == nil:
		return "No turn is under way, so nobody can be asked now."
	case native && in.Parent != "":
		return "A sub-agent may not ask the person. Give the question back to the agent that started you."
	case native && a.turn.row.Unrequested:
		return "The person did not ask for this turn, so nobody can be asked in it."
	}
	return ""
}

// provenance says who asks, where, and what led to it.
func (a *actor) provenance(in app.Interaction) app.Interaction {
	in.RunID, in.SessionID = a.turn.row.ID, a.id
	in.Agent, in.SessionTitle = a.session.Agent, a.session.Title
	in.Cwd, in.Branch = a.session.Cwd, a.session.Branch
	in.PlanStep = a.turn.plan.CurrentText()
	in.SaidBefore = a.lastSaid
	for _, s := range a.streams {
		if !s.thought && s.parent == "" && s.text.Len() > 0 {
			in.SaidBefore = lastLines(s.text.String())
		}
	}
	return in
}

// capped lets nothing of an agent wait longer than its CLI was told to, when the
// person has lowered that: then every card of it ends by the same rule. g is nil
// for an agent without our server.
func (a *actor) capped(in app.Interaction, g *grant) app.Interaction {
	if g != nil && g.limits.MaxWait < a.m.cfg.Limits().MaxWait {
		in.MaxDeadlineAt = a.now() + g.limits.MaxWait.Milliseconds()
	}
	return in
}

// delivered records that an answer has left for the agent.
func (a *actor) delivered(out app.Outcome) {
	if out.Reason != app.ReasonResponse {
		return
	}
	record := func() error { return a.m.cfg.Desk.Delivered(a.ctx, out.InteractionID) }
	switch err := record(); {
	case app.ErrorCode(err) == app.CodeStorageFailed:
		// Not from here: whoever waits for this call may be the actor.
		a.m.goes(func() { a.post(func() { a.out.write(record) }) })
	case err != nil:
		a.log.Error("record a delivery", "interaction", out.InteractionID, "error", err)
	}
}

// undelivered records that an answer did not reach the agent, so that it can
// still go out as a message.
func (a *actor) undelivered(out app.Outcome) {
	if out.Reason != app.ReasonResponse {
		return
	}
	if err := a.m.cfg.Desk.Undelivered(a.ctx, out.InteractionID); err != nil {
		a.log.Error("mark an answer as undelivered", "interaction", out.InteractionID, "error", err)
	}
}

// withdrawable is a context that ends with the turn, for the turn's cause, or
// with the caller, for the cause that why tells.
func withdrawable(turn, caller context.Context, why func() app.Cause) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(turn)
	stop := context.AfterFunc(caller, func() { cancel(&app.Withdrawn{Cause: why()}) })
	return ctx, func() {
		stop()
		cancel(context.Canceled)
	}
}

// whyWithdrawn says why an agent no longer waits for an answer. When its output
// ended, the end of its process follows at once.
func (a *actor) whyWithdrawn(l *live, ctx context.Context) app.Cause {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, agents.ErrClosed):
		return app.CauseConnectionClosed
	case errors.Is(cause, agents.ErrTurnStopped):
		return app.CauseTurnStopped
	case errors.Is(cause, agents.ErrTurnEnded):
		return app.CauseTurnEnded
	case errors.Is(cause, agents.ErrWithdrawn):
		return app.CauseAgentWithdrew
	}
	brief := time.NewTimer(withdrawGrace)
	defer brief.Stop()
	select {
	case <-l.ctx.Done():
		return app.CauseConnectionClosed
	case <-l.proc.Done():
		return app.CauseConnectionClosed
	case <-brief.C:
		return app.CauseAgentWithdrew
	}
}

// withdrawGrace is how long the end of a process may trail the end of its
// output before a request counts as taken back.
const withdrawGrace = 300 * time.Millisecond
