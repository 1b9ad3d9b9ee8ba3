package codex

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"parley/agents"
)

var versionPattern = regexp.MustCompile(`(?m)^codex-cli (\d+\.\d+\.\d+\S*)`)

// Inspect implements agents.Adapter. It asks the program for its version, what
// it can do and its login state; no model is asked.
func (adapter) Inspect(ctx context.Context, run agents.Run, path string, env []string) agents.Install {
	install := agents.Install{Family: agents.Codex, Path: path, Login: agents.LoginUnknown}
	env = environment(env)
	stdout, stderr, code, err := run(ctx, []string{path, "--version"}, env)
	found := versionPattern.FindSubmatch(stdout)
	if err != nil || code != 0 || found == nil {
		install.Problem = &agents.Problem{
			Code: "broken", Title: path + " does not run as Codex.", Advice: "Install it again.",
			Command: adapter{}.Info().InstallCmd, Evidence: evidence(err, stdout, stderr),
		}
		return install
	}
	install.Version = string(found[1])
	install.Login = login(ctx, run, path, env)
	return install
}

func evidence(err error, outputs ...[]byte) string {
	var parts []string
	for _, o := range outputs {
		if text := strings.TrimSpace(string(o)); text != "" {
			parts = append(parts, lastLines(text))
		}
	}
	if err != nil {
		parts = append(parts, err.Error())
	}
	return strings.Join(parts, "\n")
}

// login says whether the program is logged in.
func login(ctx context.Context, run agents.Run, path string, env []string) agents.Login {
	home := getenv(env, "CODEX_HOME")
	if home == "" {
		if home = getenv(env, "HOME"); home == "" {
			return agents.LoginUnknown
		}
		home = filepath.Join(home, ".codex")
	}
	// A program that was never started would make its folder when it is asked,
	// and looking must not leave traces.
	if _, err := os.Stat(home); errors.Is(err, fs.ErrNotExist) {
		return agents.LoginNo
	}
	if ownProvider(home) {
		return agents.LoginUnknown // it has a key of its own, or needs none
	}
	stdout, stderr, code, err := run(ctx, []string{path, "login", "status"}, env)
	text := string(stdout) + string(stderr)
	switch {
	case err != nil:
		return agents.LoginUnknown
	case strings.Contains(text, "Not logged in"):
		return agents.LoginNo
	case code == 0 && strings.Contains(text, "Logged in"):
		return agents.LoginYes
	default:
		return agents.LoginUnknown
	}
}

var providerPattern = regexp.MustCompile(`(?m)^\s*(?:model_provider\s*=|oss_provider\s*=|profile\s*=)`)

// ownProvider reports whether the person's configuration names a provider, for
// which an account with OpenAI may not be needed.
func ownProvider(home string) bool {
	config, err := os.ReadFile(filepath.Join(home, "config.toml"))
	return err == nil && providerPattern.Match(config)
}
