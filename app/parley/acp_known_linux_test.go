package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/build/clis"
)

// Known ACP agents on their real programs. They load tens of megabytes of script
// at each start, 20 s on a crowded computer and more, which is why these are
// tests that are asked for.

// qwen describes Qwen Code to the matrix's cells, with a provider of the person's
// own.
var qwen = family{
	name: "acp:qwen", cli: clis.Qwen, version: clis.Qwen.Version,
	keys: []string{"OPENAI_API_KEY"},
	install: func(h *claudeHome, program string) {
		h.link("qwen", program)
		h.link("node", filepath.Join(filepath.Dir(program), "node"))
		h.env = append(h.env, "OPENAI_API_KEY="+apiKey, "OPENAI_BASE_URL="+h.model.URL()+"/v1", "OPENAI_MODEL=fake-model")
	},
	tool: func(server, name string) string { return "mcp__" + server + "__" + name },
	asides: fakemodel.Script{
		{Times: fakemodel.Always, Reply: fakemodel.Text("Nothing."), When: fakemodel.UserSays("SUGGESTION MODE")},
		{Times: fakemodel.Always, Reply: fakemodel.Text("Nothing."), When: fakemodel.UserSays("Managed memory has")},
	},
	command: func(call, command string) fakemodel.Reply {
		return use(call, "run_shell_command", map[string]any{"command": command, "description": "a step", "is_background": false})
	},
}

// gemini describes Gemini CLI to the matrix's cells. With an address of one's own
// it takes any key, and no account.
var gemini = family{
	name: "acp:gemini", cli: clis.Gemini, version: clis.Gemini.Version,
	keys: []string{"GEMINI_API_KEY"},
	install: func(h *claudeHome, program string) {
		h.link("gemini", program)
		// In a folder that it was not told to trust it starts no MCP server.
		h.write(".gemini/trustedFolders.json", jsonText(h.t, map[string]any{h.work: "TRUST_FOLDER"}))
		h.env = append(h.env, "GEMINI_API_KEY="+apiKey, "GOOGLE_GEMINI_BASE_URL="+h.model.URL(), "GEMINI_MODEL=gemini-2.5-pro")
	},
	tool: func(server, name string) string { return "mcp_" + server + "_" + name },
	command: func(call, command string) fakemodel.Reply {
		return use(call, "run_shell_command", map[string]any{"command": command, "description": "a step"})
	},
}

// link puts a program of a CLI where a package manager would put it.
func (h *claudeHome) link(name, program string) {
	h.t.Helper()
	path := filepath.Join(h.user, ".local", "bin", name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.Symlink(program, path)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// Qwen Code asks, reads the answer, asks for leave to run a command, and is taken
// up again by another process.
func TestLongQwen(t *testing.T) {
	long(t)
	h := newAgent(t, qwen,
		qwen.onAsking("build it", "q1", "Which database?", "Postgres", "SQLite"), onResult("q1", fakemodel.Text("Then I take that.")),
		onSaying("make it", qwen.command("p1", "touch made")), onResult("p1", fakemodel.Text("Made.")),
		onSaying("remove it", qwen.command("p2", "rm made")), onResult("p2", fakemodel.Text("Left.")))
	r := qwen.begin(h, "", "build it")
	asked := h.letsAsk(r)
	h.run(exitDone, "answer", asked.ID, "--choose", "SQLite", "--text", "in one file")
	r.done()
	if got := h.reads("q1"); got.Reason != "response" || got.Response != "SQLite\nin one file" {
		t.Errorf("the model read %+v", got)
	}
	made := filepath.Join(h.work, "made")
	r = h.start("sessions", "resume", asked.SessionID, "make it", "--json")
	leave := r.asks(app.KindApproval)
	if leave.Approval == nil || leave.Approval.Command != "touch made" {
		t.Errorf("asked %+v", leave.Approval)
	}
	h.run(exitDone, "answer", leave.ID, "--allow", "once")
	r.done()
	if _, err := os.Stat(made); err != nil {
		t.Errorf("the command did not run: %v, told %q", err, h.told("p1").Text)
	}
	if r := h.asked("make it"); !strings.Contains(r.Everything(), "build it") {
		t.Error("the model no longer knows what was said")
	}
	r = h.start("sessions", "resume", asked.SessionID, "remove it", "--json")
	h.run(exitDone, "answer", r.asks(app.KindApproval).ID, "--deny")
	r.done()
	if _, err := os.Stat(made); err != nil {
		t.Error("a refused command ran")
	}
}

// Gemini CLI asks, reads the answer, is stopped in mid-question and goes on, and
// asks for leave to run a command.
func TestLongGemini(t *testing.T) {
	long(t)
	h := newAgent(t, gemini,
		gemini.onAsking("build it", "q1", "Which database?", "Postgres", "SQLite"), onResult("q1", fakemodel.Text("Then I take that.")),
		gemini.onAsking("ask one", "s1", "Which table?", "A", "B"), onResult("s1", fakemodel.Text("Withdrawn.")), // the call may end in the moment of the stop
		onSaying("make it", gemini.command("p1", "touch made")), onResult("p1", fakemodel.Text("Made.")))
	gemini.serves(h)
	r := gemini.begin(h, "", "build it")
	asked := h.letsAsk(r)
	h.run(exitDone, "answer", asked.ID, "--choose", "SQLite", "--text", "in one file")
	r.done()
	// It frames what a tool says as not to be trusted.
	if got := h.told("q1").Text; !strings.Contains(got, `"reason":"response","response":"SQLite\nin one file"`) {
		t.Errorf("the model read %q", got)
	}
	r = h.start("sessions", "resume", asked.SessionID, "ask one", "--json")
	stopped := h.letsAsk(r)
	if err := h.client().Stop(t.Context(), stopped.SessionID); err != nil {
		t.Fatal(err)
	}
	if end := r.turnEnded(); end.Status != app.TurnInterrupted {
		t.Errorf("ended %+v", end)
	}
	r.code()
	r = h.start("sessions", "resume", asked.SessionID, "make it", "--json")
	leave := r.asks(app.KindApproval)
	if leave.Approval == nil || leave.Approval.Title != "touch made" {
		t.Errorf("asked %+v", leave.Approval)
	}
	h.run(exitDone, "answer", leave.ID, "--allow", "once")
	r.done()
	if _, err := os.Stat(filepath.Join(h.work, "made")); err != nil {
		t.Errorf("the command did not run: %v, told %q", err, h.told("p1").Text)
	}
	if strings.Contains(r.out.String(), string(app.EventAgentStarted)) {
		t.Error("the agent was started anew after a stop")
	}
}

// letsAsk allows the agent to call our tool, which it asks leave for, and returns
// the question.
func (h *claudeHome) letsAsk(r *running) app.Interaction {
	h.t.Helper()
	h.run(exitDone, "answer", r.asks(app.KindApproval).ID, "--allow", "once")
	return r.asks(app.KindClarify)
}

// Whoever has the program and no account is told so, with the command that logs
// in.
func TestLongKnownAgentsWithoutAnAccount(t *testing.T) {
	long(t)
	for _, f := range []family{
		{name: "acp:gemini", cli: clis.Gemini, install: func(h *claudeHome, program string) { h.link("gemini", program) }},
		{name: "acp:qwen", cli: clis.Qwen, install: func(h *claudeHome, program string) {
			h.link("qwen", program)
			h.link("node", filepath.Join(filepath.Dir(program), "node"))
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			h := newAgent(t, f)
			r := h.start("run", "--agent", f.name, "--json", "hello")
			if code := r.code(); code != exitNoAgent {
				t.Errorf("exit code %d", code)
			}
			end := r.turnEnded()
			_, program, _ := strings.Cut(f.name, ":")
			if end.Status != app.TurnFailed || end.Problem == nil || end.Problem.Code != "not_logged_in" || end.Problem.Command != program {
				t.Errorf("ended %+v with %+v", end, end.Problem)
			}
		})
	}
}
