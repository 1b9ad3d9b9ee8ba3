package servers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/app"
	"parley/app/mask"
	"parley/mcp"
	"parley/mcp/catalogue"
	"parley/mcp/inject"
	"parley/mcp/override"
)

// sum tells whether what an agent would get is what it got: placeholders count
// as written, so that a changed secret is no change of the file.
func sum(e catalogue.Effective, leaveOut bool) string {
	h := sha256.New()
	for _, s := range e.On() {
		spec := s.Spec
		if s.Managed {
			spec = mcp.Spec{Name: s.Name, Timeout: spec.Timeout} // its paths are new with each launch
		}
		fmt.Fprintf(h, "%q\n", fmt.Sprintf("%+v", spec)) // maps print in the order of their keys
	}
	fmt.Fprint(h, e.Limits, leaveOut)
	return hex.EncodeToString(h.Sum(nil))
}

// effective is what an agent would get if it started now. env may be nil.
func (s *Servers) effective(agent, profile, cwd string, env []string) (e catalogue.Effective, own []app.MCPOwn, notices []string) {
	in, own, notices := s.input(agent, profile, cwd, env)
	in.Limits = s.cfg.Limits()
	in.Managed = []mcp.Spec{mcp.Interaction(s.cfg.MCP, "", true, false, in.Limits)}
	return catalogue.Merge(in), own, notices
}

// Outdated lists which of the sessions run with other servers than they would
// get now. They keep what they have until their agent starts anew.
func (s *Servers) Outdated(ctx context.Context, live []app.SessionID) []app.SessionID {
	env := s.cfg.Env(ctx)
	out := []app.SessionID{}
	for _, id := range live {
		s.mu.Lock()
		was, ok := s.started[id]
		s.mu.Unlock()
		if !ok {
			continue
		}
		if e, _, _ := s.effective(was.agent, was.profile, was.cwd, env); sum(e, s.leavesOut(was.agent)) != was.sum {
			out = append(out, id)
		}
	}
	return out
}

// Effective shows what an agent would get in a profile and folder, and where
// every value comes from.
func (s *Servers) Effective(ctx context.Context, agent, profile, cwd string) (app.MCPEffective, error) {
	if err := s.knownAgent(agent); err != nil {
		return app.MCPEffective{}, err
	}
	env := s.cfg.Env(ctx)
	e, own, notices := s.effective(agent, profile, cwd, env)
	out := app.MCPEffective{Agent: agent, Profile: profileOf(profile), Servers: []app.MCPServer{}, Own: []app.MCPOwn{}, Notices: []string{}}
	if out.OwnOut = s.leavesOut(agent); inject.Leaves(agent) == inject.LeavesNone {
		out.OwnStays = ownStays(agent)
	}
	out.Notices = append(append(out.Notices, notices...), e.Notices...)
	out.Servers = slices.Grow(out.Servers, len(e.Servers))
	out.Own = append(out.Own, own...)
	for _, server := range e.Servers {
		view := app.MCPServer{
			Name: server.Name, Managed: server.Managed, Project: server.Project, State: string(server.State), Why: server.Why,
			Settings: make([]app.MCPSetting, 0, len(server.Settings)),
		}
		for _, f := range server.Settings {
			set := app.MCPSetting{MCPOrigin: originOf(f.Origin), Field: f.Field, Value: s.shown(f.Field, f.Value), Hides: []app.MCPPast{}}
			for _, p := range f.Hides {
				set.Hides = append(set.Hides, app.MCPPast{MCPOrigin: originOf(p.Origin), Value: s.shown(f.Field, p.Value)})
			}
			view.Settings = append(view.Settings, set)
		}
		out.Servers = append(out.Servers, view)
	}
	return out, nil
}

func (s *Servers) knownAgent(agent string) error {
	if slices.Contains(s.cfg.Agents(), agent) {
		return nil
	}
	return &app.Error{Code: app.CodeInvalidArgument, Field: "agent", Got: agent,
		Message: fmt.Sprintf("Parley knows no agent %q; it knows %s.", agent, strings.Join(s.cfg.Agents(), ", "))}
}

func originOf(o catalogue.Origin) app.MCPOrigin {
	return app.MCPOrigin{Layer: string(o.Layer), Agent: o.Agent, Profile: o.Profile, MCPPlace: app.MCPPlace{Line: o.Line, Column: o.Column}}
}

// shown is a value for a person's eyes.
func (s *Servers) shown(field string, v catalogue.Value) string {
	if v.Kind != catalogue.KindText && v.Kind != catalogue.KindList {
		return v.JSON()
	}
	v.Text = s.hidden(field, v.Text)
	v.List = slices.Clone(v.List)
	for i := range v.List {
		v.List[i] = s.hidden(field, v.List[i])
	}
	return v.JSON()
}

// hidden is a text without its secrets. Placeholders are none: they are shown
// as written.
func (s *Servers) hidden(field, text string) string {
	table, name, _ := strings.Cut(field, ".")
	switch {
	case text == "" || strings.Contains(text, "${env:") || strings.Contains(text, "${keyring:"):
	case table == catalogue.FieldHeaders,
		table == catalogue.FieldEnv && len(mask.OfEnvironment([]string{name + "=" + text})) > 0:
		return mask.Hidden
	}
	return s.cfg.Hide(mask.Shapes(text))
}

// hiddenSpec is a server without its secrets.
func (s *Servers) hiddenSpec(spec mcp.Spec) mcp.Spec {
	spec = spec.Clone()
	for i := range spec.Args {
		spec.Args[i] = s.hidden(catalogue.FieldArgs, spec.Args[i])
	}
	spec.URL = s.hidden(catalogue.FieldURL, spec.URL)
	for name, value := range spec.Env {
		spec.Env[name] = s.hidden(catalogue.FieldEnv+"."+name, value)
	}
	for name, value := range spec.Headers {
		spec.Headers[name] = s.hidden(catalogue.FieldHeaders+"."+name, value)
	}
	return spec
}

// Preview shows what an agent is handed when it starts, with secrets hidden and
// placeholders as written. Paths that are new with each launch are not in it.
func (s *Servers) Preview(ctx context.Context, agent, profile, cwd string) (app.MCPPreview, error) {
	if err := s.knownAgent(agent); err != nil {
		return app.MCPPreview{}, err
	}
	e, _, _ := s.effective(agent, profile, cwd, s.cfg.Env(ctx))
	var catalog mcp.Catalog
	for _, server := range e.On() {
		if inject.Takes(agent, server.Spec.Transport) {
			catalog = append(catalog, s.hiddenSpec(server.Spec))
		}
	}
	out := app.MCPPreview{Agent: agent}
	var data []byte
	var err error
	switch agent {
	case "claude":
		out.How = "A file for this launch alone, which only you can read, named by --mcp-config."
		data, err = inject.Claude(catalog)
	case "codex":
		out.How = "Over the agent's input when the conversation begins; written nowhere."
		data, err = inject.Codex(catalog, inject.CodexOwn{})
	case "pi":
		out.How = "A file for this launch alone, which only you can read; an extension of Parley's, loaded for this launch, registers them."
		data, err = inject.Pi(catalog)
	case "opencode":
		out.How = "In a variable for this launch alone, OPENCODE_CONFIG_CONTENT; its headers and variables in files which only you can read."
		for i := range catalog {
			catalog[i].Managed = true // their values in their place
		}
		data, _, err = inject.OpenCode(catalog, inject.OpenCodeOwn{})
	default:
		out.How = "As mcpServers of the protocol, over the agent's input; written nowhere."
		var list []inject.ACPServer
		if list, err = inject.ACP(catalog); err == nil {
			data, err = json.Marshal(list)
		}
	}
	if err != nil {
		return app.MCPPreview{}, fmt.Errorf("preview: %w", err)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, data, "", "  "); err != nil {
		return app.MCPPreview{}, fmt.Errorf("preview: %w", err)
	}
	out.Text = pretty.String()
	return out, nil
}

// File is the override file as it stands.
func (s *Servers) File() app.MCPFile { return s.fileOf(s.cfg.File.State()) }

func (s *Servers) fileOf(st override.State) app.MCPFile {
	out := app.MCPFile{
		Path: s.cfg.Path, Exists: st.Text != nil, Text: string(st.Text), Revision: st.Revision, InForce: string(st.Force),
		ReadAt: st.ReadAt.UnixMilli(), CanUndo: st.CanUndo, Problems: problems(st.Problems), Remarks: []app.MCPProblem{},
		Agents: s.cfg.Agents(),
	}
	if !st.GoodAt.IsZero() {
		out.GoodAt = st.GoodAt.UnixMilli()
	}
	if !st.Broken() {
		out.Remarks = problems(catalogue.Check(st.Config, s.known()))
	}
	return out
}

func problems(list []catalogue.Problem) []app.MCPProblem {
	out := []app.MCPProblem{}
	for _, p := range list {
		out = append(out, app.MCPProblem{MCPPlace: app.MCPPlace{Line: p.Line, Column: p.Column}, Path: p.Path, Text: p.Text})
	}
	return out
}
