package profiles

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/app"
	"parley/mcp"
	"parley/mcp/catalogue"
)

// Sessions are those that have profiles.
type Sessions interface {
	// Profiles counts the sessions of each profile.
	Profiles(ctx context.Context) (map[string]int, error)
	// RenameProfile gives the sessions of one profile another. With a running agent
	// among them it changes nothing: app.CodeSessionBusy.
	RenameProfile(ctx context.Context, from, to string) error
}

// Secrets are those that are stored for profiles.
type Secrets interface {
	List() []app.Secret
	RenameProfile(ctx context.Context, from, to string) error
	RemoveProfile(ctx context.Context, profile string) error
}

// Overrides are the MCP overrides for profiles.
type Overrides interface {
	Profiles() []string
	RenameProfile(ctx context.Context, from, to string) error
	RemoveProfile(ctx context.Context, profile string) error
}

// Config is what a Profiles stands on. All fields but Secrets and Now must be
// set.
type Config struct {
	Path      string // of the file
	Sessions  Sessions
	Secrets   Secrets // nil where the list can't be used: nothing is renamed or removed then
	Overrides Overrides
	Agents    func() []string  // the families there are
	Now       func() time.Time // nil is time.Now
}

// Profiles is the person's profiles. The file is small and read whenever it is
// asked for something, so that what a person writes there by hand holds at once,
// and no change of ours is laid over a state that is no more.
type Profiles struct {
	cfg Config

	// changing is held by the one who changes something: a channel and not a mutex,
	// since it is held while disk and keyring work.
	changing chan struct{}
}

// New makes a Profiles. A broken file is a Problem, and no change is made in it.
func New(cfg Config) *Profiles {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Profiles{cfg: cfg, changing: make(chan struct{}, 1)}
}

// Problem says why the file is not used now, nil when it is.
func (p *Profiles) Problem() error {
	_, err := read(p.cfg.Path)
	return err
}

func (p *Profiles) get(name string) (definition, error) {
	all, err := read(p.cfg.Path)
	return all[name], err
}

// List is every profile that is defined, or that a session, a secret or an
// override names: the default one first, then by name.
func (p *Profiles) List(ctx context.Context) ([]app.Profile, error) {
	all, err := read(p.cfg.Path)
	if err != nil {
		return nil, err
	}
	counts, err := p.cfg.Sessions.Profiles(ctx)
	if err != nil {
		return nil, err
	}
	secrets := map[string][]string{}
	if p.cfg.Secrets != nil {
		for _, s := range p.cfg.Secrets.List() {
			secrets[s.Profile] = append(secrets[s.Profile], s.Agent+" "+s.Name)
		}
	}
	names := map[string]bool{app.DefaultProfile: true}
	for name := range counts {
		names[name] = true
	}
	for name := range secrets {
		names[name] = true
	}
	for name := range all {
		names[name] = true
	}
	for _, name := range p.cfg.Overrides.Profiles() {
		names[name] = true
	}
	out := []app.Profile{}
	for name := range names {
		d := all[name]
		if d.Removed != 0 {
			continue
		}
		view := app.Profile{Name: name, Env: d.Env, Agents: d.Agents, Sessions: counts[name], Secrets: secrets[name]}
		if view.Env == nil {
			view.Env = map[string]string{}
		}
		if view.Agents == nil {
			view.Agents = map[string]app.ProfileAgent{}
		}
		if view.Secrets == nil {
			view.Secrets = []string{}
		}
		out = append(out, view)
	}
	slices.SortFunc(out, func(a, b app.Profile) int {
		if (a.Name == app.DefaultProfile) != (b.Name == app.DefaultProfile) {
			if a.Name == app.DefaultProfile {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out, nil
}

// Defaults are the model and effort of a new session that names none. A profile
// that List doesn't have is app.CodeInvalidArgument: a slip of the pen would run
// with the wrong account.
func (p *Profiles) Defaults(ctx context.Context, agent, profile string) (model, effort string, err error) {
	list, err := p.List(ctx)
	if err != nil {
		return "", "", err
	}
	names := make([]string, len(list))
	for i, o := range list {
		if names[i] = o.Name; o.Name == profile {
			return o.Agents[agent].Model, o.Agents[agent].Effort, nil
		}
	}
	return "", "", &app.Error{Code: app.CodeInvalidArgument, Field: "profile", Got: profile,
		Message: fmt.Sprintf("There is no profile %s; there is %s. parley profiles set makes one.", profile, strings.Join(names, ", "))}
}

// Environment is what a profile adds to an agent's environment, as "NAME=value",
// with its placeholders filled in; secrets are the values that came in so. A
// profile that was removed, a file that cannot be read and a placeholder that
// cannot be filled in are errors: the agent would run as somebody else.
func (p *Profiles) Environment(agent, profile string, from catalogue.Sources) (vars, secrets []string, err error) {
	d, err := p.get(profile)
	if err != nil {
		return nil, nil, err
	}
	if d.Removed != 0 {
		return nil, nil, app.Errorf(app.CodeNotFound, "The profile %s of this session was removed. Make it again, or begin a new session.", profile)
	}
	env := maps.Clone(d.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, d.Agents[agent].Env)
	filled, secrets, err := catalogue.Resolve(mcp.Spec{Env: env}, from)
	if err != nil {
		return nil, nil, app.Errorf(app.CodeUnavailable, "The profile %s cannot be used: %w.", profile, err)
	}
	for _, name := range slices.Sorted(maps.Keys(filled.Env)) {
		vars = append(vars, name+"="+filled.Env[name])
	}
	return vars, secrets, nil
}

// Set makes a profile, or gives it other contents. Sessions keep their model and
// effort; variables hold from an agent's next start on.
func (p *Profiles) Set(ctx context.Context, in app.Profile) ([]app.Profile, error) {
	if err := p.check(in); err != nil {
		return nil, err
	}
	err := p.change(ctx, func(all definitions) error {
		all[in.Name] = definition{Env: in.Env, Agents: in.Agents}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p.List(ctx)
}

// Rename gives a profile another name, with its sessions, secrets and overrides.
// What was done is undone when a part refuses.
func (p *Profiles) Rename(ctx context.Context, from, to string) ([]app.Profile, error) {
	if err := p.mayRename(ctx, from, to); err != nil {
		return nil, err
	}
	err := p.change(ctx, func(all definitions) error {
		d, defined := all[from]
		var undo []func()
		for _, part := range []interface {
			RenameProfile(ctx context.Context, from, to string) error
		}{p.cfg.Sessions, p.cfg.Secrets, p.cfg.Overrides} {
			if err := part.RenameProfile(ctx, from, to); err != nil {
				for _, back := range slices.Backward(undo) {
					back()
				}
				return err
			}
			undo = append(undo, func() {
				// The first refusal is what the person hears; List shows what is left.
				_ = part.RenameProfile(context.WithoutCancel(ctx), to, from)
			})
		}
		delete(all, from)
		if delete(all, to); defined {
			all[to] = d
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p.List(ctx)
}

func (p *Profiles) mayRename(ctx context.Context, from, to string) error {
	if err := p.mayGo(from); err != nil {
		return err
	}
	if err := named(to); err != nil {
		return err
	}
	list, err := p.List(ctx)
	if err != nil {
		return err
	}
	is := func(name string) bool {
		return slices.ContainsFunc(list, func(o app.Profile) bool { return o.Name == name })
	}
	switch {
	case !is(from):
		return app.Errorf(app.CodeNotFound, "There is no profile %s.", from)
	case is(to):
		return &app.Error{Code: app.CodeInvalidArgument, Field: "name", Got: to, Message: fmt.Sprintf("There is a profile %s.", to)}
	}
	return nil
}

// Remove takes a profile away with its secrets and overrides. Sessions that have
// it keep it and can be read; their agents do not start any more.
func (p *Profiles) Remove(ctx context.Context, name string) ([]app.Profile, error) {
	if err := p.mayGo(name); err != nil {
		return nil, err
	}
	counts, err := p.cfg.Sessions.Profiles(ctx)
	if err != nil {
		return nil, err
	}
	err = p.change(ctx, func(all definitions) error {
		if err := p.cfg.Overrides.RemoveProfile(ctx, name); err != nil {
			return err
		}
		if err := p.cfg.Secrets.RemoveProfile(ctx, name); err != nil {
			return err
		}
		delete(all, name)
		if counts[name] > 0 {
			all[name] = definition{Removed: p.cfg.Now().UnixMilli()}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p.List(ctx)
}

// mayGo says whether a name may be taken from a profile.
func (p *Profiles) mayGo(name string) error {
	switch {
	case name == app.DefaultProfile || name == "":
		return &app.Error{Code: app.CodeInvalidArgument, Field: "name", Message: "The default profile stays: whoever names none has it."}
	case p.cfg.Secrets == nil:
		return app.Errorf(app.CodeUnavailable, "Parley's list of secrets can't be used, so no profile can be renamed or removed; its notices at the start say why.")
	}
	return nil
}

// change makes a change of the file and keeps it.
func (p *Profiles) change(ctx context.Context, f func(definitions) error) error {
	select {
	case p.changing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.changing }()
	all, err := read(p.cfg.Path)
	if err != nil {
		return err
	}
	if err := f(all); err != nil {
		return err
	}
	if err := write(p.cfg.Path, all); err != nil {
		return app.Errorf(app.CodeStorageFailed, "The profiles could not be saved: %w", err)
	}
	return nil
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

func named(name string) error {
	if name == "" {
		return &app.Error{Code: app.CodeInvalidArgument, Field: "name", Message: "A profile needs a name."}
	}
	return app.CheckProfile(name)
}

// check refuses what no agent could start with.
func (p *Profiles) check(in app.Profile) error {
	if err := named(in.Name); err != nil {
		return err
	}
	tables := map[string]map[string]string{"env": in.Env}
	for agent, a := range in.Agents {
		if !slices.Contains(p.cfg.Agents(), agent) {
			return &app.Error{Code: app.CodeInvalidArgument, Field: "agents." + agent, Got: agent,
				Message: fmt.Sprintf("Parley knows no agent %q; it knows %s.", agent, strings.Join(p.cfg.Agents(), ", "))}
		}
		tables["agents."+agent+".env"] = a.Env
	}
	for field, table := range tables {
		for name, value := range table {
			if !variable.MatchString(name) {
				return &app.Error{Code: app.CodeInvalidArgument, Field: field, Got: name, Message: fmt.Sprintf("%q can't be the name of a variable.", name)}
			}
			if err := catalogue.CheckField(catalogue.FieldEnv+"."+name, catalogue.Text(value)); err != nil {
				return &app.Error{Code: app.CodeInvalidArgument, Field: field + "." + name, Message: fmt.Sprintf("%s: %s.", name, err)}
			}
		}
	}
	return nil
}
