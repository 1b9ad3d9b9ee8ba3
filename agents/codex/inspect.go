package codex

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/agents"
)

var versionPattern = regexp.MustCompile(`(?m)^codex-cli (\d+\.\d+\.\d+\S*)`)

// Inspect implements agents.Adapter. It asks the program for its version, what
// it can do and its login state; no model is asked.
func (adapter) Inspect(ctx context.Context, run agents.Run, path string, env []string) agents.Install {
	install := agents.Install{Family: agents.Codex, Path: path, Login: agents.LoginUnknown}
	env = environment(env)
	// Asked for its version alone, the CLI would make its folder already, and
	// looking must not leave traces.
	stdout, stderr, code, err := run(ctx, []string{path, "--version"}, append(slices.Clone(env), "CODEX_HOME="+os.DevNull))
	found := versionPattern.FindSubmatch(stdout)
	if err != nil || code != 0 || found == nil {
		install.Problem = &agents.Problem{
			Code: "broken", Title: path + " does not run as Codex.", Advice: "Install it again.",
			Command: adapter{}.Info().InstallCmd, Evidence: evidence(err, stdout, stderr),
		}
		return install
	}
	install.Version = string(found[1])
	install.Once = !serves(install.Version)
	home := homeOf(env)
	switch _, err := os.Stat(home); {
	case home == "":
	case errors.Is(err, fs.ErrNotExist):
		install.Login = agents.LoginNo // it was never started
	case ownProvider(home):
		// That has a key of its own, or needs none, and models of its own.
	default:
		install.Login = login(ctx, run, path, env)
		install.Models = models(ctx, run, path, env)
	}
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

// homeOf is the CLI's folder of this person, "" when it cannot be told.
func homeOf(env []string) string {
	if home := getenv(env, "CODEX_HOME"); home != "" {
		return home
	}
	if home := getenv(env, "HOME"); home != "" {
		return filepath.Join(home, ".codex")
	}
	return ""
}

// login says whether the program is logged in.
func login(ctx context.Context, run agents.Run, path string, env []string) agents.Login {
	stdout, stderr, code, err := run(ctx, []string{path, "login", "status"}, env)
	text := string(stdout) + string(stderr)
	switch {
	case err != nil:
		return agents.LoginUnknown
	case strings.Contains(text, "Not logged in"):
		return agents.LoginNo
	case code == 0: // with an account, or with a key
		return agents.LoginYes
	default:
		return agents.LoginUnknown
	}
}

type catalogueModel struct {
	Slug       string `json:"slug"`
	Name       string `json:"display_name"`
	Visibility string `json:"visibility"` // list, hide
	Priority   int    `json:"priority"`   // the lowest comes first
	Efforts    []struct {
		Effort string `json:"effort"`
	} `json:"supported_reasoning_levels"`
}

// models are those of the program's own catalogue that it offers to a person, nil
// when it does not tell.
func models(ctx context.Context, run agents.Run, path string, env []string) []agents.ModelInfo {
	stdout, _, code, err := run(ctx, []string{path, "debug", "models"}, env)
	var catalogue struct {
		Models []catalogueModel `json:"models"`
	}
	if err != nil || code != 0 || json.Unmarshal(stdout, &catalogue) != nil {
		return nil
	}
	slices.SortStableFunc(catalogue.Models, func(a, b catalogueModel) int { return cmp.Compare(a.Priority, b.Priority) })
	var out []agents.ModelInfo
	for _, m := range catalogue.Models {
		if m.Visibility == "list" {
			info := agents.ModelInfo{ID: m.Slug, Name: m.Name}
			for _, e := range m.Efforts {
				info.Efforts = append(info.Efforts, e.Effort)
			}
			out = append(out, info)
		}
	}
	return out
}

var providerPattern = regexp.MustCompile(`(?m)^\s*(?:model_provider\s*=|oss_provider\s*=|profile\s*=)`)

// ownProvider reports whether the person's configuration names a provider, for
// which an account with OpenAI may not be needed.
func ownProvider(home string) bool {
	config, err := os.ReadFile(filepath.Join(home, "config.toml"))
	return err == nil && providerPattern.Match(config)
}
