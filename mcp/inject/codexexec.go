package inject

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"

	"parley/mcp"
)

// CodexExec is the catalogue for `codex exec`, which is told everything on its
// command line, where every user of the computer can read it. What may be secret
// goes past it: the environment of a person's server into a file, headers into variables.
// A server whose address may be secret is left out.
type CodexExec struct {
	Overrides []string // key=value, each for a -c; no secret is in them
	Env       []string // KEY=value, of the CLI itself
	Starts    []Start
	LeftOut   []string // servers whose address may hold a secret
	// Names are the servers' names in the catalogue by those that the CLI is told
	// and speaks of: a dot in one would be a level of its configuration.
	Names map[string]string
}

// Start is the file of an mcp.Start, to be written, for its owner alone, before the
// CLI starts.
type Start struct {
	Path string
	JSON []byte
}

var (
	plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	// plainPath is a path that holds no secret. Of others nobody can tell.
	plainPath = regexp.MustCompile(`^(/(api|http|mcp|sse|stream|v[0-9]))*/?$`)
)

// CodexExecOf returns the catalogue for `codex exec`. Files lie in folder, program is
// the path of parley-mcp; leaveOut names servers of the person's configuration that
// are switched off.
func CodexExecOf(servers mcp.Catalog, leaveOut []string, folder, program string) (CodexExec, error) {
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
		if s.Transport == mcp.HTTP && !showable(s) {
			out.LeftOut = append(out.LeftOut, s.Name)
			continue
		}
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
			if err := out.stdio(values, name, s, folder, program); err != nil {
				return out, err
			}
		case mcp.HTTP:
			out.http(values, s)
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
func (c *CodexExec) stdio(values map[string]any, name string, s mcp.Spec, folder, program string) error {
	values["command"], values["args"] = s.Command, append([]string{}, s.Args...)
	if s.Cwd != "" {
		values["cwd"] = s.Cwd
	}
	if s.Managed {
		for key, value := range s.Env {
			values["env."+key] = value
		}
		return nil
	}
	if len(s.Env) == 0 {
		return nil
	}
	text, err := json.Marshal(mcp.Start{Command: s.Command, Args: s.Args, Env: s.Env})
	if err != nil {
		return fmt.Errorf("write how the MCP server %q is started: %w", s.Name, err)
	}
	start := Start{Path: filepath.Join(folder, "server-"+name+".json"), JSON: text}
	c.Starts = append(c.Starts, start)
	values["command"], values["args"] = program, []string{"start", start.Path}
	return nil
}

// showable reports whether everybody may read a server's address.
func showable(s mcp.Spec) bool {
	u, err := url.Parse(s.URL)
	return err == nil && !s.SecretURL && u.Opaque == "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" && plainPath.MatchString(u.EscapedPath())
}

// http adds a server that is reached over HTTP. The variables of its headers are
// named such that the CLI hands them to no command of the model by itself.
func (c *CodexExec) http(values map[string]any, s mcp.Spec) {
	values["url"] = s.URL
	for _, header := range slices.Sorted(maps.Keys(s.Headers)) {
		variable := fmt.Sprintf("PARLEY_TOKEN_%d", len(c.Env)+1)
		c.Env = append(c.Env, variable+"="+s.Headers[header])
		values["env_http_headers."+header] = variable
	}
}
