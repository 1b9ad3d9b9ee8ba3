package servers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"parley/app"
	"parley/app/mask"
	"parley/mcp"
	"parley/mcp/catalogue"
	"parley/mcp/foreign"
	"parley/mcp/override"
)

// Try starts a server as the agent would get it, lists what it offers and ends
// it. app.CodeNotFound: there is no such server. A server of the project that
// was not trusted is not started.
func (s *Servers) Try(ctx context.Context, name, agent, profile, cwd string) (app.MCPTest, error) {
	if agent == "" {
		agent = s.cfg.Agents()[0]
	}
	if err := s.knownAgent(agent); err != nil {
		return app.MCPTest{}, err
	}
	env := s.cfg.Env(ctx)
	e, _, _ := s.effective(agent, profile, cwd, env)
	i := slices.IndexFunc(e.Servers, func(server catalogue.Server) bool { return server.Name == name })
	if i < 0 {
		return app.MCPTest{}, app.Errorf(app.CodeNotFound, "There is no server %s.", name)
	}
	server := e.Servers[i]
	switch {
	case server.Managed:
		return app.MCPTest{}, app.Errorf(app.CodeInvalidArgument, "%s is Parley's own; it answers to running agents alone. Start the demo to see it work.", name)
	case server.State == catalogue.StateIncomplete || server.State == catalogue.StateUntrusted:
		return app.MCPTest{Problem: server.Why, Tools: []app.MCPTool{}, Prompts: []string{}, Resources: []string{}}, nil
	}
	l := Launch{Agent: agent, Profile: profile, Cwd: cwd, Env: env}
	// A switched-off server may be tried: that is how one finds out why.
	server.Spec.Name = name
	spec, secrets, err := s.ready(server, l, s.sources(ctx, l))
	if err != nil {
		return app.MCPTest{Problem: "It cannot be started: " + err.Error() + ".", Tools: []app.MCPTool{}, Prompts: []string{}, Resources: []string{}}, nil
	}
	var known mask.Secrets
	known.Hold(secrets...)
	known.Hold(mask.OfEnvironment(env)...)
	out := s.cfg.Test(ctx, spec, env)
	out.Problem, out.Stderr = known.Hide(s.cfg.Hide(out.Problem)), known.Hide(s.cfg.Hide(out.Stderr))
	return out, nil
}

// Project is what a folder's own file says.
func (s *Servers) Project(cwd string) app.MCPProject {
	p := s.cfg.Trust.project(cwd)
	out := app.MCPProject{Path: p.path, Sum: p.sum, Trusted: p.trusted, Servers: []string{}, Problem: p.problem}
	for _, server := range catalogue.Merge(catalogue.Input{Project: p.entries, Trusted: true, Known: s.known()}).Servers {
		spec := s.hiddenSpec(server.Spec)
		line := spec.URL
		if spec.Transport == mcp.Stdio {
			line = strings.Join(append([]string{spec.Command}, spec.Args...), " ")
		}
		out.Servers = append(out.Servers, server.Name+": "+line)
	}
	return out
}

// TrustProject lets agents start the servers of a folder's file, as the person
// saw it: sum is that of the content. app.CodeChangedMeanwhile: it is another
// one now.
func (s *Servers) TrustProject(cwd, sum string) (app.MCPProject, error) {
	p := s.cfg.Trust.project(cwd)
	switch {
	case p.problem != "":
		return app.MCPProject{}, app.Errorf(app.CodeInvalidArgument, "%s", p.problem)
	case p.sum == "":
		return app.MCPProject{}, app.Errorf(app.CodeNotFound, "There is no %s in %s.", ProjectFile, cwd)
	case p.sum != sum:
		return app.MCPProject{}, coded(override.ErrChanged)
	}
	if err := s.cfg.Trust.give(p); err != nil {
		return app.MCPProject{}, &app.Error{Code: app.CodeStorageFailed, Message: "It could not be noted that you trust it.", Err: err}
	}
	return s.Project(cwd), nil
}

// usualFiles are where programs keep what can be imported, the likeliest first.
func usualFiles(from foreign.Format, env []string) []string {
	home := folder(env, "HOME")
	config := folder(env, "XDG_CONFIG_HOME")
	if config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	in := func(dir string, names ...string) []string {
		var out []string
		for _, name := range names {
			if dir != "" {
				out = append(out, filepath.Join(dir, name))
			}
		}
		return out
	}
	switch from {
	case foreign.Claude:
		return []string{ownFiles("claude", "", env)[0].path}
	case foreign.Codex:
		return in(codexHome(env), "config.toml")
	case foreign.OpenCode:
		return in(config, "opencode/opencode.jsonc", "opencode/opencode.json")
	case foreign.Gemini:
		return in(home, ".gemini/settings.json")
	case foreign.Cursor:
		return in(home, ".cursor/mcp.json")
	case foreign.VSCode:
		return append(in(config, "Code/User/mcp.json", "Code/User/settings.json"), in(home, "Library/Application Support/Code/User/mcp.json")...)
	}
	return nil
}

// Import shows what another program's file holds, and with Write takes it over:
// servers that are not there yet. The other file is only read.
func (s *Servers) Import(ctx context.Context, r app.MCPImportRequest) (app.MCPImport, error) {
	from := foreign.Format(r.From)
	if !slices.Contains(foreign.Formats, from) {
		return app.MCPImport{}, &app.Error{Code: app.CodeInvalidArgument, Field: "from", Got: r.From,
			Message: fmt.Sprintf("Parley can import from %s.", strings.Join(texts(foreign.Formats), ", "))}
	}
	path, text, err := openImport(from, r.Path, s.cfg.Env(ctx))
	if err != nil {
		return app.MCPImport{}, err
	}
	found, err := foreign.Parse(from, text)
	if err != nil {
		return app.MCPImport{}, &app.Error{Code: app.CodeInvalidArgument, Message: fmt.Sprintf("%s cannot be read: %s.", path, err)}
	}
	out := app.MCPImport{Path: path, Servers: []app.MCPImportServer{}}
	plan := func(config catalogue.Config) []override.Change {
		out.Servers = out.Servers[:0]
		var changes []override.Change
		for _, e := range found.Entries {
			if len(r.Names) > 0 && !slices.Contains(r.Names, e.Name) {
				continue
			}
			view := app.MCPImportServer{Name: e.Name, Fields: map[string]string{}}
			for field, f := range e.Fields {
				view.Fields[field] = s.shown(field, f.Value)
			}
			if view.Skip = s.skip(config, e); view.Skip == "" {
				changes = append(changes, override.Set(entryJSON(e), "servers", e.Name))
			}
			out.Servers = append(out.Servers, view)
		}
		more, notes := s.scoped(config, found)
		out.Notes = append(append([]string{}, found.Notes...), notes...)
		return append(changes, more...)
	}
	if !r.Write {
		plan(s.cfg.File.State().Config)
		return out, nil
	}
	_, err = s.rewrite(ctx, "", func(config catalogue.Config, text []byte) ([]byte, error) {
		return override.Apply(text, plan(config)...)
	})
	out.Written = err == nil
	return out, err
}

func openImport(from foreign.Format, path string, env []string) (string, []byte, error) {
	paths := []string{path}
	if path == "" {
		paths = usualFiles(from, env)
	}
	if len(paths) == 0 {
		return "", nil, &app.Error{Code: app.CodeInvalidArgument, Field: "path", Message: "Name the file: it has no usual place."}
	}
	for i, p := range paths {
		text, err := readSome(p, maxOwn)
		if err == nil {
			return p, text, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || i == len(paths)-1 {
			return "", nil, &app.Error{Code: app.CodeNotFound, Field: "path", Got: p, Message: p + " cannot be read: " + reason(err) + ".", Err: err}
		}
	}
	return "", nil, nil
}

// skip says why an entry is not taken over, "" when it is.
func (s *Servers) skip(config catalogue.Config, e catalogue.Entry) string {
	alone := catalogue.Merge(catalogue.Input{Config: catalogue.Config{Servers: []catalogue.Entry{e}}, Known: s.known()})
	switch {
	case slices.ContainsFunc(config.Servers, func(o catalogue.Entry) bool { return o.Name == e.Name }):
		return "You have a server of this name."
	case len(alone.Servers) == 0:
		return "The name is that of a server that Parley manages."
	case alone.Servers[0].State == catalogue.StateIncomplete:
		return alone.Servers[0].Why
	}
	return ""
}

// scoped are Ekko Studio's overrides and disable lists as changes, with notes on
// those that would be of no server.
func (s *Servers) scoped(config catalogue.Config, found foreign.Found) (out []override.Change, notes []string) {
	exists := func(name string) bool {
		return slices.Contains(s.known().Managed, name) || slices.ContainsFunc(config.Servers, func(e catalogue.Entry) bool { return e.Name == name })
	}
	left := func(name string) {
		notes = append(notes, "What is said of "+name+" was left out: there is no such server.")
	}
	for _, r := range found.Rules {
		if !exists(r.Name) {
			left(r.Name)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(r.Fields)) {
			table, row, isRow := strings.Cut(name, ".")
			path := []string{"overrides", r.Agent, r.Profile, r.Name, table}
			if isRow {
				path = append(path, row)
			}
			out = append(out, override.Set(r.Fields[name].Value.JSON(), path...))
		}
	}
	for _, d := range found.Switches {
		if !exists(d.Name) {
			left(d.Name)
			continue
		}
		out = append(out, override.Include(d.Name, "disabled", d.Agent, d.Profile))
	}
	return out, notes
}

// entryJSON is a server as it is written into the file, fields in their usual
// order.
func entryJSON(e catalogue.Entry) string {
	var parts []string
	for _, field := range catalogue.FieldNames {
		if f, ok := e.Fields[field]; ok {
			parts = append(parts, fmt.Sprintf("%q:%s", field, f.Value.JSON()))
		}
		var rows []string
		for name, f := range e.Fields {
			if table, row, ok := strings.Cut(name, "."); ok && table == field {
				rows = append(rows, catalogue.Text(row).JSON()+":"+f.Value.JSON())
			}
		}
		if slices.Sort(rows); len(rows) > 0 {
			parts = append(parts, fmt.Sprintf("%q:{%s}", field, strings.Join(rows, ",")))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}
