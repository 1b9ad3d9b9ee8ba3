package host

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Environment is what an agent gets of an environment, be it the login shell's
// or a caller's: the last value of each variable, without
//
//   - our own variables and the marks by which agents recognize that they run
//     inside an agent (what a person sets on purpose for those agents stays),
//   - what forces colour into output that a program reads, or makes Node print
//     into it,
//   - what belongs to the program that started us and not to the person: npm's,
//     systemd's, a Git hook's, an editor's, a packaging format's,
//   - the working folder, which is another for each agent.
//
// NO_COLOR and TERM=dumb are set, and LANG when nothing says what characters
// are, since a desktop starts programs without one.
func Environment(env []string) []string {
	out := Own(env)
	if lookup(out, "LC_ALL") == "" && lookup(out, "LC_CTYPE") == "" && lookup(out, "LANG") == "" {
		out = set(out, "LANG", utf8Locale())
	}
	return set(set(out, "TERM", "dumb"), "NO_COLOR", "1")
}

// Own is what Environment keeps of an environment, without what it sets: what a
// caller has to add to an agent's environment.
func Own(env []string) []string {
	return slices.DeleteFunc(personal(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(shellNames, name) || slices.Contains(terminalNames, name)
	})
}

// utf8Locale is a locale that the system always has.
func utf8Locale() string {
	if runtime.GOOS == "darwin" {
		return "en_US.UTF-8"
	}
	return "C.UTF-8"
}

// personal is an environment without what is not the person's own.
func personal(env []string) []string {
	env = unpackaged(lastOfEach(env))
	out := make([]string, 0, len(env))
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if foreign(name) {
			continue
		}
		if name == "NODE_OPTIONS" {
			if value = quiet(value); value == "" {
				continue
			}
		}
		out = append(out, name+"="+value)
	}
	return out
}

// foreign reports whether a variable is not the person's own.
func foreign(name string) bool {
	if slices.Contains(foreignNames, name) {
		return true
	}
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	return slices.ContainsFunc(foreignPrefixes, begins) && !slices.ContainsFunc(settings, begins)
}

// foreignPrefixes begin the names of variables that come from us, from an agent
// that we run inside of, or from what started us.
var foreignPrefixes = []string{
	"PARLEY_",
	"CLAUDE_CODE_", "CLAUDE_PLUGIN_", "CLAUDE_AGENT_", "CODEX_", "OPENCODE", "GROK_SESSION", "PI_SESSION", "GEMINI_CLI",
	"npm_", "APPIMAGE", "SNAP_", "FLATPAK_", "JSC_", "WEBKIT_", "NODE_CHANNEL_",
}

// settings begin the names of variables that a person sets on purpose, for the
// bare CLI as well, though an agent's marks begin like them.
var settings = []string{
	"CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_", "CLAUDE_CODE_SKIP_", "CLAUDE_CODE_CLIENT_", "CLAUDE_CODE_API_KEY_HELPER_",
	"CLAUDE_CODE_MAX_", "CLAUDE_CODE_MCP_", "CLAUDE_CODE_DISABLE_", "CLAUDE_CODE_ENABLE_", "CLAUDE_CODE_TMPDIR",
	"CLAUDE_CODE_SHELL", "CLAUDE_CODE_GIT_BASH_PATH", "CLAUDE_CODE_EFFORT_LEVEL", "CLAUDE_CODE_SUBAGENT_MODEL",
	"CLAUDE_CODE_OTEL_", "CLAUDE_CODE_PROXY_", "CLAUDE_CODE_EXTRA_",
	"CODEX_HOME", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "CODEX_CA_CERTIFICATE",
	"OPENCODE_CONFIG", "OPENCODE_API_KEY", "OPENCODE_DISABLE_", "OPENCODE_PERMISSION", "OPENCODE_MODELS_URL",
	"npm_config_registry", "npm_config_cafile", "npm_config_prefix",
}

var foreignNames = []string{
	"CLAUDECODE", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "AI_AGENT", "AGENT", "OPENAI_CODEX", "GROK_AGENT", "PI_AGENT",
	"PI_CODING_AGENT", "GOOSE_TERMINAL", "CURSOR_AGENT", "CURSOR_TRACE_ID", "INIT_CWD",
	// An editor's terminal: agents connect to the editor that they think they
	// are in.
	"TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERMINAL_EMULATOR", "VSCODE_INSPECTOR_OPTIONS", "ELECTRON_RUN_AS_NODE",
	// Node would talk to a parent that is not there, or write what a test
	// collects.
	"NODE_UNIQUE_ID", "NODE_TEST_CONTEXT", "NODE_V8_COVERAGE", "NODE_DEBUG",
	"APPDIR", "ARGV0", "OWD", "SNAP",
	// How a desktop or systemd started us.
	"GDK_BACKEND", "DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN", "GIO_LAUNCHED_DESKTOP_FILE", "GIO_LAUNCHED_DESKTOP_FILE_PID",
	"NOTIFY_SOCKET", "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
	"WATCHDOG_PID", "WATCHDOG_USEC",
	// A Git hook or alias names its own repository; an agent's git would work on
	// that.
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_EXEC_PATH",
}

// shellNames belong to one shell.
var shellNames = []string{"PWD", "OLDPWD", "SHLVL", "_"}

// terminalNames say what the terminal can show; an agent's output goes to none.
var terminalNames = []string{"FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "COLORTERM", "TERM", "NO_COLOR"}

// unpackaged takes a packaging format's folder out of lists such as PATH and
// LD_LIBRARY_PATH. Programs of the person would load the package's libraries.
func unpackaged(env []string) []string {
	var roots []string
	for _, name := range []string{"APPDIR", "SNAP"} {
		if root := lookup(env, name); filepath.IsAbs(root) && root != "/" {
			roots = append(roots, filepath.Clean(root))
		}
	}
	if len(roots) == 0 {
		return env
	}
	inside := func(path string) bool {
		return slices.ContainsFunc(roots, func(root string) bool {
			return path == root || strings.HasPrefix(path, root+string(filepath.Separator))
		})
	}
	var out []string
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		parts := strings.Split(value, string(filepath.ListSeparator))
		if kept := slices.DeleteFunc(slices.Clone(parts), inside); len(kept) < len(parts) {
			if strings.Join(kept, "") == "" {
				continue
			}
			kv = name + "=" + strings.Join(kept, string(filepath.ListSeparator))
		}
		out = append(out, kv)
	}
	return out
}

// lastOfEach keeps the last value of each variable, in the order of the first,
// and leaves out what is none.
func lastOfEach(env []string) []string {
	place := make(map[string]int, len(env))
	out := make([]string, 0, len(env))
	for _, kv := range env {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			continue
		}
		if i, seen := place[name]; seen {
			out[i] = kv
			continue
		}
		place[name] = len(out)
		out = append(out, kv)
	}
	return out
}

// lookup returns the last value of a variable, "" when it is not set.
func lookup(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// set returns env with a variable set, in its old place if it has one.
func set(env []string, name, value string) []string {
	return lastOfEach(append(slices.Clone(env), name+"="+value))
}
