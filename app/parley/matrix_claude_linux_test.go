package main

import (
	"os"
	"path/filepath"

	"parley/agents/fakemodel"
	"parley/build/clis"
)

// claudeFamily is Claude Code.
var claudeFamily = family{
	covered: "the tests TestClaude…",
	name:    "claude", cli: clis.Claude, version: "2.1.332", program: "claude",
	keys: []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"},
	install: func(h *claudeHome, program string) {
		h.install(program)
		tmp := filepath.Join(h.user, "tmp")
		if err := os.MkdirAll(tmp, 0o700); err != nil {
			h.t.Fatal(err)
		}
		h.env = append(h.env, "CLAUDE_CODE_TMPDIR="+tmp, "CLAUDE_CODE_MAX_RETRIES=1",
			"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			"ANTHROPIC_BASE_URL="+h.model.URL(), "ANTHROPIC_API_KEY="+apiKey)
	},
	own:  func(h *claudeHome) []string { return h.settle() },
	tool: func(server, name string) string { return "mcp__" + server + "__" + name },
	command: func(call, command string) fakemodel.Reply {
		return use(call, "Bash", map[string]any{"command": command})
	},
	native: func(call, question string, labels ...string) fakemodel.Reply {
		return use(call, "AskUserQuestion", map[string]any{"questions": []any{native(question, labels...)}})
	},
	delegate: func(call, task string) fakemodel.Reply {
		return use(call, "Agent", map[string]any{"description": "look", "prompt": task, "subagent_type": "general-purpose", "run_in_background": false})
	},
}
