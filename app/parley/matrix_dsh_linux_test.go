package main

import (
	"os"
	"path/filepath"

	"parley/agents"
	"parley/agents/dsh"
	"parley/agents/fakemodel"
	"parley/build/clis"
)

// dshFamily is DSH, in the newest release whose packages can all be had. Its
// bridge to ACP, which came before the one in newer releases, speaks of nothing
// but text and takes up no conversation again.
var dshFamily = family{
	covered: "the tests of agents/dsh",
	name:    "dsh", cli: clis.DSH, version: "0.1.0-rc.8", program: "MainThread", // as Node.js calls itself
	keys:    []string{dshKey},
	install: installDSH,
	own:     ownDSHFiles,
	tool:    func(server, name string) string { return "mcp__" + server + "__" + name },
	command: func(call, command string) fakemodel.Reply {
		return use(call, "bash", map[string]any{"command": command, "description": "a step",
			"sandbox_permissions": "workspace-write", "justification": "It is needed."})
	},
	blind: true, ungated: true, forgets: true,
	impossible: map[string]string{
		"resume":          noResume,
		"fork":            "its bridge copies no conversation",
		"native question": "it offers its question tool in its own page alone",
		"elicitation":     "it offers MCP servers none",
		"image":           "its bridge takes none",
		"sub-agent":       "nothing tells our server who calls",

		"forms": noResume, "form closed": noResume, "form over kill -9 and days": noResume, "two forms in one message": noResume,
		"form of a sub-agent": "nothing tells our server who calls",
	},
}

const noResume = "its bridge takes up no conversation again"

// installDSH gives a person DSH, the Node.js that it asks for, a provider of
// their own, and the profile that newer releases bring along.
func installDSH(h *claudeHome, program string) {
	h.t.Helper()
	bin := filepath.Join(h.user, ".local", "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		h.t.Fatal(err)
	}
	for name, target := range map[string]string{"dsh": program, "node": filepath.Join(filepath.Dir(program), "node")} {
		if err := os.Symlink(target, filepath.Join(bin, name)); err != nil {
			h.t.Fatal(err)
		}
	}
	plugins := filepath.Join(h.user, ".dsh", "profiles", "acp", "node_modules", "@deepseek-ai")
	if err := os.MkdirAll(plugins, 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(filepath.Dir(program), "..", "@deepseek-ai", "dsh-acp"), filepath.Join(plugins, "dsh-acp")); err != nil {
		h.t.Fatal(err)
	}
	h.write(".dsh/profiles/acp/package.json", dshProfile)
	h.write(".dsh/profiles/acp/cordis.patch.yml", dshBridge)
	local := dshLocal(h)
	h.write(local.Files[0].Path, string(local.Files[0].Data))
	h.env = append(h.env, dshKey+"="+apiKey)
}

// dshKey is the variable of the key in the CLI's tree for the model.
const dshKey = "LOCAL_MODEL_KEY"

const dshProfile = `{"name": "profile-acp", "private": true, "dsh": {"profile": {"bundles": ["@deepseek-ai/dsh-base"]}}}
`

// dshBridge is the bridge's row, which newer releases bring along.
const dshBridge = `- insert:
    - id: acp
      name: '@deepseek-ai/dsh-acp'
      config: {provider: local, model: local-model}
`

// dshLocal has DSH talk to nobody but the model of h.
func dshLocal(h *claudeHome) agents.LocalModel {
	return dsh.New("test").(agents.Local).AtModel(h.model.URL(), h.user)
}

func ownDSHFiles(h *claudeHome) []string {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	tree := string(dshLocal(h).Files[0].Data) + `- insert:
    - id: own # the one I wrote
      name: '@deepseek-ai/dsh-mcp-client'
      config: {serverName: own, transport: stdio, command: '` + self + `', env: {` + ownServerVar + `: '1', OWN_SECRET: '` + serverSecret + `'}}
`
	var theirs []string
	for name, text := range map[string]string{
		h.user + "/.dsh/cordis.patch.yml":              tree,
		h.user + "/.dsh/profiles/acp/cordis.patch.yml": dshBridge,
		h.user + "/.dsh/profiles/acp/package.json":     dshProfile,
		h.user + "/.dsh/AGENTS.md":                     "Always say please.\n",
		h.user + "/.dsh/settings.yaml":                 "permissionPresets:\n  defaultPreset: danger-full-access\n",
		h.work + "/AGENTS.md":                          "This is a project.\n",
	} {
		h.write(name, text)
		theirs = append(theirs, name)
	}
	return theirs
}
