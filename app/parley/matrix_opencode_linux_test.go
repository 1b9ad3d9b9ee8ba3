package main

import (
	"os"
	"path/filepath"
	"strings"

	"parley/agents/fakemodel"
	"parley/build/clis"
	"parley/mcp/inject"
)

// openCodeFamily is OpenCode.
var openCodeFamily = family{
	covered: "the tests of agents/opencode", // each start of it costs several seconds of computing
	name:    "opencode", cli: clis.OpenCode, version: "1.18.33", program: "opencode",
	keys:    []string{"FAKE_KEY"},
	install: installOpenCode,
	own:     ownOpenCodeFiles,
	tool:    func(server, name string) string { return inject.OpenCodeName(server) + "_" + inject.OpenCodeName(name) },
	command: func(call, command string) fakemodel.Reply {
		return use(call, "bash", map[string]any{"command": command, "description": "It is needed."})
	},
	native: func(call, question string, labels ...string) fakemodel.Reply {
		var options []any
		for _, l := range labels {
			options = append(options, map[string]any{"label": l, "description": "about " + l})
		}
		return use(call, "question", map[string]any{"questions": []any{
			map[string]any{"question": question, "header": "Pick", "options": options}}})
	},
	delegate: func(call, task string) fakemodel.Reply {
		return use(call, "task", map[string]any{"description": "look", "prompt": task, "subagent_type": "general"})
	},
	kept:       "unavailable tool",
	impossible: map[string]string{"elicitation": "it offers MCP servers none"},
}

// installOpenCode gives a person OpenCode with a provider of their own.
func installOpenCode(h *claudeHome, program string) {
	h.t.Helper()
	link := filepath.Join(h.user, ".opencode", "bin", "opencode")
	err := os.MkdirAll(filepath.Dir(link), 0o700)
	if err == nil {
		err = os.Symlink(program, link)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.write(".config/opencode/opencode.json", strings.NewReplacer("$URL", h.model.URL(), "$MORE", "").Replace(openCodeConfig))
	h.env = append(h.env, "OPENCODE_DISABLE_MODELS_FETCH=1", "FAKE_KEY="+apiKey)
}

// Nothing but the model is talked to.
const openCodeConfig = `{
  "$schema": "https://opencode.ai/config.json",
  "model": "fake/m1", "small_model": "fake/m1", "autoupdate": false, "share": "disabled",$MORE
  "provider": { "fake": {
    "npm": "@ai-sdk/openai-compatible", "name": "Fake",
    "options": { "baseURL": "$URL/v1", "apiKey": "{env:FAKE_KEY}" },
    "models": { "m1": {
      "name": "M One", "reasoning": true, "tool_call": true, "attachment": true,
      "modalities": { "input": ["text", "image"], "output": ["text"] }, "limit": { "context": 100000, "output": 4000 } } } } }
}
`

func ownOpenCodeFiles(h *claudeHome) []string {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	server := `
  "mcp": { "own": { "type": "local", "command": ["` + self + `"], "environment": { "` + ownServerVar + `": "1", "OWN_SECRET": "` + serverSecret + `" } } },`
	var theirs []string
	for name, text := range map[string]string{
		h.user + "/.config/opencode/opencode.json":    strings.NewReplacer("$URL", h.model.URL(), "$MORE", server).Replace(openCodeConfig),
		h.user + "/.config/opencode/AGENTS.md":        "Always say please.\n",
		h.user + "/.config/opencode/command/greet.md": "Say hello.\n",
		h.work + "/AGENTS.md":                         "This is a project.\n",
		h.work + "/opencode.json":                     `{"$schema": "https://opencode.ai/config.json", "username": "me"}` + "\n",
	} {
		h.write(name, text)
		theirs = append(theirs, name)
	}
	return theirs
}
