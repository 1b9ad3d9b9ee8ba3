package inject

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/mcp"
)

// codexServer is one entry of Codex's mcp_servers.
type codexServer struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"http_headers,omitempty"`
	// Timeout of one call in seconds; the CLI's own is 300.
	Timeout float64 `json:"tool_timeout_sec,omitempty"`
	// Required makes the start of a conversation wait for the server. Without it
	// the first request to the model may leave without its tools.
	Required bool `json:"required,omitempty"`
	// Approval "approve" lets all tools of the server run without asking.
	Approval string               `json:"default_tools_approval_mode,omitempty"`
	Tools    map[string]codexTool `json:"tools,omitempty"`
	Enabled  *bool                `json:"enabled,omitempty"`
}

// codexTool is what is set for one tool of a server.
type codexTool struct {
	Approval string `json:"approval_mode,omitempty"`
}

// CodexOwn is what the person's own configuration of Codex holds that ours has
// to take into account.
type CodexOwn struct {
	// LeaveOut names servers of theirs that are switched off for this launch.
	LeaveOut []string
	// Direct are the namespaces that they have made plain tools. Ours replaces
	// that list, so it repeats them.
	Direct []string
}

// codexDirect is the setting whose namespaces the CLI shows to every model as
// plain tools. Newer models otherwise see a search, or a script to call them
// from, and a call that waits for a person no longer makes the model wait.
const codexDirect = "features.code_mode.direct_only_tool_namespaces"

// CodexName is how Codex spells a server's name, or a tool's, to its model: with
// an underscore for every character that a function's name may not have.
func CodexName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, name)
}

// Codex returns the catalogue as the JSON object of overrides that Codex takes
// when a conversation begins; it is laid over the person's configuration table
// by table and written nowhere. It may hold secrets (headers, environment), so
// it goes over the CLI's input and never into argv.
func Codex(servers mcp.Catalog, own CodexOwn) ([]byte, error) {
	entries := make(map[string]codexServer, len(servers)+len(own.LeaveOut))
	off := false
	for _, name := range own.LeaveOut {
		entries[name] = codexServer{Enabled: &off}
	}
	direct := slices.Clone(own.Direct)
	for _, s := range servers {
		if e, twice := entries[s.Name]; twice && e.Enabled == nil {
			return nil, fmt.Errorf("two MCP servers are called %q", s.Name)
		}
		e := codexServer{Timeout: s.Timeout.Seconds(), Required: s.Managed}
		switch s.Transport {
		case mcp.Stdio:
			e.Command, e.Args, e.Env, e.Cwd = s.Command, s.Args, s.Env, s.Cwd
		case mcp.HTTP:
			e.URL, e.Headers = s.URL, s.Headers
		default:
			return nil, fmt.Errorf("Codex cannot use the MCP server %q: it knows no transport %q", s.Name, s.Transport)
		}
		if s.Managed {
			e.Approval = "approve"
		} else {
			for _, tool := range s.AutoAllow {
				if e.Tools == nil {
					e.Tools = map[string]codexTool{}
				}
				e.Tools[tool] = codexTool{Approval: "approve"}
			}
		}
		if namespace := "mcp__" + CodexName(s.Name); s.AlwaysLoad && !slices.Contains(direct, namespace) {
			direct = append(direct, namespace)
		}
		entries[s.Name] = e
	}
	config := map[string]any{}
	if len(entries) > 0 {
		config["mcp_servers"] = entries
	}
	if len(direct) > 0 {
		config[codexDirect] = direct
	}
	return json.Marshal(config)
}
