// Package servers decides which MCP servers the agents of this Parley get. It
// joins the person's override file, the project's file, what agents have in
// their own files, and the keyring; placeholders are filled in here and nowhere
// else, for one launch at a time. It starts no agent and stores no value. A
// Servers may be used from any goroutine.
package servers

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"parley/app"
	"parley/mcp"
	"parley/mcp/catalogue"
	"parley/mcp/inject"
	"parley/mcp/override"
)

// Config is what a Servers stands on. All fields but Hide and Log must be set.
type Config struct {
	File   *override.File
	Path   string          // of the file
	Agents func() []string // the families there are now
	MCP    string          // path of parley-mcp, for views
	Limits func() mcp.Limits
	// Env is the person's environment as an agent gets it.
	Env func(ctx context.Context) []string
	// Secret returns the secrets ("NAME=value") of an agent in a profile.
	Secret func(ctx context.Context, agent, profile string) ([]string, error)
	// LeaveOut reports whether an agent's own servers are left out; nil leaves out
	// none.
	LeaveOut func(agent string) bool
	// Trust keeps which project files the person trusted.
	Trust *Trust
	// Start runs a server for a test.
	Test func(ctx context.Context, s mcp.Spec, env []string) app.MCPTest
	// Hide hides secrets in a text; nil hides none.
	Hide func(string) string
	Log  *slog.Logger // nil is slog.Default
}

// Servers is the set of MCP servers of one Parley.
type Servers struct {
	cfg Config

	mu      sync.Mutex // guards started
	started map[app.SessionID]start
}

// start is what a session's agent was started with.
type start struct {
	agent, profile, cwd string
	sum                 string // of what it got, placeholders as written
}

// New makes a Servers.
func New(cfg Config) *Servers {
	if cfg.Hide == nil {
		cfg.Hide = func(s string) string { return s }
	}
	if cfg.LeaveOut == nil {
		cfg.LeaveOut = func(string) bool { return false }
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	return &Servers{cfg: cfg, started: map[app.SessionID]start{}}
}

// known are the names that may stand in the file.
func (s *Servers) known() catalogue.Known { return catalogue.Names(s.cfg.Agents()...) }

// Launch is one agent that is about to start.
type Launch struct {
	Session        app.SessionID
	Agent, Profile string
	Cwd            string
	Ours           mcp.Spec
	Limits         mcp.Limits
	Env            []string // "NAME=value", the agent's
}

// Handed is what it gets.
type Handed struct {
	Catalog mcp.Catalog
	Limits  mcp.Limits
	// LeaveOut says that the agent's own servers are not started; Own names those
	// that are found in its files.
	LeaveOut bool
	Own      []string
	Notices  []string
	Secrets  []string // values that came in; hide them wherever they show up
}

// For decides what an agent gets. A server that cannot be started as it is
// written is left out, with a notice: the agent is worth more than the server.
func (s *Servers) For(ctx context.Context, l Launch) (Handed, error) {
	in, own, notices := s.input(l.Agent, l.Profile, l.Cwd, l.Env)
	in.Managed, in.Limits = []mcp.Spec{l.Ours}, l.Limits
	e := catalogue.Merge(in)
	out := Handed{Limits: e.Limits, LeaveOut: s.leavesOut(l.Agent), Notices: append(notices, e.Notices...)}
	for _, server := range own {
		out.Own = append(out.Own, server.Name)
	}
	if s.cfg.LeaveOut(l.Agent) && !out.LeaveOut {
		out.Notices = append(out.Notices, ownStays(l.Agent))
	}
	if st := s.cfg.File.State(); st.Broken() {
		out.Notices = append(out.Notices, brokenNotice(st))
	}
	from := s.sources(ctx, l)
	for _, server := range e.Servers {
		if notice := stateNotice(server); notice != "" {
			out.Notices = append(out.Notices, notice)
		}
		if server.State != catalogue.StateOn {
			continue
		}
		if server.Managed {
			out.Catalog = append(out.Catalog, server.Spec)
			continue
		}
		spec, secrets, err := s.ready(server, l, from)
		if err != nil {
			out.Notices = append(out.Notices, fmt.Sprintf("The MCP server %s was left out: %s.", server.Name, err))
			continue
		}
		out.Catalog = append(out.Catalog, spec)
		out.Secrets = append(out.Secrets, secrets...)
	}
	s.mu.Lock()
	s.started[l.Session] = start{l.Agent, l.Profile, l.Cwd, sum(e, out.LeaveOut)}
	s.mu.Unlock()
	return out, nil
}

// ready fills in a server and makes sure that the agent can start it.
func (s *Servers) ready(server catalogue.Server, l Launch, from catalogue.Sources) (spec mcp.Spec, secrets []string, err error) {
	spec = server.Spec
	if !inject.Takes(l.Agent, spec.Transport) {
		return spec, nil, fmt.Errorf("%s does not speak %s", l.Agent, spec.Transport)
	}
	if !server.Project { // placeholders are for the person's own file
		if spec, secrets, err = catalogue.Resolve(spec, from); err != nil {
			return spec, nil, err
		}
	}
	if spec.Transport != mcp.Stdio {
		return spec, secrets, nil
	}
	path, err := findProgram(spec.Command, l.Env)
	if err != nil {
		return spec, nil, err
	}
	spec.Command = path
	if spec.Cwd != "" {
		if info, err := os.Stat(spec.Cwd); err != nil || !info.IsDir() {
			return spec, nil, fmt.Errorf("its folder %s is not there", spec.Cwd)
		}
	}
	return spec, secrets, nil
}

// sources fill in placeholders for a launch. The keyring is asked at most once,
// and only when something names it.
func (s *Servers) sources(ctx context.Context, l Launch) catalogue.Sources {
	var asked bool
	var kept []string
	var refused error
	return catalogue.Sources{
		Env: func(name string) (string, bool) { return lookup(l.Env, name) },
		Keyring: func(name string) (string, error) {
			if !asked {
				asked = true
				kept, refused = s.cfg.Secret(ctx, l.Agent, profileOf(l.Profile))
			}
			if refused != nil {
				return "", refused
			}
			if value, ok := lookup(kept, name); ok {
				return value, nil
			}
			return "", fmt.Errorf("there is no such secret; parley secrets set %s --agent %s --profile %s stores it", name, l.Agent, profileOf(l.Profile))
		},
	}
}

func profileOf(profile string) string {
	if profile == "" {
		return catalogue.DefaultProfile
	}
	return profile
}

// lookup finds a variable; the last one of a name counts.
func lookup(env []string, name string) (value string, ok bool) {
	for _, kv := range env {
		n, v, _ := strings.Cut(kv, "=")
		if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			value, ok = v, true
		}
	}
	return value, ok
}

// findProgram is the absolute path of a command as the agent would find it:
// some agents take no other, and one that is missing can end their start.
func findProgram(command string, env []string) (string, error) {
	if strings.ContainsRune(command, filepath.Separator) || strings.ContainsRune(command, '/') {
		if !filepath.IsAbs(command) {
			return "", fmt.Errorf("its command %s is no absolute path and no name", command)
		}
		if !runnable(command) {
			return "", fmt.Errorf("its command %s is not there, or no program", command)
		}
		return command, nil
	}
	path, _ := lookup(env, "PATH")
	names := []string{command}
	if runtime.GOOS == "windows" {
		names = append(names, command+".exe", command+".cmd", command+".bat")
	}
	for _, dir := range filepath.SplitList(path) {
		for _, name := range names {
			if p := filepath.Join(dir, name); filepath.IsAbs(dir) && runnable(p) {
				return p, nil
			}
		}
	}
	return "", fmt.Errorf("its command %s is not in the agent's PATH", command)
}

func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0)
}

// input is what decides an agent's servers, but for ours and the limits. own are
// those in its own files.
func (s *Servers) input(agent, profile, cwd string, env []string) (in catalogue.Input, own []app.MCPOwn, notices []string) {
	in = catalogue.Input{Config: s.cfg.File.State().Config, Agent: agent, Profile: profileOf(profile), Known: s.known()}
	if cwd != "" {
		project := s.cfg.Trust.project(cwd)
		in.Project, in.Trusted = project.entries, project.trusted
		if project.problem != "" {
			notices = append(notices, project.problem)
		}
	}
	own = ownServers(agent, cwd, env)
	in.OwnOut = s.leavesOut(agent)
	if in.OwnOut && inject.Leaves(agent) == inject.LeavesAll {
		return in, own, notices // their names are free
	}
	for _, server := range own {
		in.Own = append(in.Own, server.Name)
	}
	return in, own, notices
}

func brokenNotice(st override.State) string {
	what := "nothing of it is in force, and no server of yours was started"
	if st.Force == override.ForceLastGood {
		what = "its last good state, of " + st.GoodAt.Format(time.DateTime) + ", stays in force"
	}
	p := st.Problems[0]
	return fmt.Sprintf("The file of MCP overrides is broken (line %d, column %d: %s), so %s.", p.Line, p.Column, strings.TrimSuffix(p.Text, "."), what)
}

// stateNotice is what a person should hear of a server that an agent does not
// get although they may expect it.
func stateNotice(s catalogue.Server) string {
	switch s.State {
	case catalogue.StateIncomplete, catalogue.StateOwn:
		return fmt.Sprintf("The MCP server %s was left out. %s", s.Name, s.Why)
	case catalogue.StateUntrusted:
		return fmt.Sprintf("The project offers the MCP server %s. %s To let agents start it: parley mcp trust", s.Name, s.Why)
	}
	return ""
}
