package opencode_test

import (
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/agents/opencode"
	"parley/mcp"
)

// What each mode asks for and refuses, for the agent and for its sub-agents.
func TestModes(t *testing.T) {
	agenttest.Long(t)
	for mode, want := range map[agents.Mode]struct {
		asksEdit, edits, asksRun bool
	}{
		agents.ModePlan:  {false, false, true},
		agents.ModeEdits: {false, true, true},
		agents.ModeFull:  {false, true, false},
	} {
		t.Run(string(mode), func(t *testing.T) {
			write := func(id, file string) fakemodel.Reply {
				return call(id, "write", map[string]any{"filePath": file, "content": "new\n"})
			}
			l := launch(t, wish{mode: mode},
				says("write", write("w", "b.txt")), then("w", fakemodel.Text("So much for that.")),
				says("run", call("r", "bash", map[string]any{"command": "touch made", "description": "x"})), then("r", fakemodel.Text("So much for that.")),
				says("delegate", call("d", "task", map[string]any{"description": "look", "prompt": "SUBWORK", "subagent_type": map[bool]string{true: "general", false: "explore"}[mode != agents.ModePlan]})),
				says("SUBWORK", write("k", "kid.txt")), then("k", fakemodel.Text("Small work done.")), then("d", fakemodel.Text("All done.")),
			)
			l.Prompt("write")
			if l.Done(); l.There("b.txt") != want.edits || l.Host.Asks() > 0 != want.asksEdit {
				t.Errorf("b.txt is there: %v; asked %d; told %q", l.There("b.txt"), l.Host.Asks(), l.Told("w").Text)
			}
			l.Prompt("run")
			if want.asksRun {
				l.Host.NextAsk().Answer(live.Answered("deny"))
			}
			if l.Done(); l.There("made") == want.asksRun {
				t.Errorf("made is there: %v; told %q", l.There("made"), l.Told("r").Text)
			}
			before := l.Host.Asks()
			l.Prompt("delegate")
			if l.Done(); l.There("kid.txt") != want.edits || l.Host.Asks() != before {
				t.Errorf("kid.txt is there: %v; asked %d; told %q", l.There("kid.txt"), l.Host.Asks()-before, l.Told("k").Text)
			}
		})
	}
}

// A conversation is taken up by another process, with its servers, and in
// another mode, which then holds; one that there is not is said to be lost.
func TestResume(t *testing.T) {
	agenttest.Long(t)
	model := live.Serve(t, says("remember a plum", fakemodel.Reply{Usage: fakemodel.Usage{Input: 9, Output: 4}, Blocks: []fakemodel.Block{fakemodel.TextBlock("I do.")}}),
		says("make it", call("m", "bash", map[string]any{"command": "touch made", "description": "x"})), then("m", fakemodel.Text("Made.")),
		says("what was it", call("q", "parley-interaction_parley_clarify", map[string]any{})), then("q", fakemodel.Text("A plum.")),
		says("unmake it", call("u", "bash", map[string]any{"command": "rm made", "description": "x"})), then("u", fakemodel.Text("Left.")))
	w := wish{model: model, mode: agents.ModeFull, catalog: mcp.Catalog{live.Ours(t)}}
	w.home = scratch(t, w)
	before := launch(t, w)
	before.Prompt("remember a plum")
	first := before.Done()
	used := *first[len(first)-1].(agents.Ended).Usage.Output
	before.Prompt("make it")
	if before.Done(); !before.There("made") || before.Host.Asks() != 0 {
		t.Errorf("with full access: %q", before.Told("m").Text)
	}
	before.Stop()

	w.native, w.mode = before.Native(), agents.ModeAsk
	after := launch(t, w)
	after.Prompt("what was it")
	events := after.Done()
	if got := agenttest.Said(after.Host.Events()); got != "A plum." || after.Native() != w.native {
		t.Errorf("said %q as %s, was %s", got, after.Native(), w.native)
	}
	live.WantIn(t, "told", after.Told("q").Text, "BLUE-42")
	if r := model.Requests()[3]; !strings.Contains(r.Everything(), "remember a plum") {
		t.Error("the model no longer knows what was said")
	}
	if now := *events[len(events)-1].(agents.Ended).Usage.Output; used != 4 || now != 4 {
		t.Errorf("used %d, after the resume %d; the last turns used none", used, now)
	}
	after.Prompt("unmake it")
	after.Host.NextAsk().Answer(live.Answered("deny"))
	if after.Done(); !after.There("made") {
		t.Error("what was full access before is asked for no more")
	}
	after.Stop()

	w.native = "ses_dd1c6361effevRKSWqDu30IiIp"
	install, spec := prepare(t, w)
	if p := live.Refused(t, opencode.New(), install, spec); p.Code != "session_lost" {
		t.Errorf("a conversation that there is not: %+v", p)
	}
}

// A message into the turn, pictures, effort, commands of the person's and of the
// CLI, and faults of the provider, each in its own words.
func TestMessagesAndFaults(t *testing.T) {
	agenttest.Long(t)
	w := wish{model: live.Serve(t)}
	w.home = scratch(t, w)
	greet := filepath.Join(w.home, ".config", "opencode", "command", "greet.md")
	if err := os.MkdirAll(filepath.Dir(greet), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(greet, []byte("Greet $ARGUMENTS warmly.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.model.Add(
		says("begin", fakemodel.Blocks(fakemodel.TextBlock("I begin."), fakemodel.ToolUseOf("t", "bash", map[string]any{"command": "touch made", "description": "x"}))),
		says("and a plum", fakemodel.Text("A plum, too.")),
		says("what is it", fakemodel.Text("A dot.")),
		says("Greet the moon warmly", fakemodel.Text("Hello, moon.")),
		fakemodel.Step{When: func(r fakemodel.Request) bool { return strings.Contains(r.Everything(), "conversation so far") }, Reply: fakemodel.Text("They talked.")},
		says("no key", fakemodel.Unauthorized()),
		says("too long", fakemodel.Fail(fakemodel.Fault{Status: 404, Type: "model_not_found", Message: "The model does not exist."})),
		fakemodel.Step{When: fakemodel.UserSays("too much"), Times: fakemodel.Always, Reply: fakemodel.RateLimited(90*time.Second, time.Time{})},
		says("still there", fakemodel.Text("Yes.")),
	)
	l := launch(t, w)

	l.Prompt("begin")
	asked := l.Host.NextAsk()
	if err := l.Agent.Steer(t.Context(), agents.Turn{ID: "s", Text: "and a plum"}); err != nil {
		t.Fatal(err)
	}
	asked.Answer(live.Answered("deny"))
	if got := agenttest.Said(l.Done()); got != "I begin.A plum, too." {
		t.Errorf("said %q", got)
	}
	if err := l.Agent.Steer(t.Context(), agents.Turn{ID: "s", Text: "too late"}); err == nil {
		t.Error("a message into no turn was taken")
	}

	dot, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	picture := l.Write("dot.png", string(dot))
	l.Prompt("what is it", agents.Attachment{Name: "dot.png", Mime: "image/png", Path: picture}, agents.Attachment{Name: "n.txt", Mime: "text/plain", Path: l.Write("n.txt", "x")})
	l.Done()
	requests := l.Model.Requests()
	last := requests[len(requests)-1]
	seen := false
	for _, p := range last.Messages[len(last.Messages)-1].Parts {
		seen = seen || p.Type == "image"
	}
	if !seen || !strings.Contains(last.LastUserText(), "Attached file: "+l.Path("n.txt")) {
		t.Errorf("the picture or the file did not reach the model: %+v", last.Messages[len(last.Messages)-1])
	}

	l.Prompt("/greet the moon")
	if got := agenttest.Said(l.Done()); got != "Hello, moon." {
		t.Errorf("said %q", got)
	}
	l.Prompt("/compact")
	events := l.Done()
	if got := codes(events); got != "compacting compacted" || agenttest.Said(events) != "" {
		t.Errorf("summing up: notices %q, said %q", got, agenttest.Said(events))
	}

	for _, tt := range []struct{ prompt, code string }{{"no key", "auth_failed"}, {"too long", "model_not_found"}} {
		l.Prompt(tt.prompt)
		if _, end := l.Ended(); end.Stop != agents.StopFailed || end.Problem == nil || end.Problem.Code != tt.code || end.Problem.Advice == "" {
			t.Errorf("%s: ended %+v %+v", tt.prompt, end, end.Problem)
		}
	}

	l.Prompt("too much")
	l.Host.Until("notice of a retry", func(all []agents.Event) bool { return codes(all[l.Turns:]) != "" })
	l.Interrupt()
	events, end := l.Ended()
	notice, _ := agenttest.Find[agents.Notice](events)
	if end.Stop != agents.StopStopped || notice.Code != "api_retry" || !regexp.MustCompile(`limit is reached\. Trying again at \d\d:\d\d`).MatchString(notice.Text) {
		t.Errorf("ended %+v, noticed %+v", end, notice)
	}
	l.Prompt("still there")
	if got := agenttest.Said(l.Done()); got != "Yes." {
		t.Errorf("said %q", got)
	}
}

func codes(events []agents.Event) string {
	var all []string
	for _, n := range agenttest.All[agents.Notice](events) {
		all = append(all, n.Code)
	}
	return strings.Join(all, " ")
}

// The person's own servers stay, unless they are to be left out; what is in
// their environment reaches them and no process's arguments, and nobody without
// the password reaches the CLI.
func TestServers(t *testing.T) {
	agenttest.Long(t)
	for _, strict := range []bool{false, true} {
		t.Run(map[bool]string{false: "kept", true: "left out"}[strict], func(t *testing.T) {
			own := live.Server(t, "own")
			environment := map[string]any{}
			for key, value := range own.Env {
				environment[key] = value
			}
			theirs := live.Server(t, "written.once")
			l := launch(t, wish{
				strict: strict, mode: agents.ModeFull, catalog: mcp.Catalog{live.Ours(t), theirs},
				config: map[string]any{"mcp": map[string]any{"own": map[string]any{"type": "local", "command": []string{own.Command}, "environment": environment}}},
			}, says("say it", call("e", "own_echo", map[string]any{})), then("e", fakemodel.Text("Said.")),
				says("once more", call("w", "written_once_echo", map[string]any{})), then("w", fakemodel.Text("Said.")))
			states := map[string]string{}
			l.Host.Until("servers", func(all []agents.Event) bool {
				for _, s := range agenttest.All[agents.Started](all) {
					for _, server := range s.Servers {
						states[server.Name] = server.State
					}
				}
				return len(states) == 3
			})
			l.Prompt("say it")
			l.Done()
			told := l.Told("e").Text
			if strict && (states["own"] != "disabled" || strings.Contains(told, "echoed")) || !strict && (states["own"] != "connected" || told != "echoed") {
				t.Errorf("own is %s, told %q", states["own"], told)
			}
			l.Prompt("once more")
			if l.Done(); l.Told("w").Text != "echoed" {
				t.Errorf("the server that was written once: %+v", l.Told("w"))
			}
		})
	}
}

var address = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// A stranger on this computer is not let in.
func TestNobodyElseIsServed(t *testing.T) {
	agenttest.Long(t)
	w := wish{model: live.Serve(t)}
	w.home = scratch(t, w)
	install, spec := prepare(t, w)
	plan, err := opencode.New().Plan(install, spec)
	if err != nil {
		t.Fatal(err)
	}
	child := agenttest.StartChild(t, plan)
	buffer := make([]byte, 4096)
	printed := ""
	for !address.MatchString(printed) {
		n, err := child.Conn.Out.Read(buffer)
		if err != nil {
			t.Fatalf("%v after %q\n%s", err, printed, child.Tail())
		}
		printed += string(buffer[:n])
	}
	for _, path := range []string{"/session", "/event", "/config", "/doc"} {
		resp, err := http.Get("http://" + address.FindString(printed) + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a password: status %d", path, resp.StatusCode)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
