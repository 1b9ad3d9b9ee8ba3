// Package install finds the agent CLIs that a person has. It looks on a PATH
// and in the folders that each family names, asks every find about itself with
// a limit of its own, and remembers the answer; one broken CLI neither delays
// nor hides another. It starts nothing but the probes.
//
// A Finder may be used from any goroutine.
package install

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"parley/agents"
)

// inspectLimit is what one CLI may take to tell about itself.
const inspectLimit = 15 * time.Second

// Config says where to look and how to ask.
type Config struct {
	Adapters []agents.Adapter
	// Env is the environment with the PATH to search; it is asked anew at each
	// look.
	Env func(ctx context.Context) []string
	Run agents.Run
}

// Finder finds installs.
type Finder struct {
	cfg Config

	look singleflight.Group // one look at a time; late comers share it

	mu    sync.Mutex // guards found
	found []agents.Install
}

// New makes a Finder that has not looked yet.
func New(c Config) *Finder { return &Finder{cfg: c} }

// Installs are all families in the adapters' order, one Install each; a family
// that was not found has no Path and a Problem. The first call looks, later
// ones remember; refresh looks again.
func (f *Finder) Installs(ctx context.Context, refresh bool) ([]agents.Install, error) {
	if !refresh {
		if found := f.remembered(); found != nil {
			return found, nil
		}
	}
	// The look goes on for the others when one caller gives up.
	result := f.look.DoChan("look", func() (any, error) {
		found := f.inspectAll(context.WithoutCancel(ctx))
		f.mu.Lock()
		f.found = found
		f.mu.Unlock()
		return found, nil
	})
	select {
	case r := <-result:
		return r.Val.([]agents.Install), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Install is that of one family. One that was not usable when last looked at is
// looked at again: the person may have mended it meanwhile.
func (f *Finder) Install(ctx context.Context, family agents.Family) (agents.Install, error) {
	found, err := f.Installs(ctx, false)
	if err != nil {
		return agents.Install{}, err
	}
	for i, a := range f.cfg.Adapters {
		if a.Info().Family != family {
			continue
		}
		if found[i].Problem == nil && found[i].Login != agents.LoginNo && isProgram(found[i].Path) {
			return found[i], nil
		}
		again := f.inspect(ctx, a, f.cfg.Env(ctx))
		f.mu.Lock()
		fresh := append([]agents.Install(nil), f.found...)
		fresh[i] = again
		f.found = fresh
		f.mu.Unlock()
		return again, nil
	}
	return agents.Install{Family: family, Problem: &agents.Problem{
		Code: "not_installed", Title: "Parley knows no agent named " + string(family) + ".",
	}}, nil
}

func (f *Finder) remembered() []agents.Install {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.found
}

func (f *Finder) inspectAll(ctx context.Context) []agents.Install {
	env := f.cfg.Env(ctx)
	found := make([]agents.Install, len(f.cfg.Adapters))
	var g errgroup.Group
	for i, a := range f.cfg.Adapters {
		g.Go(func() error {
			found[i] = f.inspect(ctx, a, env)
			return nil
		})
	}
	g.Wait() //nolint:errcheck // none of them fails: a problem is part of the find
	return found
}

// inspect looks at the binaries of one family, best first, and takes the first
// that works; when none does, the first that is there.
func (f *Finder) inspect(ctx context.Context, a agents.Adapter, env []string) agents.Install {
	info := a.Info()
	var broken *agents.Install
	for _, path := range candidates(info, env) {
		ctx, cancel := context.WithTimeout(ctx, inspectLimit)
		got := a.Inspect(ctx, f.cfg.Run, path, env)
		cancel()
		if got.Problem == nil {
			return got
		}
		if broken == nil {
			broken = &got
		}
	}
	if broken != nil {
		return *broken
	}
	return agents.Install{Family: info.Family, Login: agents.LoginUnknown, Problem: &agents.Problem{
		Code: "not_installed", Title: info.Name + " was not found on this computer.",
		Advice: "Install it and look again.", Command: info.InstallCmd,
	}}
}

// candidates are the paths of programs that could be the family's, each file
// once.
func candidates(info agents.Info, env []string) (paths []string) {
	var path, home string
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
		if v, ok := strings.CutPrefix(kv, "HOME="); ok {
			home = v
		}
	}
	dirs := filepath.SplitList(path)
	for _, d := range info.Folders {
		if rest, ok := strings.CutPrefix(d, "~/"); ok {
			if home == "" {
				continue
			}
			d = filepath.Join(home, rest)
		}
		matches, err := filepath.Glob(d)
		if err == nil {
			dirs = append(dirs, matches...)
		}
	}
	seen := map[string]bool{}
	add := func(p string) {
		real, err := filepath.EvalSymlinks(p)
		if err == nil && !seen[real] && isProgram(p) {
			seen[real] = true
			paths = append(paths, p)
		}
	}
	for _, name := range info.Binaries {
		if filepath.IsAbs(name) {
			add(name)
			continue
		}
		for _, dir := range dirs {
			if !filepath.IsAbs(dir) {
				continue // an entry such as "." would find what a project brings
			}
			for _, ext := range extensions {
				add(filepath.Join(dir, name+ext))
			}
		}
	}
	return paths
}

// extensions are what a program's name may end with.
var extensions = func() []string {
	if runtime.GOOS == "windows" {
		return []string{".exe", ".cmd", ".bat"}
	}
	return []string{""}
}()

// isProgram reports whether a path, links followed, is a file that may be run.
func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}
