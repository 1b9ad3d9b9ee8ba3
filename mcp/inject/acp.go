package inject

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"parley/mcp"
)

// ACPServer is one entry of the mcpServers of session/new, in words of our own:
// the SDK's types stay with the package that speaks ACP. The protocol has no
// field for a timeout or for keeping tools loaded; for a folder see inFolder.
type ACPServer struct {
	Name      string
	Transport mcp.Transport // which of the two groups of fields is set
	Command   string        // stdio
	Args      []string      // stdio; never nil
	Env       []Pair        // stdio; never nil, sorted by name
	URL       string        // http, sse
	Headers   []Pair        // http, sse; never nil, sorted by name
}

// Pair is one variable or header.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// MarshalJSON is the entry as the protocol has it, so that a view shows what the
// agent gets.
func (s ACPServer) MarshalJSON() ([]byte, error) {
	if s.Transport == mcp.Stdio {
		return json.Marshal(struct {
			Name    string   `json:"name"`
			Command string   `json:"command"`
			Args    []string `json:"args"`
			Env     []Pair   `json:"env"`
		}{s.Name, s.Command, s.Args, s.Env})
	}
	return json.Marshal(struct {
		Type    mcp.Transport `json:"type"`
		Name    string        `json:"name"`
		URL     string        `json:"url"`
		Headers []Pair        `json:"headers"`
	}{s.Transport, s.Name, s.URL, s.Headers})
}

// ACP returns the catalogue as ACP's mcpServers, in catalogue order.
func ACP(servers mcp.Catalog) ([]ACPServer, error) {
	out := make([]ACPServer, 0, len(servers))
	for _, s := range servers {
		e := ACPServer{Name: s.Name, Transport: s.Transport}
		switch s.Transport {
		case mcp.Stdio:
			e.Command, e.Args = inFolder(s)
			e.Args, e.Env = append([]string{}, e.Args...), pairs(s.Env)
		case mcp.HTTP, mcp.SSE:
			e.URL, e.Headers = s.URL, pairs(s.Headers)
		default:
			return nil, fmt.Errorf("MCP server %q has the unknown transport %q", s.Name, s.Transport)
		}
		out = append(out, e)
	}
	return out, nil
}

func pairs(m map[string]string) []Pair {
	out := make([]Pair, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, Pair{name, m[name]})
	}
	return out
}

// inFolder is the command of a server for a CLI that starts every server in the
// session's folder: with a folder of its own, a shell goes there first and then
// becomes the server. Windows has no such shell; there the folder is left out.
func inFolder(s mcp.Spec) (command string, args []string) {
	if s.Cwd == "" || runtime.GOOS == "windows" {
		return s.Command, s.Args
	}
	return "/bin/sh", append([]string{"-c", `cd -- "$0" && exec "$@"`, s.Cwd, s.Command}, s.Args...)
}
