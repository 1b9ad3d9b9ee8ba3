package servers

import (
	"context"
	"slices"

	"parley/app"
	"parley/mcp/catalogue"
	"parley/mcp/override"
)

// Profiles lists the profiles that the override file names.
func (s *Servers) Profiles() []string {
	config := s.cfg.File.State().Config
	var out []string
	for _, e := range config.Servers {
		out = append(out, e.Fields[catalogue.FieldProfiles].Value.List...)
	}
	for _, r := range config.Rules {
		out = append(out, r.Profile)
	}
	for _, d := range config.Switches {
		out = append(out, d.Profile)
	}
	out = slices.DeleteFunc(out, func(p string) bool { return p == catalogue.Any })
	slices.Sort(out)
	return slices.Compact(out)
}

// RenameProfile writes another name wherever the override file names a profile.
func (s *Servers) RenameProfile(ctx context.Context, from, to string) error {
	return s.changeProfile(ctx, from, func(path ...string) override.Change { return override.Rename(to, path...) },
		func(server string) []override.Change {
			return []override.Change{
				override.Include(to, "servers", server, catalogue.FieldProfiles), override.Exclude(from, "servers", server, catalogue.FieldProfiles),
			}
		})
}

// RemoveProfile takes out what the override file says for a profile alone. A
// server that is narrowed to it stays so, and is handed to nobody then.
func (s *Servers) RemoveProfile(ctx context.Context, profile string) error {
	return s.changeProfile(ctx, profile, override.Remove, func(string) []override.Change { return nil })
}

// changeProfile makes a change of every place that names a profile.
func (s *Servers) changeProfile(ctx context.Context, profile string, scope func(path ...string) override.Change, narrowed func(server string) []override.Change) error {
	if !slices.Contains(s.Profiles(), profile) {
		if st := s.cfg.File.State(); !st.Broken() {
			return nil
		}
		return app.Errorf(app.CodeInvalidArgument, "The file of MCP overrides is broken, so it cannot be told whether it names the profile %s. Mend it first.", profile)
	}
	_, err := s.rewrite(ctx, "", func(config catalogue.Config, text []byte) ([]byte, error) {
		var changes []override.Change
		for _, agent := range scopesOf(config.Rules, profile, func(r catalogue.Rule) (string, string) { return r.Agent, r.Profile }) {
			changes = append(changes, scope("overrides", agent, profile))
		}
		for _, agent := range scopesOf(config.Switches, profile, func(d catalogue.Switch) (string, string) { return d.Agent, d.Profile }) {
			changes = append(changes, scope("disabled", agent, profile))
		}
		for _, e := range config.Servers {
			if slices.Contains(e.Fields[catalogue.FieldProfiles].Value.List, profile) {
				changes = append(changes, narrowed(e.Name)...)
			}
		}
		return override.Apply(text, changes...)
	})
	return err
}

// scopesOf are the agents for which a list says something of a profile.
func scopesOf[T any](list []T, profile string, of func(T) (agent, profile string)) []string {
	var out []string
	for _, v := range list {
		if agent, p := of(v); p == profile && !slices.Contains(out, agent) {
			out = append(out, agent)
		}
	}
	return out
}
