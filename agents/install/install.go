// Package install finds the agent CLIs that a person has. It looks on a PATH
// and in the folders that each family names, has every find asked about itself
// within a limit of its own, and remembers the answers; a broken CLI neither
// delays nor hides another. It starts nothing itself, and neither knows where
// the PATH comes from nor what a family's answers mean.
//
// A Finder may be used from any goroutine. Its goroutines end by themselves, 15 s
// after the look that began them at the latest.
package install

import (
	"context"
	"slices"
	"sync"
	"time"

	"parley/agents"
)

const (
	// inspectLimit is what one family's installs may take to tell about
	// themselves.
	inspectLimit = 15 * time.Second
	// patience is how long a look waits for all of them. A CLI that starts
	// slowly on a busy computer answers well within it.
	patience = 5 * time.Second
)

// Config says where to look and how to ask.
type Config struct {
	// Adapters are the families to look for now, with a number that changes
	// whenever they do.
	Adapters func() (list []agents.Adapter, revision int)
	// Env is the environment with the PATH to search; it is asked anew at each
	// look.
	Env func(ctx context.Context) []string
	Run agents.Run
}

// Finder finds installs.
type Finder struct {
	cfg Config

	mu      sync.Mutex // guards the fields below and the looks' finds
	current *look      // the newest that is over, nil before the first
	running *look      // nil when nobody looks
}

// look is one look at everything.
type look struct {
	adapters []agents.Adapter
	revision int
	over     chan struct{}    // closed when all have answered or patience ended
	found    []agents.Install // one for each adapter; late answers still come in
}

// New makes a Finder that has not looked yet.
func New(c Config) *Finder { return &Finder{cfg: c} }

// Installs returns all families in the adapters' order, one Install each; a
// family that was not found has no Path and a Problem. The first call looks,
// later ones remember as long as the families are the same; refresh looks again. A look takes 5 s at most beside what
// Env takes: a CLI that has not answered by then is listed as found, without a
// version, until it does. The error is that of ctx.
func (f *Finder) Installs(ctx context.Context, refresh bool) ([]agents.Install, error) {
	adapters, revision := f.cfg.Adapters()
	f.mu.Lock()
	if f.current != nil && f.current.revision == revision && !refresh {
		defer f.mu.Unlock()
		return slices.Clone(f.current.found), nil
	}
	if f.running == nil || f.running.revision != revision {
		f.running = &look{adapters: adapters, revision: revision, over: make(chan struct{})}
		// The look goes on for the others when one caller gives up.
		go f.look(context.WithoutCancel(ctx), f.running)
	}
	l := f.running
	f.mu.Unlock()
	select {
	case <-l.over:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(l.found), nil
}

// look looks at everything.
func (f *Finder) look(ctx context.Context, l *look) {
	env := f.cfg.Env(ctx)
	found := make([]agents.Install, len(l.adapters))
	programs := make([][]string, len(found))
	for i, a := range l.adapters {
		info := a.Info()
		programs[i] = candidates(info, env)
		found[i] = missing(info)
		if len(programs[i]) > 0 {
			found[i] = agents.Install{Family: info.Family, Path: programs[i][0], Args: info.Args, Login: agents.LoginUnknown}
		}
	}
	f.mu.Lock()
	l.found = found
	f.mu.Unlock()

	var asked sync.WaitGroup
	for i, a := range l.adapters {
		if len(programs[i]) == 0 {
			continue
		}
		asked.Go(func() {
			answer := f.inspect(ctx, a, programs[i], env)
			f.mu.Lock()
			defer f.mu.Unlock()
			l.found[i] = answer
		})
	}
	all := make(chan struct{})
	go func() {
		asked.Wait()
		close(all)
	}()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-all:
	case <-limit.C:
	}
	f.mu.Lock()
	f.current = l
	if f.running == l { // and no newer one, of other families
		f.running = nil
	}
	f.mu.Unlock()
	close(l.over)
}

// Install is that of one family. One that was not usable when last looked at is
// looked at again: the person may have mended it meanwhile. The error is that of
// ctx.
func (f *Finder) Install(ctx context.Context, family agents.Family) (agents.Install, error) {
	if _, err := f.Installs(ctx, false); err != nil {
		return agents.Install{}, err
	}
	f.mu.Lock()
	l, found := f.current, slices.Clone(f.current.found)
	f.mu.Unlock()
	i := slices.IndexFunc(l.adapters, func(a agents.Adapter) bool { return a.Info().Family == family })
	if i < 0 {
		return agents.Install{Family: family, Problem: &agents.Problem{
			Code: "not_installed", Title: "Parley knows no agent named " + string(family) + ".",
		}}, nil
	}
	if found[i].Problem == nil && found[i].Login != agents.LoginNo && isProgram(found[i].Path) {
		return found[i], nil
	}
	a, env := l.adapters[i], f.cfg.Env(ctx)
	again := missing(a.Info())
	if programs := candidates(a.Info(), env); len(programs) > 0 {
		again = f.inspect(ctx, a, programs, env)
	}
	if ctx.Err() != nil {
		return agents.Install{}, context.Cause(ctx) // an answer cut short is none
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	l.found[i] = again
	return again, nil
}

// inspect asks the programs of one family, best first, and takes the first that
// works; when none does, the first.
func (f *Finder) inspect(ctx context.Context, a agents.Adapter, programs, env []string) agents.Install {
	ctx, cancel := context.WithTimeout(ctx, inspectLimit)
	defer cancel()
	var first agents.Install
	for i, path := range programs {
		got := a.Inspect(ctx, f.cfg.Run, path, agents.Install{Path: path}.Environ(env))
		got.Family = a.Info().Family
		if got.Problem == nil {
			return got
		}
		if i == 0 {
			first = got
		}
	}
	return first
}

// missing is the answer for a family that was not found.
func missing(info agents.Info) agents.Install {
	return agents.Install{Family: info.Family, Login: agents.LoginUnknown, Problem: &agents.Problem{
		Code: "not_installed", Title: info.Name + " was not found on this computer.",
		Advice: "Install it and look again.", Command: info.InstallCmd,
	}}
}
