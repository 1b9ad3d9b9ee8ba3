package codex

import (
	"path/filepath"
	"strings"

	"parley/agents"
	"parley/mcp/inject"
)

// localConfig has Codex talk to nobody but the model. Of its models, newer ones
// get all tools but ours inside of a script; this one gets plain functions.
const localConfig = `model = "gpt-5.5"
model_provider = "local"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false

[model_providers.local]
name = "local"
base_url = "$URL/v1"
wire_api = "responses"
env_key = "LOCAL_MODEL_KEY"
request_max_retries = 0
stream_max_retries = 0
`

// AtModel implements agents.Local. The temporary folder is another than the
// system's: the CLI lays no helpers for its sandbox into a folder of its own
// that lies below the temporary one.
func (adapter) AtModel(url, home string) agents.LocalModel {
	return agents.LocalModel{
		Env: []string{"TMPDIR=" + filepath.Join(home, "tmp"), "LOCAL_MODEL_KEY=" + agents.LocalKey},
		Files: []agents.File{{
			Path: filepath.Join(home, ".codex", "config.toml"), Data: []byte(strings.ReplaceAll(localConfig, "$URL", url)),
		}},
		Tool: func(server, tool string) string { return "mcp__" + inject.CodexName(server) + "__" + tool },
		Command: func(command string) (string, map[string]any) {
			return "exec_command", map[string]any{
				"cmd": command, "sandbox_permissions": "require_escalated", "justification": "It is needed.",
			}
		},
	}
}
