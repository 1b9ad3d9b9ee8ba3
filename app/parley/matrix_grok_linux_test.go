package main

import (
	"os"
	"path/filepath"

	"parley/agents"
	"parley/agents/fakemodel"
	"parley/agents/grok"
	"parley/build/clis"
)

// grokFamily is Grok. It shows no MCP tool to its model, which calls them all by
// one tool of the CLI's.
var grokFamily = family{
	covered: "the tests of agents/grok",
	name:    "grok", cli: clis.Grok, version: "1.0.41", program: "grok",
	keys:    []string{grokKey},
	install: installGrok,
	own:     ownGrokFiles,
	tool:    func(server, name string) string { return server + "__" + name },
	call: func(call, tool string, input map[string]any) fakemodel.Reply {
		return use(call, "use_tool", map[string]any{"tool_name": tool, "tool_input": input})
	},
	asides: fakemodel.Script{
		{Times: fakemodel.Always, Reply: use("title", "session_title", map[string]any{"title": "A title"}),
			When: func(r fakemodel.Request) bool { _, asked := r.Tool("session_title"); return asked }},
		{Times: fakemodel.Always, Reply: fakemodel.Text("A title"), When: fakemodel.UserSays("Generate a session title")},
		{Times: fakemodel.Always, Reply: fakemodel.Text("A line."), When: fakemodel.UserSays("ultra-short dashboard line")},
	},
	command: func(call, command string) fakemodel.Reply {
		return use(call, "run_terminal_command", map[string]any{"command": command, "description": "a step"})
	},
	native: func(call, question string, labels ...string) fakemodel.Reply {
		var options []any
		for _, l := range labels {
			options = append(options, map[string]any{"label": l, "description": "about " + l})
		}
		return use(call, "ask_user_question", map[string]any{"questions": []any{
			map[string]any{"question": question, "options": options}}})
	},
	delegate: func(call, task string) fakemodel.Reply {
		return use(call, "spawn_subagent", map[string]any{"description": "look", "prompt": task, "subagent_type": "general-purpose", "run_in_background": false})
	},
	make: "cp /dev/null made",                                  // touch is nothing that it asks for
	more: map[string][]string{"sub-agent": {"--mode", "full"}}, // elsewhere it asks before it starts one
	impossible: map[string]string{
		"image": "the CLI takes no pictures over ACP",
		"fork":  "the CLI offers it to nobody over ACP",
	},
}

// installGrok gives a person Grok, installed by its own installer, with a
// provider of their own.
func installGrok(h *claudeHome, program string) {
	h.t.Helper()
	link := filepath.Join(h.user, ".grok", "bin", "grok")
	err := os.MkdirAll(filepath.Dir(link), 0o700)
	if err == nil {
		err = os.Symlink(program, link)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	local := grokLocal(h)
	h.write(local.Files[0].Path, string(local.Files[0].Data))
	h.env = append(h.env, grokKey+"="+apiKey)
}

// grokKey is the variable of the key in the CLI's configuration for the model.
const grokKey = "LOCAL_MODEL_KEY"

// grokLocal has Grok talk to nobody but the model of h.
func grokLocal(h *claudeHome) agents.LocalModel {
	return grok.New("test").(agents.Local).AtModel(h.model.URL(), h.user)
}

func ownGrokFiles(h *claudeHome) []string {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	config := "# mine\n" + string(grokLocal(h).Files[0].Data) + `
[mcp_servers.own] # the one I wrote
command = "` + self + `"
env = { ` + ownServerVar + ` = "1", OWN_SECRET = "` + serverSecret + `" }
`
	var theirs []string
	for name, text := range map[string]string{
		h.user + "/.grok/config.toml": config,
		h.user + "/.grok/AGENTS.md":   "Always say please.\n",
		h.work + "/AGENTS.md":         "This is a project.\n",
		h.work + "/.grok/config.toml": "[permission]\ndeny = [\"Bash(shutdown *)\"]\n",
	} {
		h.write(name, text)
		theirs = append(theirs, name)
	}
	return theirs
}
