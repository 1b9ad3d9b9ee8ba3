package dsh

import (
	"path/filepath"
	"strings"

	"parley/agents"
	"parley/mcp/inject"
)

// localTree has DSH talk to nobody but the model.
const localTree = `- id: session-title-llm
  disabled: true
- id: llm-deepseek
  disabled: true
- id: web-search-deepseek
  disabled: true
- id: llm-pi-ai
  config:
    providers:
      local:
        apiKeyEnv: LOCAL_MODEL_KEY
        api: openai-completions
        baseURL: $URL/v1
        models: [{id: local-model, name: Local, contextWindow: 128000, maxTokens: 8000}]
- id: agent-default-model
  config: {provider: local, model: local-model}
`

// AtModel implements agents.Local.
func (adapter) AtModel(url, home string) agents.LocalModel {
	return agents.LocalModel{
		Env: []string{"DSH_TELEMETRY_MODE=DISABLED", "LOCAL_MODEL_KEY=" + agents.LocalKey},
		Files: []agents.File{{
			Path: filepath.Join(home, ".dsh", "cordis.patch.yml"), Data: []byte(strings.ReplaceAll(localTree, "$URL", url)),
		}},
		Tool: func(server, tool string) string { return "mcp__" + inject.DSHName(server) + "__" + tool },
		Command: func(command string) (string, map[string]any) {
			return "bash", map[string]any{
				"command": command, "description": "a step",
				"sandbox_permissions": "workspace-write", "justification": "It is needed.",
			}
		},
	}
}
