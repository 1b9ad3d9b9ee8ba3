package dsh_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/dsh"
	"parley/agents/fakemodel"
	"parley/build/clis"
	"parley/mcp"
)

// oldBridge is the profile that newer releases bring along: this one has only
// the bridge that was published beside it.
const oldBridge = `- insert:
    - id: acp
      name: '@deepseek-ai/dsh-acp'
      config: {provider: local, model: local-model}
`

// prepare makes a person's computer with the real CLI, and says how a session
// with it begins.
func prepare(t *testing.T, model *fakemodel.Server) (agents.Install, agents.SessionSpec) {
	t.Helper()
	path := clis.DSH.Path(t)
	home := live.Home(t)
	local := dsh.New("test").(agents.Local).AtModel(model.URL(), home)
	profile := filepath.Join(home, ".dsh", "profiles", "acp")
	for _, f := range append(local.Files,
		agents.File{Path: filepath.Join(profile, "package.json"), Data: []byte(`{"private": true, "dsh": {"profile": {"bundles": ["@deepseek-ai/dsh-base"]}}}`)},
		agents.File{Path: filepath.Join(profile, "cordis.patch.yml"), Data: []byte(oldBridge)},
		// What the person has set for all their conversations.
		agents.File{Path: filepath.Join(home, ".dsh", "settings.yaml"), Data: []byte("permissionPresets:\n  defaultPreset: danger-full-access\n")},
	) {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Where the CLI's own installer of plugins puts one.
	plugins := filepath.Join(profile, "node_modules", "@deepseek-ai")
	if err := os.MkdirAll(plugins, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(filepath.Dir(path), "..", "@deepseek-ai", "dsh-acp"), filepath.Join(plugins, "dsh-acp")); err != nil {
		t.Fatal(err)
	}
	return agents.Install{Family: agents.DSH, Path: path}, agents.SessionSpec{
		SessionID: "s1", Cwd: filepath.Join(home, "project"), Mode: agents.ModeAsk, Limits: mcp.DefaultLimits(), RunDir: filepath.Join(home, "run"),
		Env: append([]string{
			"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TMPDIR=" + filepath.Join(home, "tmp"),
		}, local.Env...),
		OwnServers: true, Root: os.Getuid() == 0,
	}
}

// command is a call of the shell that needs a permission.
func command(id, line string) fakemodel.Reply {
	return live.Call(id, "bash", map[string]any{"command": line, "description": "a step",
		"sandbox_permissions": "workspace-write", "justification": "It is needed."})
}

// A conversation with the real CLI: it says, asks for leave and heeds each end of
// that, is stopped, and goes on.
func TestConversation(t *testing.T) {
	script := []fakemodel.Step{
		live.Says("hello", fakemodel.Text("Good morning.")),
		live.Says("think long", fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "On and on", Until: make(chan struct{})})),
		live.Says("are you there", fakemodel.Text("I am.")),
		live.Says("write by yourself", live.Call("own", "bash", map[string]any{"command": "touch own", "description": "a step"})), live.Then("own", fakemodel.Text("It is not allowed.")),
	}
	ends := map[string]agents.Outcome{
		"allowed":   {Reason: "response", Action: "allow_once"},
		"denied":    {Reason: "response", Action: "deny"},
		"dismissed": {Reason: "dismissed"},
		"timed out": {Reason: "timeout"},
	}
	for name := range ends {
		id := strings.ReplaceAll(name, " ", "-")
		script = append(script, live.Says("make "+name, command(id, "touch "+id)), live.Then(id, fakemodel.Text("Then that.")))
	}
	model := live.Serve(t, script...)
	install, spec := prepare(t, model)
	k := live.Open(t, dsh.New("test"), install, spec, model)

	k.Prompt("hello")
	if said := agenttest.Said(k.Done()); said != "Good morning." {
		t.Errorf("said %q", said)
	}
	for name, outcome := range ends {
		id := strings.ReplaceAll(name, " ", "-")
		k.Prompt("make " + name)
		asked := k.Host.NextAsk()
		if asked.Kind != agents.AskApproval || asked.Approval == nil || len(asked.Approval.Scopes) != 1 {
			t.Fatalf("%s: asked %+v", name, asked.Interaction)
		}
		asked.Answer(outcome)
		k.Done()
		if there := k.There(id); there != (name == "allowed") {
			t.Errorf("%s: the file is there: %v; the model read %q", name, there, k.Told(id).Text)
		}
	}
	// Without asking nothing may be written, whatever the person's own default.
	k.Prompt("write by yourself")
	k.Done()
	if k.There("own") {
		t.Errorf("a command wrote unasked: %q", k.Told("own").Text)
	}
	k.Prompt("think long")
	if _, err := model.Await(t.Context(), len(model.Requests())); err != nil {
		t.Fatal(err)
	}
	k.Interrupt()
	if _, end := k.Ended(); end.Stop != agents.StopStopped {
		t.Errorf("ended %+v", end)
	}
	k.Prompt("are you there")
	if said := agenttest.Said(k.Done()); said != "I am." {
		t.Errorf("after the stop it said %q", said)
	}
}

// Each mode lets through, asks for and refuses what it says, on the real CLI.
func TestModesOnTheRealCLI(t *testing.T) {
	agenttest.Long(t)
	for _, tt := range []struct {
		mode  agents.Mode
		line  string
		raise bool // it asks for more than the sandbox lets through
		there bool // the file is made, and nobody was asked
	}{
		{agents.ModePlan, "touch made", true, false},
		{agents.ModeEdits, "touch made", false, true},
		{agents.ModeFull, "touch ../made && mv ../made made", false, true},
	} {
		t.Run(string(tt.mode), func(t *testing.T) {
			call := live.Call("c", "bash", map[string]any{"command": tt.line, "description": "a step"})
			if tt.raise {
				call = command("c", tt.line)
			}
			model := live.Serve(t, live.Says("make it", call), live.Then("c", fakemodel.Text("So it is.")))
			install, spec := prepare(t, model)
			spec.Mode = tt.mode
			k := live.Open(t, dsh.New("test"), install, spec, model)
			k.Prompt("make it")
			k.Done()
			if k.There("made") != tt.there {
				t.Errorf("the file is there: %v; the model read %q", !tt.there, k.Told("c").Text)
			}
		})
	}
}
