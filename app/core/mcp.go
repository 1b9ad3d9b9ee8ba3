package core

import (
	"context"
	"path/filepath"

	"parley/app"
	"parley/app/servers"
	"parley/app/session"
	"parley/mcp"
	"parley/mcp/override"
	"parley/mcp/probe"
)

// openServers opens what decides the MCP servers of agents. A file that is
// broken, or a list of trusted projects that cannot be read, is said and keeps
// nobody from working.
func (a *App) openServers(bin programs, cfg servers.Config) error {
	dirs := a.cfg.Dirs
	var err error
	a.overrides, err = override.Open(override.Config{Path: dirs.Overrides(), State: dirs.State, Now: a.cfg.Now, Log: a.log})
	if err != nil {
		return err
	}
	cfg.File, cfg.Path, cfg.MCP, cfg.Log = a.overrides, dirs.Overrides(), bin.mcp, a.log
	if cfg.Trust, err = servers.OpenTrust(filepath.Join(dirs.Data, "trusted-projects.json")); err != nil {
		a.log.Warn("no project is trusted", "error", err)
	}
	cfg.Hide = a.secrets.Hide
	cfg.Test = func(ctx context.Context, s mcp.Spec, env []string) app.MCPTest {
		return testOf(probe.Try(ctx, s, probe.Config{Env: env, Dir: dirs.Runtime, Shim: bin.shim, Version: app.Version}))
	}
	a.servers = servers.New(cfg)
	return nil
}

// handed is what a session's agent gets.
func (a *App) handed(ctx context.Context, l session.ServerLaunch) (session.Servers, error) {
	h, err := a.servers.For(ctx, servers.Launch{
		Session: l.Session, Agent: string(l.Family), Profile: l.Profile, Cwd: l.Cwd, Ours: l.Ours, Limits: l.Limits, Env: l.Env,
	})
	if t := a.cfg.Trial; t != nil {
		if budget := t.Budget(); budget > 0 {
			for i := range h.Catalog {
				h.Catalog[i].Timeout = budget
			}
		}
	}
	return session.Servers{
		Catalog: h.Catalog, Limits: h.Limits, LeaveOut: h.LeaveOut, Own: h.Own, Notices: h.Notices, Secrets: h.Secrets,
	}, err
}

func testOf(r probe.Result, err error) app.MCPTest {
	out := app.MCPTest{
		OK: err == nil, Server: r.Server, Tools: []app.MCPTool{}, Stderr: r.Stderr, DurationMS: r.Took.Milliseconds(),
		Prompts: append([]string{}, r.Prompts...), Resources: append([]string{}, r.Resources...),
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, app.MCPTool(t))
	}
	if err != nil {
		out.Problem = "The server failed: " + err.Error() + "."
	}
	return out
}
