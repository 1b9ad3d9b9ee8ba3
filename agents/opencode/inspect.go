package opencode

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/agents"
)

var versionPattern = regexp.MustCompile(`^\d+\.\d+\.\d+\S*$`)

// Inspect implements agents.Adapter. It asks the program for its version and the
// models that it can use; neither a model nor the network is asked.
func (adapter) Inspect(ctx context.Context, run agents.Run, path string, env []string) agents.Install {
	install := agents.Install{Family: agents.OpenCode, Path: path, Login: agents.LoginUnknown}
	env = environment(env)
	// Even asked for its version the CLI makes its folders, and looking must not
	// leave traces.
	scratch, err := os.MkdirTemp("", "parley-opencode-")
	if err != nil {
		install.Problem = &agents.Problem{Code: "broken", Title: "There is no room for temporary files.", Advice: "Make some room.", Evidence: err.Error()}
		return install
	}
	defer os.RemoveAll(scratch)
	stdout, stderr, code, err := run(ctx, []string{path, "--version"}, within(env, scratch))
	if errors.Is(err, context.DeadlineExceeded) {
		return install // on a busy computer it takes its time, and no more is known
	}
	version := strings.TrimSpace(string(stdout))
	if err != nil || code != 0 || !versionPattern.MatchString(version) {
		install.Problem = &agents.Problem{
			Code: "broken", Title: path + " does not run as " + name + ".", Advice: "Install it again.",
			Command: adapter{}.Info().InstallCmd, Evidence: evidence(err, stdout, stderr),
		}
		return install
	}
	install.Version = version
	data := dataFolder(env)
	if data == "" {
		return install
	}
	if _, err := os.Stat(data); err != nil {
		return install // it was never started, and looking must not leave traces
	}
	if loggedIn(filepath.Join(data, "auth.json")) {
		install.Login = agents.LoginYes
	}
	install.Models = models(ctx, run, path, env)
	return install
}

// within is env with all folders of the CLI's below another.
func within(env []string, folder string) []string {
	out := slices.Clone(env)
	for _, key := range []string{"XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TMPDIR"} {
		out = append(out, key+"="+folder)
	}
	return out
}

func evidence(err error, outputs ...[]byte) string {
	var parts []string
	for _, o := range outputs {
		if text := strings.TrimSpace(string(o)); text != "" {
			parts = append(parts, agents.LastLines(text))
		}
	}
	if err != nil {
		parts = append(parts, err.Error())
	}
	return strings.Join(parts, "\n")
}

// dataFolder is where the CLI keeps what is this person's, "" when it cannot be
// told.
func dataFolder(env []string) string {
	if data := getenv(env, "XDG_DATA_HOME"); data != "" {
		return filepath.Join(data, "opencode")
	}
	if home := getenv(env, "HOME"); home != "" {
		return filepath.Join(home, ".local", "share", "opencode")
	}
	return ""
}

// loggedIn reports whether the CLI has credentials for some provider. Without
// any it may still have a key in the environment or in its configuration, or use
// models that need none, so then it cannot be told.
func loggedIn(file string) bool {
	data, err := os.ReadFile(file)
	var providers map[string]json.RawMessage
	return err == nil && json.Unmarshal(data, &providers) == nil && len(providers) > 0
}

var modelPattern = regexp.MustCompile(`^[a-zA-Z0-9._@-]+/\S+$`)

// models are those that the CLI itself lists, nil when it does not tell.
func models(ctx context.Context, run agents.Run, path string, env []string) []agents.ModelInfo {
	stdout, _, code, err := run(ctx, []string{path, "models"}, append(slices.Clone(env), "OPENCODE_DISABLE_MODELS_FETCH=1"))
	if err != nil || code != 0 {
		return nil
	}
	var out []agents.ModelInfo
	for line := range strings.Lines(string(stdout)) {
		if id := strings.TrimSpace(line); modelPattern.MatchString(id) {
			out = append(out, agents.ModelInfo{ID: id, Name: id})
		}
	}
	return out
}
