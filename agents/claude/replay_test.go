package claude_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/jsonl"
)

var update = flag.Bool("update", false, "write what the transcripts give now as what they should give")

// puppet is a CLI whose lines a test writes.
type puppet struct {
	t     *testing.T
	host  *agenttest.Host
	agent agents.Agent
	out   io.Writer
	sent  chan json.RawMessage // what the adapter wrote, the greeting left out
}

// line is what tells lines apart, of both directions.
type line struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	RequestID string `json:"request_id"`
	Request   struct {
		Subtype string `json:"subtype"`
	} `json:"request"`
	Origin struct {
		Kind string `json:"kind"`
	} `json:"origin"`
}

// openPuppet opens a conversation with a puppet, which answers the greeting.
func openPuppet(t *testing.T, spec ...agents.SessionSpec) *puppet {
	t.Helper()
	return openPuppetFor(t, agenttest.NewHost(t), spec...)
}

// openPuppetFor is openPuppet for a host of the caller's.
func openPuppetFor(t *testing.T, host *agenttest.Host, spec ...agents.SessionSpec) *puppet {
	t.Helper()
	fromUs, in := io.Pipe()
	out, toUs := io.Pipe()
	p := &puppet{t: t, host: host, out: toUs, sent: make(chan json.RawMessage, 100)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer toUs.Close()
		lines := jsonl.NewReader(fromUs)
		for first := true; ; first = false {
			l, err := lines.Next()
			if err != nil {
				close(p.sent)
				return
			}
			if !first {
				p.sent <- l.Data
				continue
			}
			var hello line
			if err := json.Unmarshal(l.Data, &hello); err != nil || hello.Request.Subtype != "initialize" {
				t.Errorf("the greeting is %s", l.Data)
			}
			p.say(`{"type":"control_response","response":{"subtype":"success","request_id":"` + hello.RequestID + `","response":{"claude_code_version":"9.9.9","current_permission_mode":"default"}}}`)
		}
	}()
	var err error
	opened := agents.SessionSpec{}
	if len(spec) > 0 {
		opened = spec[0]
	}
	opened.Cwd = "/home/ada/project"
	p.agent, err = newAdapter().Open(t.Context(), agents.Conn{In: in, Out: out, Done: done}, opened, p.host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.agent.Close(t.Context())
		<-done
	})
	return p
}

func (p *puppet) say(text string) {
	if _, err := io.WriteString(p.out, text+"\n"); err != nil {
		p.t.Errorf("say %.80s: %v", text, err)
	}
}

// prompt begins a turn and takes its line.
func (p *puppet) prompt(text string) json.RawMessage {
	p.t.Helper()
	if err := p.agent.Prompt(p.t.Context(), agents.Turn{Text: text}); err != nil {
		p.t.Fatal(err)
	}
	return p.next()
}

// next is the next line that the adapter wrote.
func (p *puppet) next() json.RawMessage {
	p.t.Helper()
	select {
	case l := <-p.sent:
		return l
	case <-time.After(agenttest.Limit):
		p.t.Fatal("nothing was written")
		return nil
	}
}

// sync returns once every line so far has been handled: the adapter answers the
// hook of a call that no sub-agent makes at once, in the order of the lines.
func (p *puppet) sync() {
	p.t.Helper()
	p.say(`{"type":"control_request","request_id":"sync","request":{"subtype":"hook_callback","input":{}}}`)
	if l := p.next(); !strings.Contains(string(l), `"sync"`) {
		p.t.Fatalf("written out of turn: %s", l)
	}
}

// TestTranscripts plays recorded output of the real CLI and compares what the
// host hears with what is stored beside it.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			got := playFile(t, file)
			golden := strings.TrimSuffix(file, ".jsonl") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// playFile plays a transcript: it prompts where the recording begins a
// requested turn, allows what is asked, and returns all that was heard, asked
// and answered, one a line. The fates of messages are left out: they name ids
// of the recording.
func playFile(t *testing.T, file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var raw []string
	var lines []line
	for text := range bytes.Lines(data) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatal(err)
		}
		if l.Type == "command_lifecycle" || l.Type == "control_response" {
			continue
		}
		raw, lines = append(raw, strings.TrimSpace(string(text))), append(lines, l)
	}
	p := openPuppet(t)
	extra := map[int][]string{} // after so many events: what was asked and answered
	inTurn, from := false, 0
	for i, l := range lines {
		if !inTurn && requested(lines[i:]) {
			from = len(p.host.Events())
			p.prompt("hello")
			inTurn = true
		}
		p.say(raw[i])
		var notes []string
		switch {
		case l.Type == "control_request" && l.Request.Subtype == "hook_callback":
			notes = []string{"answer " + string(p.next())}
		case l.Type == "control_request":
			ask := p.host.NextAsk()
			ask.Answer(allow(ask.Interaction))
			notes = []string{"ask " + marshal(t, ask.Interaction), "answer " + string(p.next())}
		}
		p.sync()
		at := len(p.host.Events())
		extra[at] = append(extra[at], notes...)
		if l.Type == "result" && inTurn && l.Origin.Kind == "" {
			checkTurn(t, file, p.host.EndOfTurn(from))
			inTurn = false
		}
	}
	if err := p.agent.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	events := p.host.Events()
	for i := 0; i <= len(events); i++ {
		for _, e := range extra[i] {
			b.WriteString(e + "\n")
		}
		if i < len(events) {
			b.WriteString(reflect.TypeOf(events[i]).Name() + " " + marshal(t, events[i]) + "\n")
		}
	}
	return b.String()
}

// checkTurn checks what holds for every turn, but for the calls of
// sub-agents that go on in the background.
func checkTurn(t *testing.T, file string, events []agents.Event) {
	if !strings.Contains(file, "background") {
		agenttest.CheckEvents(t, events)
	}
}

// requested reports whether the turn that these lines begin was requested.
func requested(lines []line) bool {
	for _, l := range lines {
		switch {
		case l.Type == "system" && (l.Subtype == "task_notification" || l.Subtype == "task_updated" || l.Subtype == "background_tasks_changed"),
			l.Type == "assistant", l.Type == "user", l.Type == "control_request":
			return false // background work of the turn before
		case l.Type == "result":
			return l.Origin.Kind == ""
		case l.Type == "system" && l.Subtype == "init":
			for _, l := range lines {
				if l.Type == "result" {
					return l.Origin.Kind == ""
				}
			}
		}
	}
	return false
}

// allow says yes to everything.
func allow(in agents.Interaction) agents.Outcome {
	o := agents.Outcome{Reason: "response", Action: "allow_once", Answers: map[string][]string{}}
	if in.Kind == agents.AskElicitation {
		o.Action = "accept"
	}
	for _, f := range in.Fields {
		if len(f.Options) > 0 {
			o.Answers[f.ID] = []string{f.Options[len(f.Options)-1].Label}
		}
	}
	return o
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// end ends the CLI's output.
func (p *puppet) end() { _ = p.out.(io.Closer).Close() }
