package grok

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/agents"
)

// Inspect implements agents.Adapter. It asks for the version, and for the models,
// with which the CLI says whether it is logged in; no model is asked.
func (a adapter) Inspect(ctx context.Context, run agents.Run, path string, env []string) agents.Install {
	// Asked for its version alone, the CLI would already fill its folder, and
	// looking must not leave traces.
	install := a.Adapter.Inspect(ctx, run, path, append(slices.Clone(env), "GROK_HOME="+os.DevNull))
	if install.Problem != nil {
		return install
	}
	if _, err := os.Stat(filepath.Join(homeOf(env), "agent_id")); err != nil {
		return install // it was never started here
	}
	stdout, _, code, err := run(ctx, []string{path, "--no-auto-update", "models"}, env)
	if err != nil || code != 0 {
		return install // it will say more when it is started
	}
	install.Login, install.Models = agents.LoginYes, models(string(stdout))
	if strings.Contains(string(stdout), "You are not authenticated") {
		install.Login = agents.LoginNo
	}
	return install
}

// homeOf is the CLI's own folder.
func homeOf(env []string) string {
	home, user := "", ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "GROK_HOME="); ok {
			home = v
		}
		if v, ok := strings.CutPrefix(kv, "HOME="); ok {
			user = v
		}
	}
	if home != "" {
		return home
	}
	return filepath.Join(user, ".grok")
}

// model is a line of the list: "  * grok-4.6 (default)".
var model = regexp.MustCompile(`(?m)^  [*-] (\S+)`)

func models(list string) []agents.ModelInfo {
	var out []agents.ModelInfo
	for _, m := range model.FindAllStringSubmatch(list, -1) {
		out = append(out, agents.ModelInfo{ID: m[1], Name: m[1]})
	}
	return out
}
