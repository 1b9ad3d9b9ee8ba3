package session

import (
	"context"
	"errors"
	"strings"

	"parley/agents"
	"parley/agents/proc"
	"parley/app"
)

// Change changes a session's title, mode or model. Mode and model hold from the
// next request on; where a CLI cannot change them in a running conversation,
// the next message starts it anew and resumes.
func (m *Manager) Change(ctx context.Context, id app.SessionID, c app.SessionChange) (app.Session, error) {
	if c.Title != nil && strings.TrimSpace(*c.Title) == "" {
		return app.Session{}, &app.Error{Code: app.CodeInvalidArgument, Field: "title", Message: "The title is empty."}
	}
	if c.Mode != nil {
		row, err := m.cfg.Records.Session(ctx, id)
		if err != nil {
			return app.Session{}, err
		}
		ad, ok := m.cfg.Adapter(agents.Family(row.Agent))
		if !ok {
			return app.Session{}, app.Errorf(app.CodeUnavailable, "This version of Parley does not know the agent %s.", row.Agent)
		}
		install, err := m.usable(ctx, ad.Info().Family)
		if err != nil {
			return app.Session{}, refusal(err)
		}
		if err := m.checkMode(ad, install, *c.Mode); err != nil {
			return app.Session{}, err
		}
	}
	return on(ctx, m, id, func(a *actor) (app.Session, error) {
		before := a.session
		row, err := m.cfg.Records.UpdateSession(a.ctx, id, func(s *app.Session) {
			if c.Title != nil {
				s.Title = title(*c.Title)
			}
			if c.Mode != nil {
				s.Mode = *c.Mode
			}
			if c.Model != nil {
				s.Model = *c.Model
			}
		})
		if err != nil {
			return row, err
		}
		a.session = row
		l := a.live
		if l == nil {
			return row, nil
		}
		if row.Model != before.Model {
			l.stale = true
		}
		if row.Mode != before.Mode {
			a.changeMode(l, agents.Mode(row.Mode))
		}
		return row, nil
	})
}

// changeMode tells a running agent its new mode.
func (a *actor) changeMode(l *live, mode agents.Mode) {
	if l.agent == nil {
		l.stale = true // it is coming up with the old one
		return
	}
	agent := l.agent
	a.m.goes(func() {
		err := agent.SetMode(l.ctx, mode)
		if err == nil {
			return
		}
		a.post(func() {
			l.stale = true
			if a.live == l && a.turn != nil && !errors.Is(err, agents.ErrClosed) {
				a.notice(app.LevelInfo, "mode_later", "The new mode holds from the next message on.", "")
			}
		})
	})
}

// Close ends a session's agent and marks the session as closed; the record and
// the queue stay. It returns when that is done.
func (m *Manager) Close(ctx context.Context, id app.SessionID) error {
	return m.away(ctx, id, app.CauseSessionClosed, func(a *actor) {
		a.withdrawForm()
		a.update(func(s *app.Session) { s.Closed, s.Live, s.State = true, false, app.StateIdle })
	})
}

// Delete ends a session's agent and forgets the session with all that belongs
// to it. The CLI's own files stay.
func (m *Manager) Delete(ctx context.Context, id app.SessionID) error {
	var failed error
	err := m.away(ctx, id, app.CauseSessionClosed, func(a *actor) {
		if failed = m.cfg.Records.DeleteSession(a.ctx, id); failed == nil {
			failed = errors.Join(m.cfg.Pictures.Forget(id), m.forgetOutputs(id))
		}
	})
	if err != nil {
		return err
	}
	return failed
}

// away puts a session away, does last on its actor's goroutine and waits for
// the actor's end.
func (m *Manager) away(ctx context.Context, id app.SessionID, cause app.Cause, last func(*actor)) error {
	a, err := on(ctx, m, id, func(a *actor) (*actor, error) {
		a.putAway(exitClosed, cause, func() { last(a) })
		return a, nil
	})
	if err != nil {
		return err
	}
	select {
	case <-a.gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Resume opens a closed session again, brings its agent up and sends what
// waits in the queue.
func (m *Manager) Resume(ctx context.Context, id app.SessionID) error {
	_, err := on(ctx, m, id, func(a *actor) (struct{}, error) {
		if a.session.Closed {
			a.update(func(s *app.Session) { s.Closed = false })
		}
		if err := a.answerAgain(); err != nil {
			return struct{}{}, err
		}
		a.held = false
		a.next()
		if a.live == nil && a.turn == nil && a.form == nil {
			a.launch()
		}
		return struct{}{}, nil
	})
	return err
}

// Processes lists the tree of a session's agent, parents before children.
func (m *Manager) Processes(id app.SessionID) ([]app.Process, error) {
	a, err := m.running(id)
	if a == nil || err != nil {
		return []app.Process{}, err
	}
	p, err := call(context.Background(), a, func() (*proc.Proc, error) {
		if a.live == nil || a.live.proc == nil {
			return nil, nil
		}
		return a.live.proc, nil
	})
	if errors.Is(err, errAway) || p == nil {
		return []app.Process{}, nil
	}
	if err != nil {
		return nil, err
	}
	return tree(p)
}

// Live is the text that is being written now and is in no durable event yet.
func (m *Manager) Live(id app.SessionID) []app.Event {
	a, err := m.running(id)
	if a == nil || err != nil {
		return []app.Event{}
	}
	events, err := call(context.Background(), a, func() ([]app.Event, error) {
		out := []app.Event{}
		for _, s := range a.streams {
			if s.text.Len() == 0 {
				continue
			}
			t := app.EventMessageDelta
			if s.thought {
				t = app.EventReasoningDelta
			}
			out = append(out, app.Event{
				At: s.since, SessionID: a.id, TurnID: s.turn, Type: t,
				Data: app.Delta{MessageID: s.id, Text: s.text.String(), ParentToolID: s.parent},
			})
		}
		return out, nil
	})
	if err != nil {
		return []app.Event{}
	}
	return events
}
