package host

import (
	"slices"
	"strings"
)

// Environment is what an agent gets of the person's environment: all of it but
// our own variables, the marks by which agents recognize that they run inside
// an agent, what forces colour into output that a program reads, and what a
// packaging format or npm left behind. LANG gets a UTF-8 value when none is
// set, since a desktop starts programs without one.
func Environment(env []string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, value, ok := strings.Cut(kv, "=")
		return !ok || name == "" || foreign(name, value)
	})
	if lookup(out, "LC_ALL") == "" && lookup(out, "LC_CTYPE") == "" && lookup(out, "LANG") == "" {
		out = append(out, "LANG=C.UTF-8")
	}
	return append(set(out, "TERM", "dumb"), "NO_COLOR=1")
}

// foreign reports whether a variable must not reach an agent.
func foreign(name, value string) bool {
	if slices.Contains(foreignNames, name) {
		return true
	}
	for _, p := range foreignPrefixes {
		if strings.HasPrefix(name, p) && !slices.Contains(wanted, name) {
			return true
		}
	}
	// Options of a debugger or a preloaded script print into the agent's output
	// or wait for somebody; memory limits and the like are the person's own.
	return name == "NODE_OPTIONS" && (strings.Contains(value, "--inspect") || strings.Contains(value, "--require") || strings.Contains(value, "--import"))
}

var foreignPrefixes = []string{
	"PARLEY_", "CLAUDE_CODE_", "CODEX_", "OPENCODE", "GROK_SESSION", "PI_SESSION", "npm_", "APPIMAGE", "SNAP_", "FLATPAK_",
	"JSC_", "WEBKIT_", "GEMINI_CLI",
}

// wanted are variables of those families that a person sets on purpose, for the
// bare CLI as well.
var wanted = []string{
	"CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY",
	"CLAUDE_CODE_SKIP_BEDROCK_AUTH", "CLAUDE_CODE_SKIP_VERTEX_AUTH", "CLAUDE_CODE_API_KEY_HELPER_TTL_MS",
	"CLAUDE_CODE_MAX_OUTPUT_TOKENS", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "CLAUDE_CODE_TMPDIR", "CLAUDE_CODE_SHELL",
	"CLAUDE_CODE_GIT_BASH_PATH", "CLAUDE_CODE_EFFORT_LEVEL", "CLAUDE_CODE_SUBAGENT_MODEL", "CLAUDE_CODE_CLIENT_CERT",
	"CLAUDE_CODE_CLIENT_KEY", "CODEX_HOME", "CODEX_API_KEY", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "OPENCODE_API_KEY",
	"npm_config_registry", "npm_config_cafile",
}

var foreignNames = []string{
	"CLAUDECODE", "CLAUDE_PROJECT_DIR", "CLAUDE_AGENT_SDK_VERSION", "AI_AGENT", "OPENAI_CODEX", "GROK_AGENT", "PI_AGENT",
	"FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "COLORTERM", "NO_COLOR", "INIT_CWD", "APPDIR", "ARGV0", "OWD", "SNAP",
	"GTK_PATH", "GIO_MODULE_DIR", "GDK_BACKEND", "DESKTOP_STARTUP_ID", "GIO_LAUNCHED_DESKTOP_FILE",
}
