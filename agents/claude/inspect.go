package claude

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/semver"

	"parley/agents"
)

// quiet keeps a probe off the network.
var quiet = []string{
	"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
}

var versionPattern = regexp.MustCompile(`(?m)^(\d+\.\d+\.\d+\S*) \(Claude Code\)`)

// leastMajor is the oldest generation that may be tried. The ones before speak
// another protocol.
const leastMajor = "v2.0.0"

// Inspect implements agents.Adapter. It asks the program for its version and
// its login state; no model is asked and nothing leaves this computer.
func (adapter) Inspect(ctx context.Context, run agents.Run, path string, env []string) agents.Install {
	install := agents.Install{Family: agents.Claude, Path: path, Login: agents.LoginUnknown}
	env = append(environment(env), quiet...)
	stdout, stderr, code, err := run(ctx, []string{path, "--version"}, env)
	found := versionPattern.FindSubmatch(stdout)
	if err != nil || code != 0 || found == nil {
		install.Problem = &agents.Problem{
			Code: "broken", Title: path + " does not run as Claude Code.", Advice: "Install it again.",
			Command: adapter{}.Info().InstallCmd, Evidence: evidence(err, stdout, stderr),
		}
		return install
	}
	install.Version = string(found[1])
	if semver.Compare("v"+install.Version, leastMajor) < 0 {
		install.Problem = &agents.Problem{
			Code: "too_old", Title: "Claude Code " + install.Version + " is too old for Parley.",
			Advice: "Bring it up to date.", Command: "claude update",
		}
		return install
	}
	install.Login = login(ctx, run, path, env)
	return install
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

// login says whether the program is logged in.
func login(ctx context.Context, run agents.Run, path string, env []string) agents.Login {
	for _, key := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"} {
		if getenv(env, key) != "" {
			return agents.LoginYes
		}
	}
	for _, key := range []string{"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"} {
		if v := getenv(env, key); v != "" && v != "0" && v != "false" {
			return agents.LoginYes
		}
	}
	// A program that was never started would write its first state file when it
	// is asked, and looking must not leave traces.
	switch stateFile(env) {
	case stateNone:
		return agents.LoginNo
	case stateSome:
		return agents.LoginUnknown
	}
	stdout, _, _, err := run(ctx, []string{path, "auth", "status"}, env)
	var status struct {
		LoggedIn *bool `json:"loggedIn"`
	}
	switch {
	case err != nil || json.Unmarshal(stdout, &status) != nil || status.LoggedIn == nil:
		return agents.LoginUnknown
	case *status.LoggedIn:
		return agents.LoginYes
	default:
		return agents.LoginNo
	}
}

// state is what the CLI has stored for this person.
type state int

const (
	stateNone state = iota // nothing at all
	stateSome              // something, but not the file that it keeps at every start
	stateFull
)

func stateFile(env []string) state {
	home := getenv(env, "HOME")
	file, folder := filepath.Join(home, ".claude.json"), filepath.Join(home, ".claude")
	if dir := getenv(env, "CLAUDE_CONFIG_DIR"); dir != "" {
		file, folder = filepath.Join(dir, ".claude.json"), dir
	} else if home == "" {
		return stateSome // Windows and odd environments: nothing can be said
	}
	if there(file) {
		return stateFull
	}
	if there(folder) {
		return stateSome
	}
	return stateNone
}

func there(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
