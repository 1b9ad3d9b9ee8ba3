package core_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
	"parley/build/figures"
)

// BenchmarkClaudeLaunch measures from the call that starts a session of the real
// Claude Code until the first word of the model is at a subscriber, in turns
// with the same CLI started bare, with the same arguments, environment and
// folder, until it prints that word. The model is a script on the loopback.
//
//	go test -run - -bench ClaudeLaunch -benchtime 12x ./app/core
//
// The bare CLI is given its message at once; Parley asks the CLI whether it is up
// and waits until its MCP server has listed its tools.
func BenchmarkClaudeLaunch(b *testing.B) {
	_, project := claudeHome(b, fakemodel.Step{Times: fakemodel.Always, Reply: fakemodel.Text("Good day.")})
	cfg := apptest.Home(b)
	back := backend.Open(b, cfg)
	tape := apptest.Follow(b, back.Client)
	bare := newBareCLI(b, launch(b, back.Client, tape, project).pid) // its session stays open, so that its files do
	bare.run(b)                                                      // the first of a kind is not counted
	table := figures.New("Claude Code until the first word of the answer", "what", "runs", "median ms", "p99 ms", "ratio")
	var process, word, alone figures.Sample
	for b.Loop() {
		l := launch(b, back.Client, tape, project)
		if _, err := back.Client.Close(ctx, l.session); err != nil {
			b.Fatal(err)
		}
		tape.Wait("the agent's end", func(e app.Event) bool { return e.SessionID == l.session && e.Type == app.EventAgentExited })
		process, word = append(process, l.process), append(word, l.word)
		alone = append(alone, bare.run(b))
	}
	table.Row("through Parley: call → first word at a subscriber", len(word), word.Median(), word.Quantile(0.99), word.Over(alone).Median())
	table.Row("of that: call → the CLI runs", len(process), process.Median(), process.Quantile(0.99), process.Over(alone).Median())
	table.Row("bare CLI: start → first word", len(alone), alone.Median(), alone.Quantile(0.99), 1.0)
	table.Print(b)
}

// launched is one start through Parley; times are in ms from the call.
type launched struct {
	session       app.SessionID
	pid           int
	process, word float64
}

func launch(b *testing.B, c *api.Client, tape *apptest.Tape, project string) launched {
	b.Helper()
	began := time.Now()
	s, err := c.CreateSession(ctx, api.NewSession{Agent: "claude", Cwd: project, Prompt: "Say good day"})
	if err != nil {
		b.Fatal(err)
	}
	of := func(t app.EventType) func(app.Event) bool {
		return func(e app.Event) bool { return e.SessionID == s.ID && e.Type == t }
	}
	l := launched{session: s.ID}
	started, _ := apptest.Data[app.AgentStarted](tape.Wait("the agent", of(app.EventAgentStarted)))
	l.pid, l.process = started.PID, float64(time.Since(began))/1e6
	tape.Wait("the first word", of(app.EventMessageDelta))
	l.word = float64(time.Since(began)) / 1e6
	end, _ := apptest.Data[app.TurnEnded](tape.Wait("the end of the turn", of(app.EventTurnCompleted)))
	if end.Status != app.TurnCompleted {
		b.Fatalf("ended %+v %+v", end, end.Problem)
	}
	return l
}

// bareCLI starts again what Parley started once.
type bareCLI struct {
	argv, env []string
	dir       string
}

func newBareCLI(b *testing.B, pid int) bareCLI {
	b.Helper()
	read := func(name string) []string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
		if err != nil {
			b.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	}
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		b.Fatal(err)
	}
	return bareCLI{read("cmdline"), read("environ"), dir}
}

// run returns the time until the first word, in ms.
func (c bareCLI) run(b *testing.B) float64 {
	b.Helper()
	ctx, cancel := context.WithTimeout(ctx, apptest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Env, cmd.Dir = c.env, c.dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := io.WriteString(in, `{"type":"user","message":{"role":"user","content":"Say good day"}}`+"\n"); err != nil {
		b.Fatal(err)
	}
	var took float64
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if took == 0 && strings.Contains(line, `"text_delta"`) {
			took = float64(time.Since(began)) / 1e6
		}
		if strings.Contains(line, `"type":"result"`) {
			_ = in.Close() // it ends by itself
		}
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil || took == 0 {
		b.Fatalf("the bare CLI: %v, first word after %v ms\n%s", err, took, errs.String())
	}
	return took
}
