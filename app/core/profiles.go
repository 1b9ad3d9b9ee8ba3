package core

import (
	"context"
	"fmt"
	"strings"

	"parley/app"
	"parley/app/profiles"
	"parley/app/secrets"
	"parley/mcp/catalogue"
)

// openProfiles opens the profiles. A broken file is said, and keeps only agents
// from starting: they would run as somebody else.
func (a *App) openProfiles(keys *secrets.Store) {
	cfg := profiles.Config{
		Path: a.cfg.Dirs.Profiles(), Sessions: a.sessions, Overrides: a.servers, Now: a.cfg.Now,
		Agents: func() []string { return a.servers.File().Agents },
	}
	if keys != nil {
		cfg.Secrets = keys
	}
	a.profiles = profiles.New(cfg)
	if problem := a.profiles.Problem(); problem != nil {
		a.log.Warn("read the profiles", "error", problem)
		a.problems = append(a.problems, app.ErrorMessage(problem))
	}
}

// profileEnvironment is what a profile adds to an agent's environment. The keyring
// is asked only when a value names it.
func (a *App) profileEnvironment(secret func(ctx context.Context, agent, profile string) ([]string, error)) func(context.Context, string, string, []string) ([]string, []string, error) {
	return func(ctx context.Context, agent, profile string, env []string) (vars, hidden []string, err error) {
		return a.profiles.Environment(agent, profile, catalogue.Sources{
			Env: func(name string) (string, bool) { return variable(env, name) },
			Keyring: func(name string) (string, error) {
				kept, err := secret(ctx, agent, profile)
				if err != nil {
					return "", err
				}
				if value, ok := variable(kept, name); ok {
					return value, nil
				}
				return "", fmt.Errorf("there is no such secret; parley secrets set %s --agent %s --profile %s stores it", name, agent, profile)
			},
		})
	}
}

// profileDefaults asks profiles that are opened after the sessions which they count.
func (a *App) profileDefaults(ctx context.Context, agent, profile string) (model, effort string, err error) {
	return a.profiles.Defaults(ctx, agent, profile)
}

// variable finds the last value of a name, which is the one that counts.
func variable(env []string, name string) (value string, ok bool) {
	for _, kv := range env {
		if n, v, _ := strings.Cut(kv, "="); n == name {
			value, ok = v, true
		}
	}
	return value, ok
}
