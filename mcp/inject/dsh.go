package inject

import (
	"encoding/json"
	"fmt"

	"parley/mcp"
)

// dshServer is the configuration of one row of DSH's MCP client.
type dshServer struct {
	Name      string            `json:"serverName"`
	Transport string            `json:"transport"` // stdio, streamable-http
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	Cwd       string            `json:"cwd,omitempty"`
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	// Timeout of one call in milliseconds; the CLI's own is 60,000, and progress
	// does not extend it.
	Timeout int64 `json:"toolCallTimeoutMs,omitempty"`
}

// dshRow is a row of the tree that DSH composes itself from.
type dshRow struct {
	ID     string    `json:"id"`
	Name   string    `json:"name"` // the plugin
	Config dshServer `json:"config"`
}

// dshNames is how many characters of a server's name DSH takes.
const dshNames = 32

// DSHName is how DSH spells a server's name: with an underscore for every
// character that it does not take, and cut where it is too long.
func DSHName(name string) string {
	name = OpenCodeName(name) // what a function's name may have
	return name[:min(len(name), dshNames)]
}

// DSH returns the catalogue as a patch, in JSON, that DSH lays over the person's
// own tree when it is started with --patch; it is written nowhere else. It may
// hold secrets (headers, environment), so it belongs into a 0600 file. Servers
// that are handed over by the protocol would keep the CLI's own time limit.
func DSH(servers mcp.Catalog) ([]byte, error) {
	rows := make([]dshRow, 0, len(servers))
	taken := map[string]bool{}
	for _, s := range servers {
		c := dshServer{Name: DSHName(s.Name), Timeout: s.Timeout.Milliseconds()}
		if taken[c.Name] {
			return nil, fmt.Errorf("two MCP servers are called %q in DSH", c.Name)
		}
		taken[c.Name] = true
		switch s.Transport {
		case mcp.Stdio:
			c.Transport, c.Command, c.Args, c.Env, c.Cwd = "stdio", s.Command, s.Args, s.Env, s.Cwd
		case mcp.HTTP:
			c.Transport, c.URL, c.Headers = "streamable-http", s.URL, s.Headers
		default:
			return nil, fmt.Errorf("DSH cannot use the MCP server %q: it knows no transport %q", s.Name, s.Transport)
		}
		for _, table := range []map[string]string{c.Env, c.Headers} {
			if _, runs := table[dshCode]; runs {
				return nil, fmt.Errorf("DSH cannot use the MCP server %q: it would run the value of %s", s.Name, dshCode)
			}
		}
		rows = append(rows, dshRow{ID: "parley-mcp-" + c.Name, Name: "@deepseek-ai/dsh-mcp-client", Config: c})
	}
	if len(rows) == 0 {
		return []byte("[]"), nil
	}
	return json.Marshal([]any{map[string]any{"insert": rows}})
}

// dshCode is the key of an object in DSH's tree whose value is run.
const dshCode = "__jsExpr"
