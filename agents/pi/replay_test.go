package pi_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/agents/jsonl"
	"parley/agents/pi"
	"parley/agents/proc"
)

var (
	update = flag.Bool("update", false, "rewrite the expected events")
	record = flag.Bool("record", false, "record the conversations anew, with the real CLI")
)

// conversations are those that are recorded: what the model says, and what the
// person does.
var conversations = []struct {
	name   string
	script fakemodel.Script
	steps  []agenttest.Step
}{
	{"turns", fakemodel.Script{
		says("look", fakemodel.Reply{
			Usage: fakemodel.Usage{Input: 100, Output: 20, CacheRead: 7},
			Blocks: []fakemodel.Block{
				fakemodel.Thinking("thinking about it"), fakemodel.TextBlock("I look."), fakemodel.ToolUseOf("r1", "read", map[string]any{"path": "missing.txt"}),
			}}),
		then("r1", fakemodel.Text("Nothing there, 没有.")),
		says("again", fakemodel.Text("Here I am.")),
	}, []agenttest.Step{{Prompt: "look"}, {Prompt: "again"}}},

	{"permissions", fakemodel.Script{
		says("make", call("b1", "bash", map[string]any{"command": "echo made"})), then("b1", fakemodel.Text("Made.")),
		says("drop", call("b2", "bash", map[string]any{"command": "echo dropped"})), then("b2", fakemodel.Text("Left.")),
		says("wait", call("b3", "bash", map[string]any{"command": "echo late"})), then("b3", fakemodel.Text("Left, too.")),
	}, []agenttest.Step{
		{Prompt: "make", Answers: []agents.Outcome{live.Answered("allow_once")}},
		{Prompt: "drop", Answers: []agents.Outcome{live.Answered("deny")}},
		{Prompt: "wait", Answers: []agents.Outcome{{Reason: "timeout"}}},
	}},

	{"stop", fakemodel.Script{
		says("sleep", call("s1", "bash", map[string]any{"command": "echo on; sleep 600"})), says("again", fakemodel.Text("Here I am.")),
	}, []agenttest.Step{{Prompt: "sleep", Answers: []agents.Outcome{live.Answered("allow_once")}, Interrupt: true}, {Prompt: "again"}}},

	{"faults", fakemodel.Script{
		says("no key", fakemodel.Unauthorized()),
		{When: fakemodel.UserSays("too much"), Times: fakemodel.Always, Reply: fakemodel.Overloaded()},
		says("again", fakemodel.Text("Here I am.")),
	}, []agenttest.Step{{Prompt: "no key"}, {Prompt: "too much"}, {Prompt: "again"}}},
}

// TestRecorded plays conversations that were recorded from Pi 1.6.0 and compares
// what comes out, and what was sent, with the files beside each. Refresh those with
// -update, and the recordings with -record.
func TestRecorded(t *testing.T) {
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			file := "testdata/" + c.name + "-1.6.0"
			if *record {
				recordOne(t, file+".jsonl", c.script, c.steps)
			}
			conn, replay := agenttest.PlayFile(t, file+".jsonl")
			host := agenttest.NewHost(t)
			agent, err := pi.New().Open(t.Context(), conn, agents.SessionSpec{Cwd: "/scratch/project", Mode: agents.ModeAsk}, host)
			if err != nil {
				t.Fatal(err)
			}
			agenttest.Hold(t, agent, host, c.steps)
			<-conn.Done
			agenttest.CheckEvents(t, host.Events())
			agenttest.Golden(t, file+".events", host.Events(), *update || *record)
			agenttest.Golden(t, file+".sent", replay.Sent(), *update || *record)
		})
	}
}

// recorder writes down the lines that pass, as agenttest.PlayFile reads them.
type recorder struct {
	hide *strings.Replacer // folders of this computer, which are not written down

	mu   sync.Mutex // guards tape
	tape bytes.Buffer
}

func (r *recorder) note(way string, line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(&r.tape, "{%q:%s}\n", way, r.hide.Replace(string(line)))
}

// pass hands lines on from one end to the other, and notes each before.
func (r *recorder) pass(way string, from io.Reader, to io.WriteCloser) {
	defer to.Close()
	lines := jsonl.NewReader(from)
	for {
		line, err := lines.Next()
		if err != nil {
			return
		}
		r.note(way, line.Data)
		if _, err := fmt.Fprintf(to, "%s\n", line.Data); err != nil {
			return
		}
	}
}

// recordOne holds a conversation with the real CLI and writes it down.
func recordOne(t *testing.T, path string, script fakemodel.Script, steps []agenttest.Step) {
	t.Helper()
	w := wish{model: live.Serve(t, script...)}
	w.home = scratch(t, w)
	install, spec := prepare(t, w)
	plan, err := pi.New().Plan(install, spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range plan.Files {
		if err := os.WriteFile(f.Path, f.Data, os.FileMode(f.Mode)); err != nil {
			t.Fatal(err)
		}
	}
	program, err := proc.Start(proc.Spec{Argv: plan.Argv, Env: plan.Env, Dir: plan.Dir, Shim: live.Shim})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Stop(t.Context())
	cli, _, _ := strings.Cut(install.Path, "/node_modules/")
	r := &recorder{hide: strings.NewReplacer(
		w.home, "/scratch", strings.ReplaceAll(strings.TrimPrefix(w.home, "/"), "/", "-"), "scratch", // also in names of files
		cli, "/pi",
	)}
	fromUs, in := io.Pipe()
	out, toUs := io.Pipe()
	var passing sync.WaitGroup
	passing.Go(func() { r.pass("send", fromUs, program.Stdin()) })
	passing.Go(func() { r.pass("recv", program.Stdout(), toUs) })
	host := agenttest.NewHost(t)
	agent, err := pi.New().Open(t.Context(), agents.Conn{In: in, Out: out, Done: program.Done()}, spec, host)
	if err != nil {
		t.Fatal(err)
	}
	agenttest.Hold(t, agent, host, steps)
	program.Stop(t.Context())
	passing.Wait()
	if err := os.WriteFile(path, r.tape.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
