package inject

import (
	"encoding/json"
	"fmt"
	"slices"

	"parley/mcp"
)

// claudeServer is one entry of Claude Code's --mcp-config.
type claudeServer struct {
	Type    string            `json:"type"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Timeout of one call in milliseconds. It lifts the CLI's idle limit too;
	// values under a second are ignored by the CLI.
	Timeout int64 `json:"timeout,omitempty"`
	// AlwaysLoad keeps the tools out of tool search, and makes the start of the
	// session wait for the server.
	AlwaysLoad bool `json:"alwaysLoad,omitempty"`
}

// Claude returns the catalogue as the JSON of Claude Code's --mcp-config. It
// may hold secrets (headers, environment), so it belongs into a 0600 file and
// never into argv.
func Claude(servers mcp.Catalog) ([]byte, error) {
	entries := make(map[string]claudeServer, len(servers))
	for _, s := range servers {
		if _, twice := entries[s.Name]; twice {
			return nil, fmt.Errorf("two MCP servers are called %q", s.Name)
		}
		e := claudeServer{
			Type:       string(s.Transport),
			Timeout:    s.Timeout.Milliseconds(),
			AlwaysLoad: s.AlwaysLoad,
		}
		switch s.Transport {
		case mcp.Stdio:
			e.Command, e.Args = inFolder(s)
			e.Env = s.Env
		case mcp.HTTP, mcp.SSE:
			e.URL, e.Headers = s.URL, s.Headers
		default:
			return nil, fmt.Errorf("MCP server %q has the unknown transport %q", s.Name, s.Transport)
		}
		entries[s.Name] = e
	}
	return json.Marshal(map[string]any{"mcpServers": entries})
}

// ClaudeAllow lists the permission rules of tools that must not ask for leave,
// such as "mcp__parley-interaction__parley_clarify", in catalogue order.
func ClaudeAllow(servers mcp.Catalog) []string {
	var rules []string
	for _, s := range servers {
		for _, tool := range s.AutoAllow {
			if rule := "mcp__" + s.Name + "__" + tool; !slices.Contains(rules, rule) {
				rules = append(rules, rule)
			}
		}
	}
	return rules
}
