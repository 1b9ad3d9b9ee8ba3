package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/agents"
	"parley/app"
)

// maxInput bounds one message.
const maxInput = 1 << 20

// Create makes a session; its agent starts with the first message.
// app.CodeInvalidArgument, app.CodeFolderUnusable, app.CodeAgentNotInstalled,
// app.CodeAgentNotLoggedIn and app.CodeModeRefused say what is wrong with it.
func (m *Manager) Create(ctx context.Context, n app.NewSession) (app.Session, error) {
	adapter, ok := m.cfg.Adapter(agents.Family(n.Agent))
	if !ok {
		return app.Session{}, &app.Error{Code: app.CodeInvalidArgument, Field: "agent", Got: n.Agent, Message: "There is no agent of that name."}
	}
	if n.Mode == "" {
		n.Mode = string(agents.ModeAsk)
	}
	if err := app.CheckProfile(n.Profile); err != nil {
		return app.Session{}, err
	}
	if n.Profile == "" {
		n.Profile = app.DefaultProfile
	}
	if m.cfg.Defaults != nil {
		model, effort, err := m.cfg.Defaults(ctx, n.Agent, n.Profile)
		if err != nil {
			return app.Session{}, err
		}
		n.Model, n.Effort = cmp.Or(n.Model, model), cmp.Or(n.Effort, effort)
	}
	install, err := m.usable(ctx, adapter.Info().Family)
	if err != nil {
		return app.Session{}, refusal(err)
	}
	if err := m.checkMode(adapter, install, n.Mode); err != nil {
		return app.Session{}, err
	}
	cwd, err := m.folder(n)
	if err != nil {
		return app.Session{}, err
	}
	now := m.cfg.Now().UnixMilli()
	row := app.Session{
		ID: newID(), Title: title(n.Title), Kind: n.Kind, Agent: n.Agent, Profile: n.Profile, Cwd: cwd,
		Branch: m.cfg.Branch(cwd), Model: n.Model, Effort: n.Effort, Mode: n.Mode, State: app.StateIdle,
		CreatedAt: now, UpdatedAt: now, Queued: []app.Queued{},
	}
	if row.Kind == "" {
		row.Kind = app.KindDirect
	}
	row, err = m.cfg.Records.CreateSession(ctx, row)
	if err != nil {
		return app.Session{}, err
	}
	if _, err := m.adopt(row, nil, nil, n.Env, n.Fast); err != nil {
		return app.Session{}, err
	}
	return row, nil
}

// folder is the session's folder: absolute, there, and a folder.
func (m *Manager) folder(n app.NewSession) (string, error) {
	if n.Cwd == "" && n.Agent == string(agents.Demo) {
		dir, err := m.cfg.Scratch(m.cfg.Now())
		if err != nil {
			return "", app.Errorf(app.CodeFolderUnusable, "No scratch folder could be made: %w", err)
		}
		return dir, nil
	}
	dir := filepath.Clean(n.Cwd)
	unusable := func(what string) error {
		return &app.Error{Code: app.CodeFolderUnusable, Field: "cwd", Got: n.Cwd, Message: fmt.Sprintf("The folder %q %s.", n.Cwd, what)}
	}
	if n.Cwd == "" || !filepath.IsAbs(dir) {
		return "", unusable("is not an absolute path")
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", unusable("does not exist")
	case err != nil:
		return "", unusable("cannot be read")
	case !info.IsDir():
		return "", unusable("is not a folder")
	}
	return dir, nil
}

// checkMode asks the family whether it can work in a mode, without touching
// anything.
func (m *Manager) checkMode(ad agents.Adapter, install agents.Install, mode string) error {
	if modes := ad.Info().Caps.Modes; !slices.Contains(modes, agents.Mode(mode)) {
		return &app.Error{Code: app.CodeInvalidArgument, Field: "mode", Got: mode, Limit: fmt.Sprint(modes), Message: fmt.Sprintf("%s has no mode %q.", ad.Info().Name, mode)}
	}
	_, err := ad.Plan(install, agents.SessionSpec{
		SessionID: newID(), Cwd: m.cfg.RunDir, Mode: agents.Mode(mode), Limits: m.cfg.Limits(),
		RunDir: m.cfg.RunDir, OwnServers: true, Root: m.cfg.Root,
	})
	if _, ok := errors.AsType[*agents.PlanError](err); ok {
		return refusal(err)
	}
	if err != nil {
		return fmt.Errorf("plan a launch: %w", err)
	}
	return nil
}

// refusal is a family's refusal as an error with a code.
func refusal(err error) error {
	p, ok := errors.AsType[*agents.PlanError](err)
	if !ok {
		return err
	}
	code := app.CodeUnavailable
	switch p.Problem.Code {
	case "not_installed":
		code = app.CodeAgentNotInstalled
	case "not_logged_in":
		code = app.CodeAgentNotLoggedIn
	case "refused_mode":
		code = app.CodeModeRefused
	}
	return &app.Error{Code: code, Message: inWords(p.Problem), Err: err}
}

// inWords is a problem in one text: what happened, what to do and with which
// command, and the last line of what was seen.
func inWords(p agents.Problem) string {
	text := strings.TrimSpace(p.Title + " " + p.Advice)
	if p.Command != "" {
		text = strings.TrimSuffix(text, ".") + ": " + p.Command
	}
	if seen := lastLines(p.Evidence); seen != "" {
		text += "\nIt said: " + seen
	}
	return text
}

// Send gives a session its next message: into the running turn with Steer,
// behind it otherwise, at once when nothing runs. It returns the turn that the
// message became or will become.
func (m *Manager) Send(ctx context.Context, id app.SessionID, in app.Input) (app.TurnID, bool, error) {
	switch {
	case strings.TrimSpace(in.Text) == "" && len(in.Attachments) == 0:
		return "", false, &app.Error{Code: app.CodeInvalidArgument, Field: "text", Message: "The message is empty."}
	case len(in.Text) > maxInput:
		return "", false, &app.Error{Code: app.CodePayloadTooLarge, Field: "text", Limit: "1 MiB", Message: "The message is longer than 1 MiB. Put it into a file and name the file."}
	case !utf8.ValidString(in.Text):
		in.Text = strings.ToValidUTF8(in.Text, "\uFFFD")
	}
	for i, f := range in.Attachments {
		if info, err := os.Stat(f.Path); err != nil || !filepath.IsAbs(f.Path) || !info.Mode().IsRegular() {
			return "", false, &app.Error{Code: app.CodeInvalidArgument, Field: fmt.Sprintf("attachments[%d].path", i), Got: f.Path, Message: fmt.Sprintf("%q is no file that can be read.", f.Path)}
		}
	}
	if in.Steer {
		turn, steered, err := m.steer(ctx, id, in)
		if steered || err != nil {
			return turn, false, err
		}
	}
	type sent struct {
		turn   app.TurnID
		queued bool
	}
	s, err := on(ctx, m, id, func(a *actor) (sent, error) {
		turn, queued, err := a.send(in)
		return sent{turn, queued}, err
	})
	return s.turn, s.queued, err
}

// SendLate makes a late answer the session's next message.
func (m *Manager) SendLate(ctx context.Context, in app.Interaction, ans app.Answer) (app.TurnID, error) {
	turn, _, err := m.Send(ctx, in.SessionID, app.Input{Text: LateText(in, ans), Attachments: ans.Files, Late: in.ID})
	return turn, err
}

func (a *actor) send(in app.Input) (app.TurnID, bool, error) {
	switch {
	case a.session.Closed:
		return "", false, app.Errorf(app.CodeSessionClosed, "This session is closed. Open it again first.")
	case a.formWaits() && in.Late == "": // a late answer waits behind the form
		return "", false, errPendingForm
	}
	t := app.Turn{
		ID: newID(), SessionID: a.id, Text: in.Text, Attachments: in.Attachments, Late: in.Late,
		State: app.TurnQueued, QueuedAt: a.now(),
	}
	a.flush()
	if err := a.m.cfg.Records.QueueTurn(a.ctx, t); err != nil {
		return "", false, err
	}
	if a.session.Title == "" {
		a.update(func(s *app.Session) { s.Title = title(in.Text) })
	}
	a.queue = append(a.queue, t)
	a.held = false
	a.next()
	return t.ID, slices.ContainsFunc(a.queue, func(q app.Turn) bool { return q.ID == t.ID }), nil
}

// target is a running turn that can take a message.
type target struct {
	actor *actor
	turn  *turn
	live  *live
	cwd   string
}

// steerable returns the turn that a message can go into, none when none runs.
func (m *Manager) steerable(ctx context.Context, id app.SessionID) (target, error) {
	return on(ctx, m, id, func(a *actor) (target, error) {
		switch {
		case a.turn == nil || a.turn.stopping || a.turn.form != nil || a.live == nil || !a.live.ready || a.live.stale:
			return target{}, nil
		case !a.live.adapter.Info().Caps.Steer:
			return target{}, app.Errorf(app.CodeCapabilityMissing, "%s takes no message while it works. Queue it instead.", a.live.name)
		}
		return target{a, a.turn, a.live, a.session.Cwd}, nil
	})
}

// steer puts a message into the running turn. It reports false when none runs
// that could take it.
func (m *Manager) steer(ctx context.Context, id app.SessionID, in app.Input) (app.TurnID, bool, error) {
	to, err := m.steerable(ctx, id)
	if err != nil || to.turn == nil {
		return "", false, err
	}
	select {
	case <-to.turn.sent:
	case <-to.actor.gone:
		return "", false, nil
	case <-ctx.Done():
		return "", false, ctx.Err()
	}
	if now, err := m.steerable(ctx, id); err != nil || now.turn != to.turn {
		return "", false, err // it ended meanwhile
	}
	msg, err := m.withFiles(agents.Turn{ID: newID(), Text: in.Text}, to.live.adapter.Info().Caps, to.cwd, in.Attachments)
	if err != nil {
		return "", false, err
	}
	switch err := to.live.agent.Steer(ctx, msg); {
	case errors.Is(err, agents.ErrUnsupported):
		return "", false, app.Errorf(app.CodeCapabilityMissing, "%s takes no message while it works. Queue it instead.", to.live.name)
	case err != nil:
		return "", false, nil // the turn has just ended: the message becomes the next one
	}
	_, err = on(ctx, m, id, func(a *actor) (struct{}, error) {
		a.out.fact(to.turn.row.ID, app.EventTurnSteered, app.TurnText{Text: in.Text, Attachments: in.Attachments, Late: in.Late})
		return struct{}{}, nil
	})
	return to.turn.row.ID, true, err
}

// ChangeQueued edits or moves a message that waits.
func (m *Manager) ChangeQueued(ctx context.Context, id app.SessionID, turn app.TurnID, text *string, index *int) error {
	return m.queueChange(ctx, id, func(a *actor) error {
		answers := func(t app.Turn) bool { return t.ID == turn && t.Form != "" }
		if text != nil && slices.ContainsFunc(a.queue, answers) {
			return app.Errorf(app.CodeInvalidArgument, "This goes along with the end of a form and can't be edited. Send another message.")
		}
		return m.cfg.Records.ChangeQueued(a.ctx, turn, text, index)
	})
}

// DropQueued takes a message that waits out of the queue.
func (m *Manager) DropQueued(ctx context.Context, id app.SessionID, turn app.TurnID) error {
	return m.queueChange(ctx, id, func(a *actor) error { return m.cfg.Records.DropQueued(a.ctx, turn) })
}

func (m *Manager) queueChange(ctx context.Context, id app.SessionID, change func(*actor) error) error {
	_, err := on(ctx, m, id, func(a *actor) (struct{}, error) {
		err := change(a)
		a.reloadQueue()
		return struct{}{}, err
	})
	return err
}

func (a *actor) reloadQueue() {
	queue, err := a.m.cfg.Records.Queue(a.ctx, a.id)
	if err != nil {
		a.log.Error("read the queue", "error", err)
		return
	}
	a.queue = queue
}

// Stop asks the running turn to end and returns at once; without one it does
// nothing.
func (m *Manager) Stop(ctx context.Context, id app.SessionID) error {
	_, err := on(ctx, m, id, func(a *actor) (struct{}, error) {
		a.stop(app.CauseTurnStopped)
		return struct{}{}, nil
	})
	return err
}
