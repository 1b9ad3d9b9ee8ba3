package claude

import (
	"path/filepath"
	"slices"

	"parley/agents"
)

// AtModel implements agents.Local.
func (adapter) AtModel(url, home string) agents.LocalModel {
	tmp := filepath.Join(home, "tmp")
	return agents.LocalModel{
		Env: slices.Concat(quiet, []string{
			"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=" + agents.LocalKey,
			"CLAUDE_CODE_TMPDIR=" + tmp, "TMPDIR=" + tmp, "CLAUDE_CODE_MAX_RETRIES=1",
		}),
		Tool: func(server, tool string) string { return "mcp__" + server + "__" + tool },
		Command: func(command string) (string, map[string]any) {
			return "Bash", map[string]any{"command": command}
		},
	}
}
