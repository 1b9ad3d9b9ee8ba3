package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/agents"
	"parley/agents/proc"
	"parley/app"
	"parley/app/mask"
	"parley/mcp"
	"parley/mcp/bridge"
	"parley/mcp/inject"
)

// launch starts the session's agent; an older one is ended first. The work is
// done elsewhere and comes back as launched or as launchFailed.
func (a *actor) launch() {
	if l := a.live; l != nil {
		l.again = true
		a.endAgent(l, exitClosed)
		return
	}
	adapter, ok := a.m.cfg.Adapter(agents.Family(a.session.Agent))
	if !ok {
		a.finish(app.TurnFailed, "failed", &app.Problem{Code: "unknown_agent", Title: "This version of Parley does not know the agent " + a.session.Agent + "."})
		return
	}
	if a.session.State != app.StateStarting {
		a.setState(app.StateStarting)
	}
	l := &live{id: newID(), family: agents.Family(a.session.Agent), adapter: adapter, name: adapter.Info().Name}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	ctx, abort := context.WithTimeout(l.ctx, a.m.cfg.Wait.Open)
	l.abort = abort
	a.live = l

	want := wish{session: a.session, env: a.env, fast: a.fast}
	if f := a.form; f != nil && f.aside && a.session.NativeID != "" {
		l.deferred = f.in.ToolUseID
	}
	a.m.goes(func() {
		defer abort()
		agent, err := a.bringUp(ctx, l, want)
		a.post(func() {
			if err != nil {
				a.launchFailed(l, err)
				return
			}
			a.launched(l, agent)
		})
	})
}

// wish is what a launch is made from: a copy, since the actor goes on.
type wish struct {
	session app.Session
	env     map[string]string
	fast    bool
}

// bringUp does a launch on a goroutine of its own.
func (a *actor) bringUp(ctx context.Context, l *live, w wish) (agents.Agent, error) {
	if info, err := os.Stat(w.session.Cwd); err != nil || !info.IsDir() {
		return nil, &agents.PlanError{Problem: agents.Problem{
			Code: "folder_unusable", Title: "The folder " + w.session.Cwd + " is gone or is no folder.",
			Advice: "Put it back, or start a new session in another folder.",
		}}
	}
	install, err := a.m.usable(ctx, l.family)
	if err != nil {
		return nil, err
	}
	if l.family == agents.Demo && w.fast {
		install.Args = append(install.Args[:len(install.Args):len(install.Args)], "--fast")
	}
	plan, spec, err := a.plan(ctx, l, w, install)
	if err != nil {
		return nil, err
	}
	p, err := proc.Start(proc.Spec{Argv: plan.Argv, Env: plan.Env, Dir: plan.Dir, Shim: a.m.cfg.Shim, Ladder: ladderOf(plan.Connect)})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", l.name, err)
	}
	a.m.remember(l, p)
	if _, err := call(context.Background(), a, func() (struct{}, error) { a.started(l, p, install, plan); return struct{}{}, nil }); err != nil {
		p.Stop(context.Background())
		return nil, err
	}
	a.m.goes(func() {
		<-p.Done()
		a.m.treeEnded(a.id, p)
		exit := p.Exit()
		a.post(func() { a.exited(l, agents.Exit{Code: exit.Code, Signal: exit.Signal}, p.Tail()) })
	})
	conn := agents.Conn{In: p.Stdin(), Out: p.Stdout(), Done: p.Done(), Once: plan.Once}
	agent, err := l.adapter.Open(ctx, conn, spec, &host{actor: a, live: l})
	if errors.Is(err, agents.ErrClosed) {
		// Its output ended; how its process ends says why.
		last := time.NewTimer(a.m.cfg.Wait.Last)
		defer last.Stop()
		select {
		case <-p.Done():
		case <-last.C:
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the conversation: %w", err)
	}
	if l.offered && !plan.Once {
		a.awaitTools(ctx, l, p)
	}
	return agent, nil
}

// ladderOf is how long an agent gets at each step of its end. One that listens
// on the loopback reads no input, so nobody waits for what its end would say.
func ladderOf(c agents.Connect) proc.Ladder {
	if c == agents.ConnectHTTP {
		return proc.Ladder{Input: time.Millisecond}
	}
	return proc.Ladder{}
}

// usable finds the CLI of a family; one that cannot be used is a *PlanError.
func (m *Manager) usable(ctx context.Context, f agents.Family) (agents.Install, error) {
	install, err := m.cfg.Install(ctx, f)
	if err != nil {
		return install, fmt.Errorf("find the agent: %w", err)
	}
	switch {
	case install.Path == "" && install.Problem == nil:
		return install, &agents.PlanError{Problem: agents.Problem{Code: "not_installed", Title: "The agent " + string(f) + " is not installed."}}
	case install.Problem != nil:
		return install, &agents.PlanError{Problem: *install.Problem}
	}
	return install, nil
}

// plan decides the launch and writes its files.
func (a *actor) plan(ctx context.Context, l *live, w wish, install agents.Install) (agents.Launch, agents.SessionSpec, error) {
	cfg := a.m.cfg
	l.runDir = filepath.Join(cfg.RunDir, l.id)
	if err := os.MkdirAll(l.runDir, 0o700); err != nil {
		return agents.Launch{}, agents.SessionSpec{}, fmt.Errorf("make run folder: %w", err)
	}
	mayAsk, mayPlan := w.session.Kind.MayAsk() && !l.adapter.Info().PlanOnly, w.session.Kind.MayPlan()
	limits := cfg.Limits()
	credential := filepath.Join(l.runDir, "credential.json")
	ours := mcp.Interaction(cfg.MCP, credential, mayAsk, false, limits)
	env, err := a.environment(ctx, w)
	if err != nil {
		return agents.Launch{}, agents.SessionSpec{}, err
	}
	servers, err := cfg.Servers(ctx, ServerLaunch{
		Session: a.id, Family: l.family, Profile: w.session.Profile, Cwd: w.session.Cwd, Env: env, Ours: ours, Limits: limits,
	})
	if err != nil {
		return agents.Launch{}, agents.SessionSpec{}, fmt.Errorf("decide the MCP servers: %w", err)
	}
	cfg.Secrets.Hold(servers.Secrets...)
	for _, s := range servers.Catalog {
		l.offered = l.offered || s.Managed && s.Name == mcp.InteractionServer
	}
	family := w.session.Agent
	gr, token := a.m.grants.launch(app.Launch{
		ID: l.id, SessionID: a.id, Profile: w.session.Profile, Family: family,
		ToolPrefix: inject.ToolPrefix(family), MayAsk: mayAsk && l.offered, MayPlan: mayPlan && l.offered,
		CallLimitMS: servers.Limits.Transport().Milliseconds(),
	}, servers.Limits, a)
	l.grant = gr

	spec := agents.SessionSpec{
		SessionID: a.id, Cwd: w.session.Cwd, Model: w.session.Model, Effort: w.session.Effort,
		Mode: agents.Mode(w.session.Mode), Catalog: servers.Catalog, Limits: servers.Limits, MCP: cfg.MCP, RunDir: l.runDir,
		Env: env, OwnServers: !servers.LeaveOut, Own: servers.Own, Root: cfg.Root,
	}
	cfg.Secrets.Hold(mask.OfEnvironment(spec.Env)...)
	if l.adapter.Info().Caps.Resume {
		spec.NativeID = w.session.NativeID
		spec.Deferred = l.deferred
	}
	if w.session.ForkNative != "" {
		if err := a.m.stillForks(ctx, w.session); err != nil {
			return agents.Launch{}, spec, err
		}
		spec.NativeID, spec.Fork = w.session.ForkNative, true
	}
	if l.offered {
		spec.Guidance = inject.Guidance(family, mayAsk, mayPlan)
	}
	plan, err := l.adapter.Plan(install, spec)
	if err != nil {
		return agents.Launch{}, spec, err
	}
	l.masked = plan.Masked
	if l.offered {
		data, err := json.Marshal(bridge.Credential{
			Version: 1, Socket: cfg.Socket, Token: token, SessionID: a.id, Profile: w.session.Profile,
			Family: family, ToolPrefix: gr.launch.ToolPrefix,
		})
		if err != nil {
			return plan, spec, fmt.Errorf("write the credential: %w", err)
		}
		plan.Files = append(plan.Files, agents.File{Path: credential, Data: data})
	}
	if err := writeFiles(l.runDir, plan.Files); err != nil {
		return plan, spec, err
	}
	for _, n := range servers.Notices {
		a.post(func() { a.notice(app.LevelInfo, "servers", n, "") })
	}
	return plan, spec, nil
}

// writeFiles writes the generated files of a launch. They may hold secrets, so
// they are for the person alone and lie in the run folder and nowhere else.
func writeFiles(dir string, files []agents.File) error {
	for _, f := range files {
		if rel, err := filepath.Rel(dir, f.Path); err != nil || !filepath.IsLocal(rel) {
			return fmt.Errorf("a generated file lies outside of the run folder: %s", f.Path)
		}
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
			return fmt.Errorf("make run folder: %w", err)
		}
		mode := os.FileMode(f.Mode)
		if mode == 0 {
			mode = 0o600
		}
		if err := os.WriteFile(f.Path, f.Data, mode&0o700); err != nil {
			return fmt.Errorf("write run file: %w", err)
		}
	}
	return nil
}

// awaitTools waits until the CLI has listed our tools: a model that is prompted
// before does not see them. It goes on after the limit, with a notice.
func (a *actor) awaitTools(ctx context.Context, l *live, p *proc.Proc) {
	limit := time.NewTimer(a.m.cfg.Wait.Tools)
	defer limit.Stop()
	select {
	case <-l.grant.listed:
	case <-p.Done():
	case <-ctx.Done():
	case <-limit.C:
		a.post(func() {
			a.notice(app.LevelWarning, "tools_late", "The asking tools are not there yet, so the agent may not be able to ask you.",
				"If it doesn't ask, close the session and open it again.")
		})
	}
}

func (a *actor) started(l *live, p *proc.Proc, install agents.Install, plan agents.Launch) {
	if a.live != l {
		return
	}
	l.proc, l.once = p, plan.Once
	a.fact(app.EventAgentStarted, app.AgentStarted{PID: p.PID(), Version: install.Version, Command: command(plan)})
	a.update(func(s *app.Session) { s.Live = true })
	if l.reason != "" {
		// It was called off between its start and this news of it.
		a.m.goes(func() { p.Stop(context.Background()) })
	}
}

func (a *actor) launched(l *live, agent agents.Agent) {
	if a.live != l {
		return
	}
	l.agent = agent
	if l.over || l.reason != "" {
		return // its end is on the way
	}
	l.ready = true
	switch {
	case a.turn == nil:
		a.setState(app.StateIdle)
		a.next()
	case l.stale:
		a.launch() // what was changed meanwhile holds for this message already
	case !a.turn.prompted:
		a.prompt()
	}
	a.cameUp(l, true)
}

// launchFailed ends what there is of an agent that did not come up.
func (a *actor) launchFailed(l *live, err error) {
	if a.live != l {
		return
	}
	if l.failure == nil && l.reason == "" {
		l.failure = a.problemOf(l, err)
	}
	switch {
	case l.proc == nil || l.over:
		a.left(l)
	default:
		a.endAgent(l, exitCrashed)
	}
}

// problemOf says why an agent did not come up.
func (a *actor) problemOf(l *live, err error) *agents.Problem {
	if p, ok := errors.AsType[*agents.PlanError](err); ok {
		return &p.Problem
	}
	if l.proc != nil {
		select {
		case <-l.proc.Done():
			return nil // how its process ended says more
		default:
		}
	}
	a.log.Warn("start agent", "error", err)
	p := &agents.Problem{Code: "not_started", Title: l.name + " could not be started.", Advice: "Send the message again; if that does not help, look for agents anew.", Evidence: err.Error()}
	if errors.Is(err, context.DeadlineExceeded) {
		p.Title = l.name + " did not get ready in time."
		if l.proc != nil {
			p.Evidence = lastLines(l.greeting + "\n" + l.proc.Tail())
		}
	}
	return p
}

// environment is the person's, with what the profile says over it, then what the
// keyring has for this agent and profile, then what the session was started with.
// What is secret in it is hidden from now on.
func (a *actor) environment(ctx context.Context, w wish) ([]string, error) {
	cfg := a.m.cfg
	env, kept := cfg.Env(ctx), map[string]string{}
	if cfg.Profile != nil {
		vars, secrets, err := cfg.Profile(ctx, w.session.Agent, w.session.Profile, env)
		if err != nil {
			return nil, &agents.PlanError{Problem: agents.Problem{
				Code: "profile_unusable", Title: app.ErrorMessage(err), Advice: "See: parley profiles",
			}}
		}
		cfg.Secrets.Hold(secrets...)
		for _, kv := range vars {
			name, value, _ := strings.Cut(kv, "=")
			kept[name] = value
		}
	}
	if cfg.Secret != nil {
		secrets, err := cfg.Secret(ctx, w.session.Agent, w.session.Profile)
		if err != nil {
			return nil, &agents.PlanError{Problem: agents.Problem{
				Code: "secret_unavailable", Title: "A secret that this agent needs can't be had. " + app.ErrorMessage(err),
				Advice: "Unlock the keyring and send the message again, or see: parley secrets",
			}}
		}
		for _, kv := range secrets {
			name, value, _ := strings.Cut(kv, "=")
			kept[name] = value
			cfg.Secrets.Hold(value)
		}
	}
	env = overlay(overlay(env, kept), w.env)
	cfg.Secrets.Hold(mask.OfEnvironment(env)...)
	return env, nil
}

// overlay lays variables over an environment.
func overlay(env []string, over map[string]string) []string {
	out := make([]string, 0, len(env)+len(over))
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if _, ok := over[name]; !ok {
			out = append(out, kv)
		}
	}
	for name, value := range over {
		out = append(out, name+"="+value)
	}
	return out
}

// command is a launch's command line without what its family keeps to itself.
func command(plan agents.Launch) string {
	text := strings.Join(plan.Argv, " ")
	for _, s := range plan.Masked {
		if s != "" {
			text = strings.ReplaceAll(text, s, mask.Hidden)
		}
	}
	return text
}
