package inject

import (
	"encoding/json"
	"fmt"

	"parley/mcp"
)

// grokServer is what Grok can be told of a server beside ACP's own fields.
type grokServer struct {
	// Timeout of one call in milliseconds; the CLI's own is 6,000 s. Progress does
	// not extend it, and neither does a question that the server asks meanwhile.
	Timeout int64 `json:"toolTimeoutMs,omitempty"`
}

// GrokMeta returns what goes along with ACP's mcpServers when Grok opens a
// session, as the member "mcpConfig" of its _meta. It holds no secret.
func GrokMeta(servers mcp.Catalog) map[string]any {
	entries := make(map[string]grokServer, len(servers))
	for _, s := range servers {
		entries[s.Name] = grokServer{Timeout: s.Timeout.Milliseconds()}
	}
	return map[string]any{"mcpConfig": entries}
}

// GrokOverlay returns a configuration that Grok lays over the person's for one
// launch, as the JSON of GROK_CONFIG: the named servers of theirs are switched
// off, and what it would read from the files of other programs is not read. own
// is what they have in that variable themselves, "" for nothing; it stays in force.
func GrokOverlay(own string, leaveOut []string) ([]byte, error) {
	config := map[string]any{}
	if own != "" {
		if err := json.Unmarshal([]byte(own), &config); err != nil {
			return nil, fmt.Errorf("read the person's GROK_CONFIG: %w", err)
		}
	}
	off, _ := config["disabled_mcp_servers"].([]any)
	for _, name := range leaveOut {
		off = append(off, name)
	}
	compat, _ := config["compat"].(map[string]any)
	if compat == nil {
		compat = map[string]any{}
	}
	for _, program := range []string{"claude", "cursor"} {
		cells, _ := compat[program].(map[string]any)
		if cells == nil {
			cells = map[string]any{}
		}
		cells["mcps"] = false
		compat[program] = cells
	}
	config["disabled_mcp_servers"], config["compat"] = append([]any{}, off...), compat
	return json.Marshal(config)
}

// GrokTool is how Grok names a server's tool: it lists none to its model, which
// passes this name to a tool that calls them all.
func GrokTool(server, tool string) string { return server + "__" + tool }
