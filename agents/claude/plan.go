package claude

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/agents"
	"parley/mcp"
	"parley/mcp/inject"
)

// modes maps permission modes to the CLI's own.
var modes = map[agents.Mode]string{
	agents.ModePlan:  "plan",
	agents.ModeAsk:   "default", // "manual" in newer versions, which still know the old name
	agents.ModeEdits: "acceptEdits",
	agents.ModeFull:  "bypassPermissions",
}

// Plan implements agents.Adapter.
func (adapter) Plan(install agents.Install, spec agents.SessionSpec) (agents.Launch, error) {
	mode, ok := modes[cmp.Or(spec.Mode, agents.ModeAsk)]
	if !ok {
		return agents.Launch{}, refused("refused_mode", fmt.Sprintf("%s has no permission mode %q.", name, spec.Mode), "Choose another mode.")
	}
	if spec.Mode == agents.ModeFull && spec.Root && getenv(spec.Env, "IS_SANDBOX") != "1" {
		return agents.Launch{}, refused("refused_mode", name+" refuses full access when it runs as root.",
			"Choose the mode that lets file edits through, or run Parley as an ordinary user.")
	}
	launch := agents.Launch{
		Env:     install.Environ(environment(spec.Env)),
		Dir:     spec.Cwd,
		Connect: agents.ConnectStdio,
		Masked:  spec.Secrets(),
	}
	launch.Argv = append(append([]string{install.Path}, install.Args...),
		"-p", "--input-format", "stream-json", "--output-format", "stream-json",
		"--verbose",                  // stream-json output wants it
		"--include-partial-messages", // text as it is written
		"--permission-prompt-tool", "stdio",
	)
	if len(spec.Catalog) > 0 {
		config, err := inject.Claude(spec.Catalog)
		if err != nil {
			return agents.Launch{}, fmt.Errorf("plan MCP servers: %w", err)
		}
		file := agents.File{Path: filepath.Join(spec.RunDir, "claude-mcp.json"), Data: config, Mode: 0o600}
		launch.Files = append(launch.Files, file)
		launch.Argv = append(launch.Argv, "--mcp-config", file.Path)
	}
	if !spec.OwnServers {
		launch.Argv = append(launch.Argv, "--strict-mcp-config")
	}
	if allow := inject.ClaudeAllow(managed(spec.Catalog)); len(allow) > 0 {
		launch.Argv = append(launch.Argv, "--allowedTools", strings.Join(allow, ","))
	}
	// From here on every value is bound to its flag: lists before would swallow
	// a word, and what a person typed may begin with a dash.
	if spec.Model != "" {
		launch.Argv = append(launch.Argv, "--model="+spec.Model)
	}
	if spec.Effort != "" {
		launch.Argv = append(launch.Argv, "--effort="+spec.Effort)
	}
	if spec.NativeID != "" {
		launch.Argv = append(launch.Argv, "--resume="+spec.NativeID)
	}
	if spec.Fork {
		launch.Argv = append(launch.Argv, "--fork-session")
	}
	launch.Argv = append(launch.Argv, "--permission-mode="+mode)
	return launch, nil
}

func refused(code, title, advice string) *agents.PlanError {
	return &agents.PlanError{Problem: agents.Problem{Code: code, Title: title, Advice: advice}}
}

func managed(servers mcp.Catalog) mcp.Catalog {
	return slices.DeleteFunc(slices.Clone(servers), func(s mcp.Spec) bool { return !s.Managed })
}

// markers are variables that the CLI sets for what it starts. A Parley that was
// started from within an agent must not hand them on: the CLI would think that
// it is nested.
var markers = []string{
	"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR",
}

// environment is env without markers and with what a waiting tool call needs.
func environment(env []string) []string {
	out := make([]string, 0, len(env)+2)
	for _, kv := range env {
		key, _, _ := strings.Cut(kv, "=")
		if key != backgroundVar && !slices.Contains(markers, key) {
			out = append(out, kv)
		}
	}
	if getenv(env, startVar) == "" {
		out = append(out, startVar+"=30000")
	}
	return append(out, backgroundVar+"=0")
}

const (
	// backgroundVar is the time after which an MCP call goes on in the
	// background, its answer then reaching the model as a side note; 0 is never.
	backgroundVar = "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS"
	// startVar is how long the first turn waits for MCP servers, in ms.
	startVar = "MCP_TIMEOUT"
)

// getenv returns the last value of a variable, "" when it is not set.
func getenv(env []string, key string) string {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, key+"="); ok {
			return value
		}
	}
	return ""
}
