package inject

import "parley/mcp"

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

// GrokTool is how Grok names a server's tool: it lists none to its model, which
// passes this name to a tool that calls them all.
func GrokTool(server, tool string) string { return server + "__" + tool }
