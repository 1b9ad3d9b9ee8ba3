package inject

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/mcp"
)

// CodexExec is the catalogue for `codex exec`, which is told everything on its
// command line, where every user of the computer can read it. What may be secret
// goes past it: the environment of a person's server into a program that starts
// it, headers into variables.
type CodexExec struct {
	Overrides []string // key=value, each for a -c; no secret is in them
	Env       []string // KEY=value, of the CLI itself
	Programs  []Program
	// Names are the servers' names in the catalogue by those that the CLI is told
	// and speaks of: a dot in one would be a level of its configuration.
	Names map[string]string
}

// Program is a shell script to be written, for its owner alone, before the CLI
// starts.
type Program struct{ Path, Text string }

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// CodexExecOf returns the catalogue for `codex exec`. Scripts lie in folder;
// leaveOut names servers of the person's configuration that are switched off.
func CodexExecOf(servers mcp.Catalog, leaveOut []string, folder string) (CodexExec, error) {
	out := CodexExec{Names: map[string]string{}}
	set := func(server, key string, value any) error {
		text, err := json.Marshal(value) // a string, number, switch or list of strings is the same in TOML
		out.Overrides = append(out.Overrides, "mcp_servers."+server+"."+key+"="+string(text))
		return err
	}
	for _, name := range leaveOut {
		if !plainKey.MatchString(name) {
			return out, fmt.Errorf("this version of Codex cannot leave out the MCP server %q: only letters, digits, dashes and underscores can be told it", name)
		}
		_ = set(name, "enabled", false) // which is always written
	}
	for _, s := range servers {
		name := CodexName(s.Name)
		if other, twice := out.Names[name]; twice {
			return out, fmt.Errorf("the MCP servers %q and %q are the same to this version of Codex", other, s.Name)
		}
		out.Names[name] = s.Name
		values := map[string]any{}
		if s.Timeout > 0 { // 0 would leave no time at all
			values["tool_timeout_sec"] = s.Timeout.Seconds()
		}
		switch s.Transport {
		case mcp.Stdio:
			out.stdio(values, name, s, folder)
		case mcp.HTTP:
			if err := out.http(values, name, s); err != nil {
				return out, err
			}
		default:
			return out, fmt.Errorf("Codex cannot use the MCP server %q: it knows no transport %q", s.Name, s.Transport)
		}
		if s.Managed {
			values["required"], values["default_tools_approval_mode"] = true, "approve"
		} else {
			for _, tool := range s.AutoAllow {
				if plainKey.MatchString(tool) { // any other is refused by the CLI, which cannot ask
					values["tools."+tool+".approval_mode"] = "approve"
				}
			}
		}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if err := set(name, key, values[key]); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// stdio adds a server that the CLI starts. What ours has in its environment is
// Parley's own and no secret.
func (c *CodexExec) stdio(values map[string]any, name string, s mcp.Spec, folder string) {
	values["command"], values["args"] = s.Command, append([]string{}, s.Args...)
	if s.Cwd != "" {
		values["cwd"] = s.Cwd
	}
	if s.Managed {
		for key, value := range s.Env {
			values["env."+key] = value
		}
		return
	}
	if len(s.Env) == 0 {
		return
	}
	var text strings.Builder
	text.WriteString("#!/bin/sh\n")
	for _, key := range slices.Sorted(maps.Keys(s.Env)) {
		fmt.Fprintf(&text, "export %s=%s\n", key, shellWord(s.Env[key]))
	}
	fmt.Fprintf(&text, "exec %s \"$@\"\n", shellWord(s.Command))
	program := Program{Path: filepath.Join(folder, "server-"+name), Text: text.String()}
	c.Programs = append(c.Programs, program)
	values["command"] = program.Path
}

func shellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// http adds a server that is reached over HTTP. The variables of its headers are
// named such that the CLI hands them to no command of the model by itself.
func (c *CodexExec) http(values map[string]any, name string, s mcp.Spec) error {
	address, err := url.Parse(s.URL)
	if err != nil || address.User != nil || address.RawQuery != "" {
		return fmt.Errorf("the address of the MCP server %q may hold a secret, and this version of Codex would show it in its arguments", s.Name)
	}
	values["url"] = s.URL
	for _, header := range slices.Sorted(maps.Keys(s.Headers)) {
		variable := fmt.Sprintf("PARLEY_TOKEN_%d", len(c.Env)+1)
		c.Env = append(c.Env, variable+"="+s.Headers[header])
		values["env_http_headers."+header] = variable
	}
	return nil
}
