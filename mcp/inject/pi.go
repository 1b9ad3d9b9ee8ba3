package inject

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/mcp"
)

// piServer is one entry of Pi's mcpServers.
type piServer struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Timeout of one call in seconds; the CLI's own is 60.
	Timeout float64 `json:"timeout,omitempty"`
	// Exposure "direct" makes the tools plain ones, and the first message wait for
	// the server. By itself the CLI hides them behind a tool that runs scripts.
	Exposure string `json:"exposure"`
}

// Pi returns the catalogue as the JSON that our extension registers with Pi. It
// may hold secrets (headers, environment), so it belongs into a 0600 file and
// never into argv.
func Pi(servers mcp.Catalog) ([]byte, error) {
	entries := make(map[string]piServer, len(servers))
	for _, s := range servers {
		if _, twice := entries[s.Name]; twice {
			return nil, fmt.Errorf("two MCP servers are called %q", s.Name)
		}
		e := piServer{Timeout: s.Timeout.Seconds(), Exposure: "direct"}
		switch s.Transport {
		case mcp.Stdio:
			e.Command, e.Args, e.Env, e.Cwd = s.Command, s.Args, piLiterals(s.Env), s.Cwd
		case mcp.HTTP:
			e.URL, e.Headers = s.URL, piLiterals(s.Headers)
		default:
			return nil, fmt.Errorf("Pi cannot use the MCP server %q: it knows no transport %q", s.Name, s.Transport)
		}
		entries[s.Name] = e
	}
	return json.Marshal(map[string]any{"mcpServers": entries})
}

// piLiterals keeps Pi from filling values in: it would put a variable's value for
// a dollar and a name, and run what follows an exclamation mark at the beginning
// as a command.
func piLiterals(values map[string]string) map[string]string {
	if values == nil {
		return nil
	}
	out := make(map[string]string, len(values))
	for name, value := range values {
		value = strings.ReplaceAll(value, "$", "$$")
		if strings.HasPrefix(value, "!") {
			value = "$" + value
		}
		out[name] = value
	}
	return out
}
