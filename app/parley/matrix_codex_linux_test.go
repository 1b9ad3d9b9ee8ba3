package main

import (
	"os"
	"path/filepath"
	"strings"

	"parley/agents/fakemodel"
	"parley/build/clis"
	"parley/mcp/inject"
)

// codexFamily is Codex. Of its models, newer ones get all tools but ours inside
// of a script, which a scripted model does not write; so the cells use one that
// gets plain functions, and a newer one where only that has sub-agents.
var codexFamily = family{
	covered: "the tests of agents/codex",
	name:    "codex", cli: clis.Codex, version: "0.171.0", program: "codex",
	keys:    []string{"FAKE_KEY"},
	install: installCodex,
	own:     ownCodexFiles,
	tool:    func(server, name string) string { return "mcp__" + inject.CodexName(server) + "__" + name },
	command: func(call, command string) fakemodel.Reply {
		return use(call, "exec_command", map[string]any{"cmd": command, "sandbox_permissions": "require_escalated", "justification": "It is needed."})
	},
	native: func(call, question string, labels ...string) fakemodel.Reply {
		var options []any
		for _, l := range labels {
			options = append(options, map[string]any{"label": l, "description": "about " + l})
		}
		return use(call, "request_user_input", map[string]any{"questions": []any{
			map[string]any{"id": "q", "header": "Pick", "question": question, "options": options}}})
	},
	delegate: func(call, task string) fakemodel.Reply {
		return use(call, "collaboration__spawn_agent", map[string]any{"task_name": "kid", "message": task, "fork_turns": "none"})
	},
	waits: func(call string) fakemodel.Reply {
		return use(call, "collaboration__wait_agent", map[string]any{"timeout_ms": 60_000})
	},
	more: map[string][]string{
		"native question": {"--mode", "plan"},           // elsewhere it has no such tool
		"elicitation":     {"--model", "another-model"}, // others search for the tools of the person's servers

		"servers of the override file": {"--model", "another-model"},
		"sub-agent":                    {"--model", "gpt-6.2-sol"},
		// Opened in a mode that may write, it would note in its configuration that
		// it trusts the folder.
		"person's files unchanged": {"--mode", "edits"},
	},
}

// installCodex gives a person Codex with a provider of their own.
func installCodex(h *claudeHome, program string) {
	h.t.Helper()
	link := filepath.Join(h.user, ".local", "bin", "codex")
	err := os.MkdirAll(filepath.Dir(link), 0o700)
	if err == nil {
		err = os.Symlink(program, link)
	}
	// Its own folder must not lie below the temporary one: it would lay no helpers
	// there, and its sandbox would not work.
	tmp := filepath.Join(h.user, "tmp")
	if err == nil {
		err = os.MkdirAll(tmp, 0o700)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.write(".codex/config.toml", strings.ReplaceAll(codexConfig, "$URL", h.model.URL()))
	h.env = append(h.env, "TMPDIR="+tmp, "FAKE_KEY="+apiKey)
}

// Nothing but the model is talked to.
const codexConfig = `# mine
model = "gpt-5.5"
model_provider = "fake"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false

[model_providers.fake]
name = "fake"
base_url = "$URL/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
`

func ownCodexFiles(h *claudeHome) []string {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	config := strings.ReplaceAll(codexConfig, "$URL", h.model.URL()) + `
[mcp_servers.own] # the one I wrote
command = "` + self + `"
startup_timeout_sec = 60
env = { ` + ownServerVar + ` = "1", OWN_SECRET = "` + serverSecret + `" }
`
	var theirs []string
	for name, text := range map[string]string{
		h.user + "/.codex/config.toml":         config,
		h.user + "/.codex/AGENTS.md":           "Always say please.\n",
		h.user + "/.codex/prompts/greet.md":    "Say hello.\n",
		h.user + "/.codex/rules/default.rules": "",
		h.work + "/AGENTS.md":                  "This is a project.\n",
		h.work + "/.codex/config.toml":         "model_reasoning_effort = \"low\"\n",
	} {
		h.write(name, text)
		theirs = append(theirs, name)
	}
	return theirs
}
