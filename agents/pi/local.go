package pi

import (
	"path/filepath"
	"strings"

	"parley/agents"
	"parley/mcp/inject"
)

// What has Pi talk to nobody but the model.
const (
	localModels = `{"providers": {"local": {"baseUrl": "$URL", "apiKey": "LOCAL_MODEL_KEY", "api": "anthropic-messages", "models": [
	{"id": "local-model", "name": "Local", "input": ["text", "image"], "contextWindow": 128000, "maxTokens": 8000}]}}}
`
	localSettings = `{"defaultProvider": "local", "defaultModel": "local-model"}
`
)

// AtModel implements agents.Local.
func (adapter) AtModel(url, home string) agents.LocalModel {
	file := func(name, text string) agents.File {
		return agents.File{Path: filepath.Join(home, ".pi", "agent", name), Data: []byte(text)}
	}
	return agents.LocalModel{
		Env: []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0", "LOCAL_MODEL_KEY=" + agents.LocalKey},
		Files: []agents.File{
			file("models.json", strings.ReplaceAll(localModels, "$URL", url)),
			file("settings.json", localSettings),
		},
		Tool: func(server, tool string) string { return "mcp__" + inject.CodexName(server) + "__" + tool },
		Command: func(command string) (string, map[string]any) {
			return "bash", map[string]any{"command": command}
		},
	}
}
