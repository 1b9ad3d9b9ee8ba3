package pi

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/agents"
)

var versionPattern = regexp.MustCompile(`(?m)^(\d+\.\d+\.\d+\S*)\s*$`)

// Inspect implements agents.Adapter. It asks the program for its version and for
// the models that it has a key for; no model is asked, and the network is not
// used.
func (adapter) Inspect(ctx context.Context, run agents.Run, path string, env []string) agents.Install {
	install := agents.Install{Family: agents.Pi, Path: path, Login: agents.LoginUnknown}
	env = append(environment(env), "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0")
	stdout, stderr, code, err := run(ctx, []string{path, "--version"}, env)
	said := slices.Concat(stdout, []byte("\n"), stderr)
	found := versionPattern.FindSubmatch(said)
	if err != nil || code != 0 || found == nil {
		evidence := agents.LastLines(string(said))
		if err != nil {
			evidence = strings.TrimSpace(evidence + "\n" + err.Error())
		}
		install.Problem = &agents.Problem{
			Code: "broken", Title: path + " does not run as " + name + ".",
			Advice:  "Install it again; it needs Node.js 22.19 or newer.",
			Command: adapter{}.Info().InstallCmd, Evidence: evidence,
		}
		return install
	}
	install.Version = string(found[1])
	// Where the CLI has never run it would make its files now, and looking must not
	// leave traces.
	if _, err := os.Stat(filepath.Join(homeOf(env), "auth.json")); err != nil {
		return install
	}
	stdout, stderr, code, err = run(ctx, []string{path, "--list-models"}, env)
	if err != nil || code != 0 {
		return install
	}
	install.Models = models(string(stdout) + "\n" + string(stderr))
	install.Login = agents.LoginYes
	if len(install.Models) == 0 {
		install.Login = agents.LoginNo
	}
	return install
}

// homeOf is the CLI's folder of this person.
func homeOf(env []string) string {
	if home := getenv(env, "PI_CODING_AGENT_DIR"); home != "" {
		return home
	}
	return filepath.Join(getenv(env, "HOME"), ".pi", "agent")
}

// models reads the table of models: a head that begins with "provider" and
// "model", and a line for each.
func models(table string) []agents.ModelInfo {
	var out []agents.ModelInfo
	inTable := false
	for line := range strings.Lines(table) {
		cells := strings.Fields(line)
		switch {
		case len(cells) < 2:
		case cells[0] == "provider" && cells[1] == "model":
			inTable = true
		case inTable:
			id := cells[0] + "/" + cells[1]
			out = append(out, agents.ModelInfo{ID: id, Name: id})
		}
	}
	return out
}
