//go:build linux

package install_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/agents"
	"parley/agents/agenttest/programs"
	"parley/agents/install"
	"parley/agents/proc"
)

var (
	runner proc.Runner
	run    agents.Run // is runner.Run
)

func TestMain(m *testing.M) {
	shim, err := programs.Path("parley-run")
	if err != nil {
		panic(err)
	}
	runner = proc.Runner{Shim: shim, Limit: time.Minute}
	run = runner.Run
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// family is a small family whose programs tell a version.
type family struct {
	agents.Adapter // nil: only the two methods below are used
	info           agents.Info
	inspect        func() agents.Install // instead of running it, nil usually
}

func (f family) Info() agents.Info { return f.info }

func (f family) Inspect(ctx context.Context, run agents.Run, path string, env []string) agents.Install {
	if f.inspect != nil {
		return f.inspect()
	}
	got := agents.Install{Family: f.info.Family, Path: path, Login: agents.LoginYes}
	out, _, code, err := run(ctx, []string{path, "--version"}, env)
	got.Version = strings.TrimSpace(string(out))
	if err != nil || code != 0 || len(got.Version) > 20 {
		got.Version = ""
		got.Problem = &agents.Problem{Code: "broken", Title: "It does not tell its version."}
	}
	return got
}

func named(name string, folders ...string) family {
	return family{info: agents.Info{
		Family: agents.Family(name), Name: name, Binaries: []string{name, name + "-old"}, Folders: folders, InstallCmd: "get " + name,
	}}
}

// program writes a program that prints version, or whose script is given.
func program(t *testing.T, path, script string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(script, "#!") {
		script = "#!/bin/sh\n" + script
	}
	if err := os.WriteFile(path, []byte(script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

// computer is a home and a PATH.
type computer struct{ home, bin string }

func newComputer(t *testing.T) computer {
	home := t.TempDir()
	c := computer{home, filepath.Join(home, "on path")}
	if err := os.Mkdir(c.bin, 0o700); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c computer) env(context.Context) []string {
	return []string{"HOME=" + c.home, "PATH=relative:" + c.bin + "::/usr/bin:/bin"}
}

// seen is what of an install is compared.
type seen struct{ Path, Version, Problem string }

func summary(all []agents.Install) (out []seen) {
	for _, in := range all {
		s := seen{Path: in.Path, Version: in.Version}
		if in.Problem != nil {
			s.Problem = in.Problem.Code
		}
		out = append(out, s)
	}
	return out
}

func TestInstalls(t *testing.T) {
	c := newComputer(t)
	on := func(name string) string { return filepath.Join(c.bin, name) }
	at := func(name string) string { return filepath.Join(c.home, name) }

	program(t, on("plain"), "echo 1.0")
	program(t, at(".local/bin/plain"), "echo 9.9") // PATH comes first
	program(t, at(".local/bin/aside"), "echo 2.0")
	program(t, at(".nvm/versions/node/v9.0.0/bin/newest"), "echo 9")
	program(t, at(".nvm/versions/node/v22.1.0/bin/newest"), "echo 22")
	program(t, on("second-old"), "echo 3.0")      // the second of its names
	program(t, on("mended"), "exit 1")            // broken here,
	program(t, at(".local/bin/mended"), "echo 4") // not there
	program(t, on("broken"), "echo boom >&2; exit 1")
	program(t, on("talkative"), "yes | head -c 10000000")
	program(t, on("reads"), "cat; echo 5.0")
	program(t, on("loader"), "#!/nowhere/interpreter")
	program(t, at("asides/tool"), "echo 6.0")
	program(t, at("asides/scripted"), "#!/usr/bin/env tool") // found by its own folder

	for link, target := range map[string]string{"dangling": "/nowhere", "round": on("round"), "linked": on("plain")} {
		if err := os.Symlink(target, on(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(on("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(on("unmarked"), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	local, nvm := "~/.local/bin", "~/.nvm/versions/node/*/bin"
	finder := install.New(install.Config{Env: c.env, Run: run, Adapters: always(
		named("plain", local), named("aside", "/nowhere", local), named("newest", nvm), named("second"), named("mended", local), named("broken"),
		named("talkative"), named("reads"), named("loader"), named("scripted", "~/asides"),
		named("dangling"), named("round"), named("linked"), named("folder"), named("unmarked"), named("absent", "~/[", local),
	)})
	const none, bad = "not_installed", "broken"
	want := []seen{
		{on("plain"), "1.0", ""}, {at(".local/bin/aside"), "2.0", ""}, {at(".nvm/versions/node/v22.1.0/bin/newest"), "22", ""},
		{on("second-old"), "3.0", ""}, {at(".local/bin/mended"), "4", ""}, {on("broken"), "", bad},
		{on("talkative"), "", bad}, {on("reads"), "5.0", ""}, {on("loader"), "", bad},
		{at("asides/scripted"), "6.0", ""},
		{"", "", none}, {"", "", none}, {on("linked"), "1.0", ""}, {"", "", none}, {"", "", none}, {"", "", none},
	}
	// On a busy computer an answer may come after the list.
	var got []agents.Install
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		var err error
		if got, err = finder.Installs(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		diff := cmp.Diff(want, summary(got))
		if diff == "" {
			break
		}
		if time.Since(begin) > time.Minute {
			t.Fatal(diff)
		}
	}
	if p := got[len(got)-1].Problem; p.Command != "get absent" || p.Title != "absent was not found on this computer." {
		t.Errorf("problem %+v", p)
	}
}

// One that hangs is ended with all it has started.
func TestOneThatHangs(t *testing.T) {
	c := newComputer(t)
	hangs := filepath.Join(c.bin, "hangs")
	program(t, hangs, "trap '' TERM; setsid sleep 9999 & sleep 9999")
	runner := runner
	runner.Limit = time.Second
	finder := install.New(install.Config{Env: c.env, Run: runner.Run, Adapters: always(named("hangs"))})
	got, err := finder.Installs(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]seen{{hangs, "", "broken"}}, summary(got)); diff != "" {
		t.Error(diff)
	}
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range environs {
		// One that has ended has no environment any more.
		env, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(env), "HOME="+c.home+"\x00") {
			t.Errorf("left: %s", file)
		}
	}
}

func TestInstallOfOne(t *testing.T) {
	c := newComputer(t)
	var asked atomic.Int32
	counting := func(ctx context.Context, argv, env []string) (stdout, stderr []byte, code int, err error) {
		asked.Add(1)
		return run(ctx, argv, env)
	}
	finder := install.New(install.Config{Env: c.env, Run: counting, Adapters: always(named("one"), named("two"))})
	install := func(name string) seen {
		t.Helper()
		got, err := finder.Install(t.Context(), agents.Family(name))
		if err != nil {
			t.Fatal(err)
		}
		return summary([]agents.Install{got})[0]
	}
	two := filepath.Join(c.bin, "two")
	if got := install("two"); got.Problem != "not_installed" {
		t.Errorf("got %+v", got)
	}
	program(t, two, "echo 1.0") // the person installs it
	for range 3 {
		if got := install("two"); got != (seen{two, "1.0", ""}) {
			t.Errorf("after it was installed: %+v", got)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
	if err := os.Remove(two); err != nil { // and removes it
		t.Fatal(err)
	}
	if got := install("two"); got.Problem != "not_installed" {
		t.Errorf("after it was removed: %+v", got)
	}
	if got := install("three"); got.Problem != "not_installed" {
		t.Errorf("an unknown family: %+v", got)
	}
	all, err := finder.Installs(t.Context(), false)
	if err != nil || len(all) != 2 || all[1].Problem == nil {
		t.Errorf("the list does not know it: %+v, %v", all, err)
	}
}

func TestLooks(t *testing.T) {
	c := newComputer(t)
	path := filepath.Join(c.bin, "one")
	program(t, path, "echo 1.0")
	var looks atomic.Int32
	env := func(ctx context.Context) []string {
		looks.Add(1)
		return c.env(ctx)
	}
	finder := install.New(install.Config{Env: env, Run: run, Adapters: always(named("one"))})
	version := func(refresh bool) string {
		got, err := finder.Installs(t.Context(), refresh)
		if err != nil {
			t.Error(err)
			return ""
		}
		return got[0].Version
	}
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if got := version(false); got != "1.0" {
				t.Errorf("version %q", got)
			}
		})
	}
	wg.Wait()
	program(t, path, "echo 2.0")
	if got := version(false); got != "1.0" || looks.Load() != 1 {
		t.Errorf("remembered %q after %d looks", got, looks.Load())
	}
	if got := version(true); got != "2.0" || looks.Load() != 2 {
		t.Errorf("found %q after %d looks", got, looks.Load())
	}
	if got := version(false); got != "2.0" || looks.Load() != 2 {
		t.Errorf("remembered %q after %d looks", got, looks.Load())
	}
}

// One that does not answer in time is listed as found, and its answer comes in
// later; the others have theirs. The clock of this test is not real.
func TestSlowOne(t *testing.T) {
	c := newComputer(t)
	program(t, filepath.Join(c.bin, "slow"), "")
	program(t, filepath.Join(c.bin, "quick"), "")
	answer := func(name string, after time.Duration) family {
		f := named(name)
		f.inspect = func() agents.Install {
			time.Sleep(after)
			return agents.Install{Path: filepath.Join(c.bin, name), Version: "1.0", Login: agents.LoginYes}
		}
		return f
	}
	synctest.Test(t, func(t *testing.T) {
		slow := answer("slow", 12*time.Second)
		slow.info.Args = []string{"serve"}
		finder := install.New(install.Config{Env: c.env, Run: run, Adapters: always(slow, answer("quick", time.Second))})
		begin := time.Now()
		first, err := finder.Installs(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("the list took %v", took)
		}
		want := []seen{{filepath.Join(c.bin, "slow"), "", ""}, {filepath.Join(c.bin, "quick"), "1.0", ""}}
		if diff := cmp.Diff(want, summary(first)); diff != "" {
			t.Error(diff)
		}
		if first[0].Login != agents.LoginUnknown {
			t.Errorf("login %q", first[0].Login)
		}
		// It may be started meanwhile, and is started as what it is.
		if got, err := finder.Install(t.Context(), "slow"); err != nil || !slices.Equal(got.Args, []string{"serve"}) {
			t.Errorf("its arguments are %q, %v", got.Args, err)
		}
		time.Sleep(8 * time.Second)
		later, err := finder.Installs(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		want[0].Version = "1.0"
		if diff := cmp.Diff(want, summary(later)); diff != "" {
			t.Error(diff)
		}
		if first[0].Version != "" {
			t.Error("a list that was handed out has changed")
		}
	})
}

func TestCallerWhoGivesUp(t *testing.T) {
	c := newComputer(t)
	hold, held := make(chan struct{}), make(chan struct{})
	f := named("one")
	f.inspect = func() agents.Install {
		close(held)
		<-hold
		return agents.Install{Path: "/p", Version: "1.0"}
	}
	program(t, filepath.Join(c.bin, "one"), "")
	finder := install.New(install.Config{Env: c.env, Run: run, Adapters: always(f)})
	why := errors.New("page closed")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-held
		cancel(why)
	}()
	if _, err := finder.Installs(ctx, false); !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	close(hold)
	got, err := finder.Installs(t.Context(), false)
	if err != nil || got[0].Version != "1.0" {
		t.Errorf("the look did not go on for others: %+v, %v", got, err)
	}
}

// always are families that do not change.
func always(list ...agents.Adapter) func() ([]agents.Adapter, int) {
	return func() ([]agents.Adapter, int) { return list, 1 }
}
