package pi

import (
	"cmp"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/agents"
	"parley/mcp/inject"
)

// extension is what goes along with every launch.
//
//go:embed extension.mjs
var extension []byte

var modes = []agents.Mode{agents.ModePlan, agents.ModeAsk, agents.ModeEdits, agents.ModeFull}

// Plan implements agents.Adapter. Servers lie in a file of the run folder that
// our extension reads, so no secret is in the arguments.
func (adapter) Plan(install agents.Install, spec agents.SessionSpec) (agents.Launch, error) {
	if mode := cmp.Or(spec.Mode, agents.ModeAsk); !slices.Contains(modes, mode) {
		return agents.Launch{}, &agents.PlanError{Problem: agents.Problem{
			Code: "refused_mode", Title: fmt.Sprintf("%s has no permission mode %q.", name, mode), Advice: "Choose another mode.",
		}}
	}
	servers, err := inject.Pi(spec.Catalog)
	if err != nil {
		return agents.Launch{}, fmt.Errorf("plan MCP servers: %w", err)
	}
	file := func(name string, data []byte) agents.File {
		return agents.File{Path: filepath.Join(spec.RunDir, name), Data: data, Mode: 0o600}
	}
	files := []agents.File{file("parley.mjs", extension), file("servers.json", servers)}
	args := []string{"--mode", "rpc", "-e", files[0].Path}
	if !spec.OwnServers && hasMCP(install.Version) {
		args = append(args, "--no-mcp") // the extension then speaks to ours itself
	}
	switch {
	case spec.Fork:
		args = append(args, "--fork", spec.NativeID)
	case spec.NativeID != "":
		args = append(args, "--session", spec.NativeID)
	}
	if spec.Model != "" {
		args = append(args, "--model", spec.Model)
	}
	if spec.Effort != "" {
		args = append(args, "--thinking", spec.Effort)
	}
	if spec.Guidance != "" {
		guidance := file("guidance.md", []byte(spec.Guidance))
		files = append(files, guidance)
		args = append(args, "--append-system-prompt", guidance.Path)
	}
	return agents.Launch{
		Argv:    slices.Concat([]string{install.Path}, install.Args, args),
		Env:     install.Environ(environment(spec.Env)),
		Dir:     spec.Cwd,
		Files:   files,
		Connect: agents.ConnectStdio,
		Masked:  spec.Secrets(),
	}, nil
}

// hasMCP tells whether a version has MCP of its own, and so the flag that switches
// it off; an older one has servers by an extension of the person's alone.
func hasMCP(version string) bool {
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d.", &major, &minor); err != nil {
		return true
	}
	return major > 0 || minor >= 99
}

// markers are variables that the CLI sets for what it starts. A Parley that was
// started from within an agent must not hand them on.
var markers = []string{
	"AI_AGENT", "PI_CODING_AGENT", "PI_SESSION_ID", "PI_SESSION_FILE", "PI_PROVIDER", "PI_MODEL", "PI_REASONING_LEVEL",
}

func environment(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		key, _, _ := strings.Cut(kv, "=")
		return slices.Contains(markers, key)
	})
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
