package servers_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app/servers"
	"parley/mcp"
	"parley/mcp/override"
)

// BenchmarkTwoHundred is 200 servers for all agents and three profiles: the view
// that the page shows, and reading the file again after an edit.
func BenchmarkTwoHundred(b *testing.B) {
	dir := b.TempDir()
	var text strings.Builder
	text.WriteString("{\n  \"servers\": {\n")
	for i := range 200 {
		fmt.Fprintf(&text, "    \"server-%d\": { \"command\": \"npx\", \"args\": [\"-y\", \"server\"], \"env\": { \"KEY\": \"${env:KEY}\" } }, // one of many\n", i)
	}
	text.WriteString("  },\n}\n")
	path := filepath.Join(dir, "mcp-overrides.jsonc")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	file, err := override.Open(override.Config{Path: path, State: dir})
	if err != nil {
		b.Fatal(err)
	}
	trust, err := servers.OpenTrust(filepath.Join(dir, "trusted.json"))
	if err != nil {
		b.Fatal(err)
	}
	families := []string{"claude", "codex", "opencode", "grok", "pi", "dsh", "acp", "chat", "demo"}
	s := servers.New(servers.Config{
		File: file, Path: path, Agents: func() []string { return families }, MCP: "/opt/parley-mcp", Limits: mcp.DefaultLimits, Trust: trust,
		Env: func(context.Context) []string { return []string{"HOME=" + dir} },
	})
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			for _, agent := range families {
				for _, profile := range []string{"default", "work", "private"} {
					if e, err := s.Effective(b.Context(), agent, profile, ""); err != nil || len(e.Servers) != 201 {
						b.Fatal(err, len(e.Servers))
					}
				}
			}
		}
	})
	b.Run("edit", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			st, err := file.Edit(b.Context(), "", override.Set(fmt.Sprintf(`"%dm"`, 1+n%50), "servers", "server-100", "timeout"))
			if err != nil || len(st.Config.Servers) != 200 {
				b.Fatal(err)
			}
		}
	})
}
