package grok

import (
	"path/filepath"
	"strings"

	"parley/agents"
	"parley/mcp/inject"
)

// localConfig has Grok talk to nobody but the model. The last part is the CLI's
// own note of its first start.
const localConfig = `[cli]
auto_update = false

[models]
default = "local"

[model.local]
model = "local-model"
name = "Local"
base_url = "$URL/v1"
env_key = "LOCAL_MODEL_KEY"
api_backend = "responses"
context_window = 200000
max_completion_tokens = 8000

[marketplace]
default_skills_installs_purged = true
`

// AtModel implements agents.Local. The CLI shows no MCP tool to its model, which
// calls them all by one tool of the CLI's.
func (adapter) AtModel(url, home string) agents.LocalModel {
	return agents.LocalModel{
		Env: []string{"LOCAL_MODEL_KEY=" + agents.LocalKey},
		Files: []agents.File{{
			Path: filepath.Join(home, ".grok", "config.toml"), Data: []byte(strings.ReplaceAll(localConfig, "$URL", url)),
		}},
		Tool: inject.GrokTool,
		Through: func(tool string, input map[string]any) (string, map[string]any) {
			return "use_tool", map[string]any{"tool_name": tool, "tool_input": input}
		},
		Command: func(command string) (string, map[string]any) {
			return "run_terminal_command", map[string]any{"command": command, "description": "Run it"}
		},
	}
}
