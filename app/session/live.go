package session

import (
	"context"

	"parley/agents"
	"parley/agents/proc"
	"parley/app"
)

// live is one starting or running agent. Its fields belong to the actor's
// goroutine, but for those that are constant once set by the launch.
type live struct {
	id      string // of the launch
	family  agents.Family
	adapter agents.Adapter
	name    string // "Claude Code"

	// ctx is that of everything said to the agent; it ends when the actor lets
	// go of it. abort ends the launch.
	ctx    context.Context
	cancel context.CancelFunc
	abort  context.CancelFunc

	grant   *grant // its token and bindings
	offered bool   // it was handed our server
	runDir  string
	masked  []string // texts of its command that must not be shown
	// deferred is the tool id of the call that its CLI put aside and makes again,
	// "" when there is none.
	deferred string

	proc  *proc.Proc   // nil until started
	agent agents.Agent // nil until it takes messages

	once   bool   // its process ends with its turn
	ready  bool   // it takes a prompt
	stale  bool   // what it was started with has changed: a new one must take the next prompt
	again  bool   // start a new one once this one has gone
	reason string // why it is being ended, "" while it should live
	over   bool   // its processes have ended

	failure    *agents.Problem // why it could not be started, or how it ended
	exit       agents.Exit
	serverSaid bool
	unknowns   int
	greeting   string // last lines that were no protocol, before it was ready: perhaps a prompt of its own
}

// Reasons of agent.exited.
const (
	exitClosed  = "closed"
	exitStopped = "stopped"
	exitCrashed = "crashed"
	exitQuit    = "quit"
)

// endAgent ends an agent: politely first, then its whole tree. What follows
// comes through left. Only the first call's reason counts.
func (a *actor) endAgent(l *live, reason string) {
	if l == nil || l.reason != "" {
		return
	}
	l.reason, l.ready = reason, false
	l.abort()
	if l.proc == nil {
		return // the launch comes back by itself
	}
	agent, p, wait := l.agent, l.proc, a.m.cfg.Wait.End
	a.m.goes(func() {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		defer cancel()
		if reason == exitStopped {
			// It was asked to stop and did not: it gets no more time than this.
			p.Stop(ctx)
			return
		}
		if agent != nil {
			if err := agent.Close(ctx); err != nil {
				a.log.Debug("close the conversation", "error", err)
			}
		}
		p.Stop(context.Background())
	})
}

// exited is told when an agent's tree has ended. Its adapter may still be
// reading what it said last; when a turn is under way its word is waited for.
func (a *actor) exited(l *live, exit agents.Exit, tail string) {
	if a.live != l || l.over {
		return
	}
	l.over, l.ready, l.exit = true, false, exit
	if l.failure == nil {
		problem := l.adapter.Diagnose(exit, tail)
		l.failure = &problem
	}
	t := a.turn
	if t == nil || !t.prompted || t.ended != nil || t.stopping {
		a.left(l)
		return
	}
	a.later(a.m.cfg.Wait.Last, func() {
		if a.live == l {
			a.left(l)
		}
	})
}

// left lets go of an agent that has ended or could not be started.
func (a *actor) left(l *live) {
	a.hearWaiting(cap(a.ears))
	if a.live != l {
		return // the turn's end was among what it said last, and brought us here
	}
	a.live = nil
	l.cancel()
	a.m.revoke(l)
	a.cutTexts()
	a.cameUp(l, false)

	t := a.turn
	if l.proc != nil {
		reason := l.reason
		if reason == "" {
			reason = exitCrashed
		}
		gone := app.AgentExited{Code: l.exit.Code, Signal: l.exit.Signal, Reason: reason}
		if reason == exitCrashed && l.failure != nil {
			gone.Problem = appProblem(*l.failure)
		}
		a.fact(app.EventAgentExited, gone)
	}
	a.update(func(s *app.Session) {
		s.Live = false
		if t == nil {
			s.State = app.StateIdle
		}
	})
	switch {
	case t == nil:
		if f := l.failure; f != nil && l.proc == nil {
			// Nothing else would say why it did not come up.
			a.notice(app.LevelError, f.Code, f.Title, f.Advice)
		}
		a.endingStep()
	case l.again && !t.stopping && a.ending == nil:
		a.launch()
	case t.stopping:
		a.finish(app.TurnInterrupted, string(t.cause), nil)
	case t.ended != nil && !brokeOff(*t.ended):
		a.finish(statusOf(t.ended.Stop, false), reasonOf(*t.ended), endProblem(*t.ended))
	default:
		problem := t.problem
		if problem == nil && l.failure != nil {
			problem = appProblem(*l.failure)
		}
		a.finish(app.TurnFailed, string(agents.StopFailed), problem)
	}
}
