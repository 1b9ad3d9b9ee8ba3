package inject

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/mcp"
)

// openCodeServer is one entry of OpenCode's mcp. Its texts are written by literal
// or reference.
type openCodeServer struct {
	Type        string                     `json:"type"` // local, remote
	Command     []json.RawMessage          `json:"command,omitempty"`
	Environment map[string]json.RawMessage `json:"environment,omitempty"`
	Cwd         json.RawMessage            `json:"cwd,omitempty"`
	URL         json.RawMessage            `json:"url,omitempty"`
	Headers     map[string]json.RawMessage `json:"headers,omitempty"`
	Enabled     bool                       `json:"enabled"`
	// Timeout of one call in milliseconds; the CLI's own is 60,000. The server
	// may take as long to start.
	Timeout int64 `json:"timeout,omitempty"`
}

// OpenCodeRule is one permission rule of OpenCode: of the rules that fit a call
// the last one counts. Permission and Pattern may hold the wildcards * and ?.
type OpenCodeRule struct {
	Permission string `json:"permission"`
	Pattern    string `json:"pattern"`
	Action     string `json:"action"` // allow, ask, deny
}

// OpenCodeOwn is what a launch of OpenCode brings with it beside the servers.
type OpenCodeOwn struct {
	// Content is what the person has in OPENCODE_CONFIG_CONTENT themselves, "" for
	// nothing. It stays in force; ours is laid over it.
	Content string
	// Rules hold for every agent, sub-agents too, after the person's own.
	Rules []OpenCodeRule
	// LeaveOut names servers of theirs that are not started.
	LeaveOut []string
	// Folder is where the generated files will lie; its path is absolute.
	Folder string
}

// OpenCodeFile is a file that the configuration refers to.
type OpenCodeFile struct {
	Path string
	Data []byte
}

// OpenCodeName is how OpenCode spells a server's or a tool's name to its model
// and in its rules: with an underscore for what a function's name may not have.
func OpenCodeName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
}

// OpenCode returns the catalogue and the rules as the JSON of
// OPENCODE_CONFIG_CONTENT, which OpenCode lays over the person's configuration
// key by key and writes nowhere. All that an agent starts inherits that variable,
// so what may be secret in it (headers, and the environment of servers that are
// not ours) stands in files, which the configuration names.
func OpenCode(servers mcp.Catalog, own OpenCodeOwn) (content []byte, files []OpenCodeFile, err error) {
	config := map[string]json.RawMessage{}
	if own.Content != "" {
		if err := json.Unmarshal([]byte(own.Content), &config); err != nil {
			return nil, nil, fmt.Errorf("read the person's OPENCODE_CONFIG_CONTENT: %w", err)
		}
	}
	entries := map[string]json.RawMessage{}
	if raw := config["mcp"]; raw != nil {
		if err := json.Unmarshal(raw, &entries); err != nil {
			return nil, nil, fmt.Errorf("read the person's OPENCODE_CONFIG_CONTENT: mcp: %w", err)
		}
	}
	for _, name := range own.LeaveOut {
		entries[name] = json.RawMessage(`{"enabled":false}`) // laid over theirs
	}
	seen := map[string]bool{}
	for _, s := range servers {
		if seen[s.Name] {
			return nil, nil, fmt.Errorf("two MCP servers are called %q", s.Name)
		}
		seen[s.Name] = true
		e := openCodeServer{Enabled: true, Timeout: s.Timeout.Milliseconds()}
		// apart writes values; those of servers that are not ours into files.
		apart := func(values map[string]string) map[string]json.RawMessage {
			out := make(map[string]json.RawMessage, len(values))
			for _, key := range slices.Sorted(maps.Keys(values)) {
				if s.Managed {
					out[key] = literal(values[key])
					continue
				}
				f := OpenCodeFile{Path: filepath.Join(own.Folder, "opencode-value-"+strconv.Itoa(len(files)+1)), Data: []byte(values[key])}
				files = append(files, f)
				out[key] = quoted(fileReference + f.Path + "}")
			}
			return out
		}
		switch s.Transport {
		case mcp.Stdio:
			e.Type, e.Environment = "local", apart(s.Env)
			for _, word := range append([]string{s.Command}, s.Args...) {
				e.Command = append(e.Command, literal(word))
			}
			if s.Cwd != "" {
				e.Cwd = literal(s.Cwd)
			}
		case mcp.HTTP, mcp.SSE:
			e.Type, e.URL, e.Headers = "remote", literal(s.URL), apart(s.Headers)
		default:
			return nil, nil, fmt.Errorf("MCP server %q has the unknown transport %q", s.Name, s.Transport)
		}
		if entries[s.Name], err = json.Marshal(e); err != nil {
			return nil, nil, err
		}
	}
	if len(entries) > 0 {
		if config["mcp"], err = json.Marshal(entries); err != nil {
			return nil, nil, err
		}
	}
	if len(own.Rules) > 0 {
		if config["permission"], err = openCodeRules(config["permission"], own.Rules); err != nil {
			return nil, nil, err
		}
	}
	content, err = json.Marshal(config)
	return content, files, err
}

// fileReference and envReference begin what OpenCode replaces, anywhere in the
// text of its configuration.
const (
	fileReference = "{file:"
	envReference  = "{env:"
)

// literal writes a text so that OpenCode takes it as it is.
func literal(text string) json.RawMessage {
	raw := quoted(text)
	for _, ref := range []string{fileReference, envReference} {
		raw = bytes.ReplaceAll(raw, []byte(ref), []byte(`\u007b`+ref[1:]))
	}
	return raw
}

// openCodeRules puts rules behind those that are there. In OpenCode's
// configuration they are an object by permission of objects by pattern, and
// their order is that of the text.
func openCodeRules(own json.RawMessage, rules []OpenCodeRule) (json.RawMessage, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	switch own = bytes.TrimSpace(own); {
	case len(own) == 0:
	case own[0] == '{':
		out.Write(bytes.TrimSuffix(own[1:], []byte("}")))
	default: // one word for everything
		fmt.Fprintf(&out, `"*":%s`, own)
	}
	if len(bytes.TrimSpace(out.Bytes()[1:])) > 0 {
		out.WriteByte(',')
	}
	var order []string
	byPermission := map[string][]OpenCodeRule{}
	for _, r := range rules {
		if byPermission[r.Permission] == nil {
			order = append(order, r.Permission)
		}
		byPermission[r.Permission] = append(byPermission[r.Permission], r)
	}
	for i, permission := range order {
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%s:{", quoted(permission))
		for j, r := range byPermission[permission] {
			if j > 0 {
				out.WriteByte(',')
			}
			fmt.Fprintf(&out, "%s:%s", quoted(r.Pattern), quoted(r.Action))
		}
		out.WriteByte('}')
	}
	out.WriteByte('}')
	if !json.Valid(out.Bytes()) {
		return nil, fmt.Errorf("read the person's OPENCODE_CONFIG_CONTENT: permission is %.100s", own)
	}
	return out.Bytes(), nil
}

func quoted(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil {
		panic("inject: " + err.Error()) // a text always can be written
	}
	return raw
}
