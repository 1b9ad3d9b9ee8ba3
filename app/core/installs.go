package core

import (
	"cmp"
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"parley/agents"
	"parley/agents/install"
	"parley/agents/proc"
	"parley/app"
	"parley/app/api"
	"parley/app/doctor"
	"parley/app/host"
)

// installs answers what agents there are: the finder's finds in the API's
// words, and the environment in which they were looked for.
type installs struct {
	families *families
	finder   *install.Finder
	now      func() time.Time
	shell    *host.Shell
	trial    *doctor.Trial // or nil: then its environment and program are the only ones
	mu       sync.Mutex    // guards at
	at       time.Time     // of the newest look
}

func newInstalls(known *families, shim string, now func() time.Time, trial *doctor.Trial) *installs {
	run := proc.Runner{Shim: shim}.Run
	i := &installs{families: known, now: now, shell: host.NewShell(run, os.Environ()), trial: trial}
	adapters := known.now
	if trial != nil {
		adapters = func() ([]agents.Adapter, int) { return []agents.Adapter{pinned{trial.Adapter, trial.Path}}, 1 }
	}
	i.finder = install.New(install.Config{Adapters: adapters, Env: i.Env, Run: run})
	return i
}

// pinned is a family that is looked for at one place.
type pinned struct {
	agents.Adapter
	path string
}

// Info implements agents.Adapter.
func (p pinned) Info() agents.Info {
	info := p.Adapter.Info()
	info.Binaries, info.Folders = []string{p.path}, nil
	return info
}

// Env is the person's environment as an agent gets it.
func (i *installs) Env(ctx context.Context) []string {
	if i.trial != nil {
		return i.trial.Env
	}
	return host.Environment(i.shell.Login(ctx, false).Env)
}

// Install implements what sessions ask.
func (i *installs) Install(ctx context.Context, f agents.Family) (agents.Install, error) {
	return i.finder.Install(ctx, f)
}

// Agents implements api.Agents.
func (i *installs) Agents(ctx context.Context, refresh bool) (api.AgentList, error) {
	if refresh {
		i.shell.Login(ctx, true) // an installer may have changed PATH in an rc file
	}
	found, err := i.finder.Installs(ctx, refresh)
	if err != nil {
		return api.AgentList{}, err
	}
	i.mu.Lock()
	if refresh || i.at.IsZero() {
		i.at = i.now()
	}
	at := i.at
	i.mu.Unlock()
	login := i.shell.Login(ctx, false)
	list := api.AgentList{PathSource: login.Source, Problem: login.Problem, At: at.UnixMilli()}
	for _, in := range found {
		a, ok := i.families.adapter(in.Family)
		if !ok || in.Path == "" && a.Info().WhenFound {
			continue
		}
		list.Agents = append(list.Agents, agentOf(a.Info(), in))
	}
	slices.SortStableFunc(list.Agents, func(a, b api.Agent) int { return cmp.Compare(usability(a.State), usability(b.State)) })
	return list, nil
}

// usability ranks states for lists: what can be started comes first.
func usability(s api.AgentState) int {
	return slices.Index([]api.AgentState{api.AgentReady, api.AgentUnchecked, api.AgentNotLoggedIn, api.AgentTooOld, api.AgentBroken, api.AgentNotFound}, s)
}

func agentOf(info agents.Info, in agents.Install) api.Agent {
	a := api.Agent{
		Family: string(info.Family), Name: info.Name, Mark: info.Mark, State: stateOf(in),
		Path: in.Path, Version: in.Version, InstallCmd: info.InstallCmd, LoginCmd: info.LoginCmd,
		Models: []api.Model{}, Efforts: info.Caps.Efforts, Modes: []string{},
		CanSteer: info.Caps.Steer && !in.Once, CanResume: info.Caps.Resume, CanImages: info.Caps.Images, CanFork: info.Caps.Fork && !in.Once,
	}
	models := info.Caps.Models
	if len(in.Models) > 0 {
		models = in.Models
	}
	for _, m := range models {
		a.Models = append(a.Models, api.Model{ID: m.ID, Name: m.Name, Efforts: m.Efforts})
	}
	for _, m := range info.Caps.Modes {
		a.Modes = append(a.Modes, string(m))
	}
	if p := in.Problem; p != nil {
		a.Problem = &app.Problem{Code: p.Code, Title: p.Title, Advice: p.Advice, Command: p.Command, Evidence: p.Evidence}
	}
	return a
}

func stateOf(in agents.Install) api.AgentState {
	switch {
	case in.Problem == nil && in.Login == agents.LoginNo:
		return api.AgentNotLoggedIn
	case in.Problem == nil && in.Login == agents.LoginUnknown:
		return api.AgentUnchecked
	case in.Problem == nil:
		return api.AgentReady
	case in.Problem.Code == "not_installed":
		return api.AgentNotFound
	case in.Problem.Code == "not_logged_in":
		return api.AgentNotLoggedIn
	case in.Problem.Code == "too_old":
		return api.AgentTooOld
	default:
		return api.AgentBroken
	}
}
