package main

import (
	"os"
	"path/filepath"
	"strings"

	"parley/agents/fakemodel"
	"parley/build/clis"
	"parley/mcp/inject"
)

// piFamily is Pi with MCP of its own.
var piFamily = family{
	covered: "the tests of agents/pi",
	name:    "pi", cli: clis.Pi, version: "1.6.0", program: "pi",
	keys:    []string{"FAKE_KEY"},
	install: installPi,
	own:     ownPiFiles,
	tool:    func(server, name string) string { return "mcp__" + inject.CodexName(server) + "__" + name },
	command: func(call, command string) fakemodel.Reply {
		return use(call, "bash", map[string]any{"command": command})
	},
	// Pi has no question tool; an extension of the person's brings one.
	native: func(call, question string, labels ...string) fakemodel.Reply {
		return use(call, "ask_person", map[string]any{"question": question, "options": labels})
	},
	// Elsewhere a tool of an extension needs permission first.
	more: map[string][]string{"native question": {"--mode", "full"}},
	impossible: map[string]string{
		"elicitation": "it offers MCP servers none",
		"sub-agent":   "it has none",

		"form of a sub-agent": "it has none",
	},
}

// installPi gives a person Pi, the Node.js that it asks for, and a provider of
// their own.
func installPi(h *claudeHome, program string) {
	h.t.Helper()
	bin := filepath.Join(h.user, ".local", "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		h.t.Fatal(err)
	}
	for name, target := range map[string]string{"pi": program, "node": filepath.Join(filepath.Dir(program), "node")} {
		if err := os.Symlink(target, filepath.Join(bin, name)); err != nil {
			h.t.Fatal(err)
		}
	}
	h.write(".pi/agent/models.json", strings.ReplaceAll(piModels, "$URL", h.model.URL()))
	h.write(".pi/agent/settings.json", piSettings)
	h.write(".pi/agent/extensions/ask.ts", piQuestion)
	// Nothing but the model is talked to.
	h.env = append(h.env, "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0", "FAKE_KEY="+apiKey)
}

const piModels = `{"providers": {"fake": {"baseUrl": "$URL", "apiKey": "FAKE_KEY", "api": "anthropic-messages", "models": [
	{"id": "fake-model", "name": "Fake", "reasoning": true, "input": ["text", "image"], "contextWindow": 128000, "maxTokens": 8000}]}}}
`

const piSettings = `{"defaultProvider": "fake", "defaultModel": "fake-model"}
`

// piQuestion is an extension as a person writes one: a tool that asks over Pi's
// own dialog.
const piQuestion = `export default (pi) => pi.registerTool({
	name: "ask_person", label: "Ask", description: "Ask the person.",
	parameters: { type: "object", required: ["question", "options"], properties: {
		question: { type: "string" }, options: { type: "array", items: { type: "string" } } } },
	async execute(_id, { question, options }, _signal, _update, ctx) {
		const said = await ctx.ui.select(question, options);
		return { content: [{ type: "text", text: said === undefined ? "nothing was chosen" : "chosen: " + said }], details: {} };
	},
});
`

func ownPiFiles(h *claudeHome) []string {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	var theirs []string
	for name, text := range map[string]string{
		h.user + "/.pi/agent/mcp.json": `{ "mcpServers": { "own": { "command": "` + self + `", "exposure": "direct",
	"env": { "` + ownServerVar + `": "1", "OWN_SECRET": "` + serverSecret + `" } } } }` + "\n",
		h.user + "/.pi/agent/models.json":       strings.ReplaceAll(piModels, "$URL", h.model.URL()),
		h.user + "/.pi/agent/settings.json":     piSettings,
		h.user + "/.pi/agent/AGENTS.md":         "Always say please.\n",
		h.user + "/.pi/agent/prompts/greet.md":  "Say hello.\n",
		h.user + "/.pi/agent/trust.json":        "{}\n",
		h.user + "/.pi/agent/extensions/ask.ts": piQuestion,
		h.work + "/AGENTS.md":                   "This is a project.\n",
		h.work + "/.pi/settings.json":           `{"defaultThinkingLevel": "low"}` + "\n",
	} {
		h.write(name, text)
		theirs = append(theirs, name)
	}
	return theirs
}
