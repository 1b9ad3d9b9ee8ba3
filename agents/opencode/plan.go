package opencode

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/agents"
	"parley/mcp/inject"
)

var modes = []agents.Mode{agents.ModePlan, agents.ModeAsk, agents.ModeEdits, agents.ModeFull}

// Variables of the CLI.
const (
	envContent  = "OPENCODE_CONFIG_CONTENT"
	envPassword = "OPENCODE_SERVER_PASSWORD"
	envUser     = "OPENCODE_SERVER_USERNAME"
)

// passwordFile is the file in the run folder that holds the server's password,
// for whoever opens the conversation.
const passwordFile = "server-password"

// Plan implements agents.Adapter. Nothing but where to listen is in the
// arguments: the configuration goes into a variable, and what may be secret of it
// into files that it names.
func (adapter) Plan(install agents.Install, spec agents.SessionSpec) (agents.Launch, error) {
	mode := cmp.Or(spec.Mode, agents.ModeAsk)
	if !slices.Contains(modes, mode) {
		return agents.Launch{}, &agents.PlanError{Problem: agents.Problem{
			Code: "refused_mode", Title: fmt.Sprintf("%s has no permission mode %q.", name, spec.Mode), Advice: "Choose another mode.",
		}}
	}
	own := inject.OpenCodeOwn{Content: getenv(spec.Env, envContent), Rules: everyone(mode), Folder: spec.RunDir}
	if !spec.OwnServers {
		own.LeaveOut = spec.Own // what is found beside them is taken away once it is up
	}
	content, values, err := inject.OpenCode(spec.Catalog, own)
	if err != nil {
		return agents.Launch{}, fmt.Errorf("plan the configuration: %w", err)
	}
	password := rand.Text()
	files := []agents.File{{Path: filepath.Join(spec.RunDir, passwordFile), Data: []byte(password), Mode: 0o600}}
	for _, v := range values {
		files = append(files, agents.File{Path: v.Path, Data: v.Data, Mode: 0o600})
	}
	// Each argument goes before a setting of the person's that would open the
	// server to others.
	argv := append(append([]string{install.Path}, install.Args...), "serve", "--hostname", "127.0.0.1", "--port", "0", "--mdns=false")
	return agents.Launch{
		Argv:    argv,
		Env:     append(install.Environ(environment(spec.Env)), envContent+"="+string(content), envPassword+"="+password),
		Dir:     spec.Cwd,
		Files:   files,
		Connect: agents.ConnectHTTP,
		Masked:  append(spec.Secrets(), password),
	}, nil
}

// markers are variables that the CLI sets for what it starts, and those that we
// set ourselves. A Parley that was started from within an agent must not hand
// them on.
var markers = []string{"OPENCODE", "OPENCODE_PID", "OPENCODE_RUN_ID", "OPENCODE_CALLER", "OPENCODE_CLIENT", "AGENT", envContent, envPassword, envUser}

// environment is env without markers.
func environment(env []string) []string {
	out := make([]string, 0, len(env)+2)
	for _, kv := range env {
		if key, _, _ := strings.Cut(kv, "="); !slices.Contains(markers, key) {
			out = append(out, kv)
		}
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
