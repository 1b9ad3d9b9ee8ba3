// Package dsh is the family of DSH, the DeepSeek Harness: its profile "acp",
// which speaks ACP. The conversation is acpclient's; here is what differs: MCP
// servers and permissions go along as patches of the tree that the CLI composes
// itself from, since servers handed over by the protocol keep a time limit of
// 60 s, and the protocol sets no permissions there.
//
// The adapter has no state and may be used from any goroutine.
package dsh

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"parley/agents"
	"parley/agents/acp"
	"parley/mcp/inject"
)

const (
	name    = "DSH"
	install = "npm install -g @deepseek-ai/dsh"
)

// New returns the adapter. version is Parley's, told to the CLI.
func New(version string) agents.Adapter {
	return adapter{acp.New(acp.Entry{
		Family: agents.DSH, Name: name, Mark: "Ds",
		Binaries: []string{"dsh"},
		Folders: []string{
			"~/.local/bin",
			"~/.npm-global/bin",
			"~/.bun/bin",
			"~/.volta/bin",
			"~/.nvm/versions/node/*/bin",
			"~/.local/share/pnpm",
			"/opt/homebrew/bin",
			"/usr/local/bin",
		},
		VersionArgs: []string{"--version"},
		InstallCmd:  install,
		LoginCmd:    "dsh web", // its page of models takes the key
		Modes:       map[agents.Mode]string{agents.ModePlan: "", agents.ModeAsk: "", agents.ModeEdits: "", agents.ModeFull: ""},
		Images:      true, Resume: true,
		Client: version,
	})}
}

type adapter struct {
	agents.Adapter // what holds for every ACP agent
}

// Info implements agents.Adapter.
func (a adapter) Info() agents.Info {
	info := a.Adapter.Info()
	info.LeastKnown = "0.1.0-rc.8"
	return info
}

// permissions are what a permission mode becomes: what the CLI's sandbox lets
// through, and whether a person is asked for more.
var permissions = map[agents.Mode]struct{ sandbox, approval string }{
	agents.ModePlan:  {"read-only", "never"},
	agents.ModeAsk:   {"read-only", "ask"},
	agents.ModeEdits: {"workspace-write", "ask"},
	agents.ModeFull:  {"danger-full-access", "never"},
}

// row is a row of the CLI's tree as a patch changes it: a config replaces the
// whole of the one before.
type row struct {
	ID       string         `json:"id"`
	Disabled bool           `json:"disabled,omitempty"`
	Config   map[string]any `json:"config,omitempty"`
}

// permitted is the patch for a permission mode. The row that would pin the
// person's own choice to each conversation is left out: it would outlive the
// mode that is chosen here.
func permitted(mode agents.Mode, cwd string) ([]byte, error) {
	p := permissions[mode]
	return json.Marshal([]row{
		{ID: "sandbox-policy", Config: map[string]any{"mode": p.sandbox, "workspaceRoot": cwd}},
		{ID: "approval", Config: map[string]any{"policy": p.approval}},
		{ID: "permission", Disabled: true},
	})
}

// Plan implements agents.Adapter.
func (a adapter) Plan(in agents.Install, spec agents.SessionSpec) (agents.Launch, error) {
	if spec.Mode == "" {
		spec.Mode = agents.ModeAsk
	}
	launch, err := a.Adapter.Plan(in, spec)
	if err != nil {
		return launch, err
	}
	servers, err := inject.DSH(spec.Catalog)
	if err != nil {
		return agents.Launch{}, fmt.Errorf("plan MCP servers: %w", err)
	}
	rules, err := permitted(spec.Mode, spec.Cwd)
	if err != nil {
		return agents.Launch{}, fmt.Errorf("plan permissions: %w", err)
	}
	launch.Argv = append(launch.Argv, "--profile", "acp")
	launch.Files = []agents.File{
		{Path: filepath.Join(spec.RunDir, "servers.patch.yml"), Data: servers, Mode: 0o600},
		{Path: filepath.Join(spec.RunDir, "permissions.patch.yml"), Data: rules, Mode: 0o600},
	}
	for _, f := range launch.Files {
		launch.Argv = append(launch.Argv, "--patch", f.Path)
	}
	launch.Masked = spec.Secrets()
	return launch, nil
}

// Open implements agents.Adapter. The servers are in the patch.
func (a adapter) Open(ctx context.Context, conn agents.Conn, spec agents.SessionSpec, host agents.Host) (agents.Agent, error) {
	spec.Catalog = nil
	return a.Adapter.Open(ctx, conn, spec, host)
}

// Diagnose implements agents.Adapter.
func (a adapter) Diagnose(exit agents.Exit, tail string) agents.Problem {
	p := a.Adapter.Diagnose(exit, tail)
	if strings.Contains(tail, `profile "acp" does not exist`) {
		p.Code, p.Title = "too_old", "This "+name+" is too old for Parley: it has no profile for ACP."
		p.Advice, p.Command = "Bring it up to date.", install
	}
	return p
}
