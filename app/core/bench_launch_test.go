package core_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/fakemodel"
	"parley/agents/registry"
	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
	"parley/app/core"
	"parley/app/doctor"
	"parley/build/clis"
	"parley/build/figures"
)

// Both sides say the same to the same model.
const (
	kindPrompt = "Say something kind"
	kindAnswer = "Good day"
)

// bareLaunches are the families' CLIs with what their own headless mode is started
// with.
var bareLaunches = []struct {
	family agents.Family
	cli    *clis.CLI
	args   []string // the prompt is the last one
	ready  func(b *testing.B, p *launchPlace)
}{
	{agents.Claude, clis.Claude, []string{"--print", "--output-format", "stream-json", "--verbose", "--include-partial-messages"}, nil},
	{agents.Codex, clis.Codex, []string{"exec", "--json", "--skip-git-repo-check"}, nil},
	{agents.OpenCode, clis.OpenCode, []string{"run", "--format", "json"}, nil},
	{agents.Pi, clis.Pi, []string{"--print", "--mode", "json"}, nil},
	{agents.Grok, clis.Grok, []string{"--output-format", "streaming-json", "--single"}, nil},
	{agents.DSH, clis.DSH, []string{"--profile", "headless"}, readyDSH},
}

// BenchmarkLaunch measures from the call that starts a session of a real CLI
// until the first word of the model is at a subscriber, in turns with the same
// CLI in its own headless mode, in the same home and folder, until it prints that
// word. The model is a script on the loopback.
//
//	go test -run - -bench Launch -benchtime 12x -timeout 30m ./app/core
//
// The bare CLI is given its message at once and has no MCP server. Through Parley
// it has one, whose tools it has to list before it gets its message. Some headless
// modes print whole messages alone, so that their first word is their last.
func BenchmarkLaunch(b *testing.B) {
	table := figures.New("A CLI until the first word of the answer", "CLI", "pairs", "through Parley, median ms", "p99 ms",
		"of that: until the CLI runs, median ms", "bare, median ms", "p99 ms", "ratio", "more than bare, median ms")
	for _, l := range bareLaunches {
		b.Run(string(l.family), func(b *testing.B) {
			p := newLaunchPlace(b, l.family, l.cli.Path(b), l.args)
			if l.ready != nil {
				l.ready(b, p)
			}
			p.open(b)
			p.bare(b) // the first of a kind is not counted
			p.through(b)
			var word, process, alone, more figures.Sample
			for n := 0; b.Loop(); n++ {
				var bare, running, ours float64
				if n%2 == 0 {
					bare = p.bare(b)
					running, ours = p.through(b)
				} else {
					running, ours = p.through(b)
					bare = p.bare(b)
				}
				word, process, alone, more = append(word, ours), append(process, running), append(alone, bare), append(more, ours-bare)
			}
			table.Row(string(l.family), len(word), word.Median(), word.Quantile(0.99), process.Median(), alone.Median(), alone.Quantile(0.99),
				word.Over(alone).Median(), more.Median())
		})
	}
	table.Print(b)
}

// launchPlace is a home in which a family's CLI talks to a model of its own.
type launchPlace struct {
	adapter       agents.Adapter
	program       string
	args          []string
	home, project string
	env           []string
	local         agents.LocalModel
	client        *api.Client
	tape          *apptest.Tape
}

func newLaunchPlace(b *testing.B, family agents.Family, program string, args []string) *launchPlace {
	b.Helper()
	p := &launchPlace{program: program, args: args, home: b.TempDir()}
	all := registry.All(registry.Programs{})
	p.adapter = all[slices.IndexFunc(all, func(a agents.Adapter) bool { return a.Info().Family == family })]
	p.project = filepath.Join(p.home, "project")
	for _, dir := range []string{p.project, filepath.Join(p.home, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.Fatal(err)
		}
	}
	model, err := fakemodel.Start(fakemodel.Script{{Times: fakemodel.Always, Reply: fakemodel.Text(kindAnswer + ".")}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(model.Close)
	p.local = p.adapter.(agents.Local).AtModel(model.URL(), p.home)
	// Scripts bring their interpreter along.
	p.env = append([]string{"HOME=" + p.home, "SHELL=/bin/sh", "LANG=C.UTF-8", "PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH")}, p.local.Env...)
	for _, f := range p.local.Files {
		write(b, f.Path, string(f.Data))
	}
	return p
}

// open brings up a back end that knows this CLI alone.
func (p *launchPlace) open(b *testing.B) {
	b.Helper()
	dirs := apptest.Home(b)
	cfg := backend.Config(b, dirs)
	cfg.Log = nil
	cfg.Trial = &doctor.Trial{Adapter: p.adapter, Path: p.program, Env: p.env, Budget: func() time.Duration { return 0 }}
	back, err := core.Open(ctx, cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), apptest.Patience)
		defer cancel()
		if err := back.Close(ctx); err != nil {
			b.Error(err)
		}
	})
	p.client = api.Dial(dirs.Socket())
	p.tape = apptest.Follow(b, p.client)
}

// through starts a session and returns the times, in ms from the call, until the
// CLI runs and until the first word is here. The session is closed.
func (p *launchPlace) through(b *testing.B) (running, word float64) {
	b.Helper()
	began := time.Now()
	s, err := p.client.CreateSession(ctx, api.NewSession{
		Agent: string(p.adapter.Info().Family), Cwd: p.project, Prompt: kindPrompt, Model: p.local.Model,
	})
	if err != nil {
		b.Fatal(err)
	}
	until := func(what string, types ...app.EventType) app.Event {
		return p.tape.Wait(what, func(e app.Event) bool { return e.SessionID == s.ID && slices.Contains(types, e.Type) })
	}
	until("the agent", app.EventAgentStarted)
	running = float64(time.Since(began)) / 1e6
	until("the first word", app.EventMessageDelta, app.EventMessageCompleted, app.EventTurnCompleted)
	word = float64(time.Since(began)) / 1e6
	end, _ := apptest.Data[app.TurnEnded](until("the end of the turn", app.EventTurnCompleted))
	if end.Status != app.TurnCompleted {
		b.Fatalf("ended %+v %+v", end, end.Problem)
	}
	if _, err := p.client.Close(ctx, s.ID); err != nil {
		b.Fatal(err)
	}
	until("the agent's end", app.EventAgentExited)
	return running, word
}

// bare starts the CLI in its headless mode and returns the time until the first
// word, in ms.
func (p *launchPlace) bare(b *testing.B) float64 {
	b.Helper()
	ctx, cancel := context.WithTimeout(ctx, apptest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.program, append(slices.Clone(p.args), kindPrompt)...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = p.env, p.project, time.Second
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	var took float64
	var said strings.Builder
	for piece := make([]byte, 64<<10); ; {
		n, err := out.Read(piece)
		said.Write(piece[:n])
		if took == 0 && strings.Contains(said.String(), kindAnswer) {
			took = float64(time.Since(began)) / 1e6
		}
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil || took == 0 {
		b.Fatalf("the bare CLI: %v, first word after %v ms\n%s\n%s", err, took, said.String(), errs.String())
	}
	return took
}

// readyDSH gives DSH the profile for ACP that newer releases bring along, and has
// its headless mode, which does not start in this release as it is, watch its files.
func readyDSH(b *testing.B, p *launchPlace) {
	b.Helper()
	watch := filepath.Join(p.home, "watch.yml")
	write(b, watch, "- id: hmr\n  disabled: false\n")
	p.args = append(slices.Clone(p.args), "--patch", watch)
	profile := filepath.Join(p.home, ".dsh", "profiles", "acp")
	write(b, filepath.Join(profile, "package.json"), `{"private": true, "dsh": {"profile": {"bundles": ["@deepseek-ai/dsh-base"]}}}`)
	write(b, filepath.Join(profile, "cordis.patch.yml"),
		`[{insert: [{id: acp, name: "@deepseek-ai/dsh-acp", config: {provider: local, model: local-model}}]}]`)
	plugins := filepath.Join(profile, "node_modules", "@deepseek-ai")
	if err := os.MkdirAll(plugins, 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(filepath.Dir(p.program), "..", "@deepseek-ai", "dsh-acp"), filepath.Join(plugins, "dsh-acp")); err != nil {
		b.Fatal(err)
	}
}

func write(b *testing.B, path, text string) {
	b.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
}
