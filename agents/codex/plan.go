package codex

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/agents"
	"parley/mcp/inject"
)

// mode is what a permission mode becomes: what the CLI's sandbox lets commands
// do, what it asks for, and whether it plans first.
type mode struct {
	sandbox string
	policy  approvals
	plan    bool
}

// sandbox is what commands may do without permission.
type sandbox struct {
	Type string `json:"type"` // readOnly, workspaceWrite, dangerFullAccess
	writableSandbox
}

// writable are the person's own settings of a sandbox that may write in the
// workspace, as the CLI's configuration spells them; writableSandbox is the same
// for a turn.
type writable struct {
	Roots     []string `json:"writable_roots"`
	Network   bool     `json:"network_access"`
	NoTempVar bool     `json:"exclude_tmpdir_env_var"`
	NoTemp    bool     `json:"exclude_slash_tmp"`
}

type writableSandbox struct {
	Roots     []string `json:"writableRoots,omitempty"`
	Network   bool     `json:"networkAccess"`
	NoTempVar bool     `json:"excludeTmpdirEnvVar,omitempty"`
	NoTemp    bool     `json:"excludeSlashTmp,omitempty"`
}

// approvals is what the CLI asks for; what is false it refuses by itself. The
// short forms of the same setting leave open whether servers may ask.
type approvals struct {
	Granular granular `json:"granular"`
}

type granular struct {
	Sandbox      bool `json:"sandbox_approval"`    // commands beyond the sandbox
	Rules        bool `json:"rules"`               // commands that a rule of the person wants asked
	Skills       bool `json:"skill_approval"`      // scripts of skills
	Permissions  bool `json:"request_permissions"` // more permissions for the turn or the session
	Elicitations bool `json:"mcp_elicitations"`    // questions of MCP servers
}

// The CLI's sandboxes.
const (
	readOnly       = "readOnly"
	workspaceWrite = "workspaceWrite"
	fullAccess     = "dangerFullAccess"
)

var (
	asksAll   = approvals{granular{Sandbox: true, Rules: true, Skills: true, Permissions: true, Elicitations: true}}
	asksRules = approvals{granular{Elicitations: true}}
)

var modes = map[agents.Mode]mode{
	agents.ModePlan:  {sandbox: readOnly, policy: asksRules, plan: true},
	agents.ModeAsk:   {sandbox: readOnly, policy: asksAll},
	agents.ModeEdits: {sandbox: workspaceWrite, policy: asksAll},
	agents.ModeFull:  {sandbox: fullAccess, policy: asksRules},
}

// Plan implements agents.Adapter. With the app server, everything but the program
// goes over the CLI's input when the conversation opens, so nothing of it is in
// the arguments and no file is written.
func (adapter) Plan(install agents.Install, spec agents.SessionSpec) (agents.Launch, error) {
	if _, ok := modes[cmp.Or(spec.Mode, agents.ModeAsk)]; !ok {
		return agents.Launch{}, &agents.PlanError{Problem: agents.Problem{
			Code: "refused_mode", Title: fmt.Sprintf("%s has no permission mode %q.", name, spec.Mode), Advice: "Choose another mode.",
		}}
	}
	if install.Once {
		return planExec(install, spec)
	}
	if _, err := inject.Codex(spec.Catalog, inject.CodexOwn{}); err != nil {
		return agents.Launch{}, fmt.Errorf("plan MCP servers: %w", err)
	}
	return agents.Launch{
		Argv:    append(append([]string{install.Path}, install.Args...), "app-server"),
		Env:     install.Environ(environment(spec.Env)),
		Dir:     spec.Cwd,
		Connect: agents.ConnectStdio,
		Masked:  spec.Secrets(),
	}, nil
}

// markers are variables that the CLI sets for what it starts. A Parley that was
// started from within an agent must not hand them on.
var markers = []string{
	"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI", "CODEX_MANAGED_BY_NPM", "CODEX_MANAGED_BY_BUN",
}

// environment is env without markers. A developer's own wish for stack traces
// stays, but for errors, which the CLI would show to its model with a trace.
func environment(env []string) []string {
	out := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if key, _, _ := strings.Cut(kv, "="); !slices.Contains(markers, key) {
			out = append(out, kv)
		}
	}
	if getenv(env, "RUST_BACKTRACE") != "" && getenv(env, "RUST_LIB_BACKTRACE") == "" {
		out = append(out, "RUST_LIB_BACKTRACE=0")
	}
	return out
}

// getenv returns the last value of a variable, "" when it is not set.
func getenv(env []string, key string) string {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, key+"="); ok {
			return value
		}
	}
	return ""
}
