package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/app"
	"parley/app/api"
)

// profiles lists and changes the named sets of what agents start with.
func (p *program) profiles(ctx context.Context, args []string) (int, error) {
	sub := "list"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		sub, args = args[0], args[1:]
	}
	most := map[string]int{"list": 0, "show": 1, "set": -1, "rename": 2, "remove": 1}
	n, ok := most[sub]
	if !ok {
		return 0, usagef("parley profiles knows no %q.", sub)
	}
	fs := flags("profiles " + sub)
	asJSON := fs.Bool("json", false, "")
	agent := ""
	if sub == "set" {
		fs.StringVar(&agent, "agent", "", "")
	}
	rest, err := parse(fs, args)
	switch {
	case err != nil:
		return 0, err
	case n >= 0 && len(rest) != n, n < 0 && len(rest) == 0:
		return 0, usagef("parley profiles %s doesn't fit: see the help.", sub)
	}
	return p.repeat(ctx, func(b *backend) (int, error) {
		list, err := b.ListProfiles(ctx)
		if err != nil {
			return 0, err
		}
		switch sub {
		case "set":
			var next app.Profile
			if next, err = withFields(profileOf(list, rest[0]), agent, rest[1:]); err == nil {
				list, err = b.SetProfile(ctx, next)
			}
		case "rename":
			list, err = b.RenameProfile(ctx, rest[0], rest[1])
		case "remove":
			list, err = b.RemoveProfile(ctx, rest[0])
		}
		if err != nil {
			return 0, err
		}
		if sub == "show" || sub == "set" {
			list = slices.DeleteFunc(list, func(o app.Profile) bool { return o.Name != rest[0] })
			if len(list) == 0 {
				return 0, app.Errorf(app.CodeNotFound, "There is no profile %s.", rest[0])
			}
		}
		if *asJSON {
			return exitDone, p.line(api.ProfileList{Profiles: list})
		}
		if sub == "show" || sub == "set" {
			return exitDone, p.showProfile(list[0])
		}
		return exitDone, p.listProfiles(list)
	})
}

func profileOf(list []app.Profile, name string) app.Profile {
	for _, o := range list {
		if o.Name == name {
			return o
		}
	}
	return app.Profile{Name: name}
}

// withFields gives a profile what somebody typed: env.NAME for every agent, or with
// an agent env.NAME, model and effort of it; nothing behind the sign takes it out.
func withFields(o app.Profile, agent string, pairs []string) (app.Profile, error) {
	o.Env, o.Agents = maps.Clone(o.Env), maps.Clone(o.Agents)
	if o.Env == nil {
		o.Env = map[string]string{}
	}
	if o.Agents == nil {
		o.Agents = map[string]app.ProfileAgent{}
	}
	of := o.Agents[agent]
	of.Env = maps.Clone(of.Env)
	if of.Env == nil {
		of.Env = map[string]string{}
	}
	for _, pair := range pairs {
		field, value, ok := strings.Cut(pair, "=")
		name, isVariable := strings.CutPrefix(field, "env.")
		env := o.Env
		if agent != "" {
			env = of.Env
		}
		switch {
		case !ok:
			return o, usagef("%q is no FIELD=VALUE.", pair)
		case isVariable && value == "":
			delete(env, name)
		case isVariable:
			env[name] = value
		case agent == "" && (field == "model" || field == "effort"):
			return o, usagef("%s is an agent's: name it with --agent.", field)
		case field == "model":
			of.Model = value
		case field == "effort":
			of.Effort = value
		default:
			return o, usagef("A profile has no %q: it has env.NAME, and for an agent model and effort.", field)
		}
	}
	if agent != "" {
		o.Agents[agent] = of
		if of.Model == "" && of.Effort == "" && len(of.Env) == 0 {
			delete(o.Agents, agent)
		}
	}
	return o, nil
}

func (p *program) listProfiles(list []app.Profile) error {
	var rows [][]string
	for _, o := range list {
		vars := len(o.Env)
		for _, a := range o.Agents {
			vars += len(a.Env)
		}
		rows = append(rows, []string{o.Name, strconv.Itoa(o.Sessions), strconv.Itoa(vars), strconv.Itoa(len(o.Secrets))})
	}
	return p.table([]string{"PROFILE", "SESSIONS", "VARIABLES", "SECRETS"}, rows)
}

func (p *program) showProfile(o app.Profile) error {
	var rows [][]string
	add := func(agent string, env map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(env)) {
			rows = append(rows, []string{agent, "env." + name, env[name]})
		}
	}
	add("every agent", o.Env)
	for _, agent := range slices.Sorted(maps.Keys(o.Agents)) {
		a := o.Agents[agent]
		for _, field := range [][2]string{{"model", a.Model}, {"effort", a.Effort}} {
			if field[1] != "" {
				rows = append(rows, []string{agent, field[0], field[1]})
			}
		}
		add(agent, a.Env)
	}
	for _, s := range o.Secrets {
		agent, name, _ := strings.Cut(s, " ")
		rows = append(rows, []string{agent, "secret " + name, "•••"})
	}
	if len(rows) == 0 {
		p.say("%s sets nothing by itself.", oneLine(o.Name, 64))
		return nil
	}
	if err := p.table([]string{"AGENT", "FIELD", "VALUE"}, rows); err != nil {
		return fmt.Errorf("show the profile: %w", err)
	}
	return nil
}
