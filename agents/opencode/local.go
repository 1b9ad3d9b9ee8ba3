package opencode

import (
	"path/filepath"
	"strings"

	"parley/agents"
	"parley/mcp/inject"
)

// localConfig has OpenCode talk to nobody but the model.
const localConfig = `{
  "$schema": "https://opencode.ai/config.json",
  "model": "local/model",
  "small_model": "local/model",
  "autoupdate": false,
  "share": "disabled",
  "enabled_providers": ["local"],
  "provider": {
    "local": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Local",
      "options": {"baseURL": "$URL/v1", "apiKey": "{env:LOCAL_MODEL_KEY}"},
      "models": {
        "model": {
          "name": "Local model", "reasoning": true, "tool_call": true, "attachment": true,
          "modalities": {"input": ["text", "image"], "output": ["text"]},
          "limit": {"context": 100000, "output": 4000}
        }
      }
    }
  }
}
`

// AtModel implements agents.Local. The CLI would otherwise fetch a list of all
// models there are.
func (adapter) AtModel(url, home string) agents.LocalModel {
	return agents.LocalModel{
		Env: []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "LOCAL_MODEL_KEY=" + agents.LocalKey},
		Files: []agents.File{{
			Path: filepath.Join(home, ".config", "opencode", "opencode.json"), Data: []byte(strings.ReplaceAll(localConfig, "$URL", url)),
		}},
		Tool: func(server, tool string) string {
			return inject.OpenCodeName(server) + "_" + inject.OpenCodeName(tool)
		},
		Command: func(command string) (string, map[string]any) {
			return bashTool, map[string]any{"command": command, "description": "Run it"}
		},
	}
}
