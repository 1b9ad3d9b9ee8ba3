package session

import (
	"context"
	"errors"
	"maps"
	"strings"

	"parley/agents"
	"parley/app"
)

// forked is what the title of a forked session ends with.
const forked = " (fork)"

// Fork begins a session with a copy of another one's conversation, and of what is
// recorded of it. It returns
// when the copy is made, or, where the CLI writes it down with the first message
// alone, when the CLI has read what it copies. Both sessions go on by themselves;
// the other one is not changed. app.CodeSessionBusy while a turn is under way
// there or when one began meanwhile, app.CodePendingForm while a form is,
// app.CodeCapabilityMissing where the CLI cannot, app.CodeInvalidArgument when
// nothing was said yet.
func (m *Manager) Fork(ctx context.Context, id app.SessionID) (app.Session, error) {
	type origin struct {
		row  app.Session
		env  map[string]string
		fast bool
	}
	from, err := on(ctx, m, id, func(a *actor) (origin, error) {
		a.flush() // the copy begins with what is recorded
		return origin{a.session, maps.Clone(a.env), a.fast}, a.forkable()
	})
	if err != nil {
		return app.Session{}, err
	}
	o := from.row
	row := app.Session{
		ID: newID(), Title: title(strings.TrimSuffix(o.Title, forked) + forked), Kind: o.Kind, Agent: o.Agent, Profile: o.Profile,
		Cwd: o.Cwd, Branch: m.cfg.Branch(o.Cwd), Model: o.Model, Effort: o.Effort, Mode: o.Mode, State: app.StateIdle,
		ForkedFrom: o.ID, ForkNative: o.NativeID, CreatedAt: m.cfg.Now().UnixMilli(), Queued: []app.Queued{},
	}
	row, err = m.cfg.Records.CreateSession(ctx, row)
	if err != nil {
		return app.Session{}, err
	}
	m.share(o.ID, row.ID)
	if err = m.copyNow(ctx, row, from.env, from.fast); err == nil {
		return m.cfg.Records.Session(ctx, row.ID)
	}
	if derr := m.Delete(context.WithoutCancel(ctx), row.ID); derr != nil {
		m.cfg.Log.Warn("delete a fork that did not come up", "session", row.ID, "error", derr)
	}
	return app.Session{}, err
}

// share gives a fork the files that the copied record names. What cannot be given
// is shown as a file that is not kept any more.
func (m *Manager) share(from, to app.SessionID) {
	err := m.cfg.Pictures.Share(from, to)
	if m.cfg.Outputs != nil {
		err = errors.Join(err, m.cfg.Outputs.Share(from, to))
	}
	if err != nil {
		m.cfg.Log.Warn("give a fork its files", "session", to, "error", err)
	}
}

// forkable says why the conversation cannot be copied as it is now.
func (a *actor) forkable() error {
	adapter, ok := a.m.cfg.Adapter(agents.Family(a.session.Agent))
	switch {
	case !ok || !adapter.Info().Caps.Fork:
		name := a.session.Agent
		if ok {
			name = adapter.Info().Name
		}
		return app.Errorf(app.CodeCapabilityMissing, "%s cannot fork a conversation.", name)
	case a.turn != nil:
		return app.Errorf(app.CodeSessionBusy, "The agent is at work. Fork the session when its turn has ended, or stop it.")
	case a.form != nil:
		return app.Errorf(app.CodePendingForm, "A form waits in this session, or its answer has not reached the agent yet. Fork the session afterwards.")
	case a.owes():
		return errOwes
	case a.session.NativeID == "":
		return app.Errorf(app.CodeInvalidArgument, "The agent holds no conversation of this session yet, so there is nothing to fork.")
	}
	return nil
}

// copyNow brings the agent of a fork up, which copies the conversation.
func (m *Manager) copyNow(ctx context.Context, row app.Session, env map[string]string, fast bool) error {
	a, err := m.adopt(row, nil, nil, env, fast)
	if err != nil {
		return err
	}
	up := make(chan error, 1)
	if _, err := call(ctx, a, func() (struct{}, error) {
		a.awaited = up
		a.launch()
		return struct{}{}, nil
	}); err != nil {
		return err
	}
	select {
	case err = <-up:
	case <-a.gone:
		err = errQuitting
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	return m.untouched(ctx, row)
}

// cameUp tells who waits for it whether the agent came up.
func (a *actor) cameUp(l *live, up bool) {
	if a.awaited == nil {
		return
	}
	var err error
	switch {
	case up:
	case l.failure != nil:
		err = refusal(&agents.PlanError{Problem: *l.failure})
	default:
		err = app.Errorf(app.CodeSessionClosed, "The session was closed before its agent was up.")
	}
	a.awaited <- err
	a.awaited = nil
}

// untouched says app.CodeSessionBusy when the conversation that is copied went
// on since the fork was made: the copy would hold what came later.
func (m *Manager) untouched(ctx context.Context, fork app.Session) error {
	began, err := m.cfg.Records.BeganSince(ctx, fork.ForkedFrom, fork.CreatedAt)
	if err == nil && began {
		err = app.Errorf(app.CodeSessionBusy, "The conversation went on while it was being copied. Fork it again when the turn has ended.")
	}
	return err
}

// stillForks is untouched for a launch.
func (m *Manager) stillForks(ctx context.Context, fork app.Session) error {
	err := m.untouched(ctx, fork)
	if app.ErrorCode(err) == app.CodeSessionBusy {
		return &agents.PlanError{Problem: agents.Problem{
			Code: "origin_went_on", Title: "The conversation that this session was forked from went on before its copy was written down.",
			Advice: "Fork that session again.",
		}}
	}
	return err
}
