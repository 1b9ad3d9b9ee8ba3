// Package foreign reads what other programs' files say of MCP servers and says
// it in the catalogue's terms. Bytes in, entries out: it opens no file, changes
// none and starts nothing. Nothing is lost in silence: what has no place in the
// catalogue is named in a note. Everything in it may be used from any goroutine.
package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"parley/mcp/catalogue"
)

// Format is a program whose file can be read.
type Format string

// Formats.
const (
	Claude   Format = "claude"   // ~/.claude.json
	Codex    Format = "codex"    // ~/.codex/config.toml
	OpenCode Format = "opencode" // opencode.json, opencode.jsonc
	Gemini   Format = "gemini"   // ~/.gemini/settings.json
	Cursor   Format = "cursor"   // ~/.cursor/mcp.json
	VSCode   Format = "vscode"   // mcp.json, or "mcp" in settings.json
	Ekko     Format = "ekko"     // Ekko Studio's overrides
	Project  Format = "project"  // .mcp.json of a project
)

// Formats lists them for help and messages.
var Formats = []Format{Claude, Codex, OpenCode, Gemini, Cursor, VSCode, Ekko}

// Found is what a file says.
type Found struct {
	Entries  []catalogue.Entry  // by name
	Rules    []catalogue.Rule   // Ekko Studio's
	Switches []catalogue.Switch // Ekko Studio's
	Notes    []string           // sentences on what was left out or changed
}

// maxDepth bounds the nesting of a file: parsers recurse. A file of Claude Code
// holds whole conversations' texts, with brackets that nobody closes.
const maxDepth = 10000

// Parse reads a file's text. The error is a clause for a person, without the
// file's name.
func Parse(format Format, text []byte) (Found, error) {
	file, err := decode(format, text)
	if err != nil {
		return Found{}, err
	}
	r := reader{format: format}
	switch format {
	case Claude, Cursor, Project, Gemini:
		r.servers(file["mcpServers"], r.common)
	case VSCode:
		servers := file["servers"]
		if inner, ok := file["mcp"].(map[string]any); ok && servers == nil {
			servers = inner["servers"]
		}
		r.servers(servers, r.common)
	case Codex:
		r.servers(file["mcp_servers"], r.codex)
	case OpenCode:
		r.servers(file["mcp"], r.openCode)
	case Ekko:
		r.ekko(file)
	default:
		return Found{}, fmt.Errorf("nothing is known of a program %q", format)
	}
	return r.found, nil
}

// Names lists the servers that an agent reads from its own file in a folder,
// ours among them if somebody put one there.
func Names(format Format, text []byte, cwd string) ([]string, error) {
	file, err := decode(format, text)
	if err != nil {
		return nil, err
	}
	key := map[Format]string{Codex: "mcp_servers", OpenCode: "mcp"}[format]
	if key == "" {
		key = "mcpServers"
	}
	servers, _ := file[key].(map[string]any)
	names := slices.Collect(maps.Keys(servers))
	if projects, ok := file["projects"].(map[string]any); ok && format == Claude {
		here, _ := projects[cwd].(map[string]any)
		servers, _ := here[key].(map[string]any)
		names = append(names, slices.Collect(maps.Keys(servers))...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func decode(format Format, text []byte) (map[string]any, error) {
	depth := 0
	for _, c := range text { // brackets in texts count too: a bound, no measure
		switch c {
		case '{', '[':
			if depth++; depth > maxDepth {
				return nil, errors.New("it is nested too deep")
			}
		case '}', ']':
			depth--
		}
	}
	var file map[string]any
	if format == Codex {
		err := toml.Unmarshal(text, &file)
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column := at.Position()
			err = fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(at.Error(), "toml: "))
		}
		return file, err
	}
	plain, err := hujson.Standardize(append(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), '\n'))
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if err := json.Unmarshal(plain, &file); err != nil {
		return nil, errors.New("it is no JSON object")
	}
	return file, nil
}

// reader collects what is found.
type reader struct {
	format Format
	found  Found
}

func (r *reader) note(format string, args ...any) {
	r.found.Notes = append(r.found.Notes, fmt.Sprintf(format, args...))
}

// servers reads a table of servers, each with one.
func (r *reader) servers(v any, one func(*entry, map[string]any)) {
	table, ok := v.(map[string]any)
	if v != nil && !ok {
		r.note("Its servers are no table and were left out.")
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		fields, ok := table[name].(map[string]any)
		if !ok {
			r.note("%s is no table and was left out.", name)
			continue
		}
		if entry, ok := r.entry(name, fields, one); ok {
			r.found.Entries = append(r.found.Entries, entry)
		}
	}
}

func (r *reader) entry(name string, fields map[string]any, one func(*entry, map[string]any)) (catalogue.Entry, bool) {
	if err := catalogue.CheckName(name); err != nil {
		r.note("%s was left out: %s.", name, err)
		return catalogue.Entry{}, false
	}
	if isOurs(fields) {
		r.note("%s is Parley's or Ekko Studio's own server and was left out.", name)
		return catalogue.Entry{}, false
	}
	e := &entry{reader: r, name: name, fields: catalogue.Fields{}, left: maps.Clone(fields)}
	one(e, fields)
	for _, key := range slices.Sorted(maps.Keys(e.left)) {
		r.note("%s: %s has no counterpart here and was left out.", name, key)
	}
	return catalogue.Entry{Name: name, Fields: e.fields}, true
}

// isOurs recognizes a managed server by what marks it.
func isOurs(fields map[string]any) bool {
	for _, table := range []string{"env", "environment"} {
		env, _ := fields[table].(map[string]any)
		for key := range env {
			if key == "PARLEY_MANAGED_MCP" || strings.HasPrefix(key, "EKKO_STUDIO_MCP") {
				return true
			}
		}
	}
	return false
}

// entry is one server while it is read.
type entry struct {
	*reader
	name   string
	fields catalogue.Fields
	left   map[string]any // what nobody has taken yet
}

// put takes a value when it is one, and says so otherwise.
func (e *entry) put(field string, v catalogue.Value) {
	v.Text = e.placeholders(field, v.Text)
	for i := range v.List {
		v.List[i] = e.placeholders(field, v.List[i])
	}
	if err := catalogue.CheckField(field, v); err != nil {
		e.note("%s: %s was left out: %s.", e.name, field, err)
		return
	}
	e.fields[field] = catalogue.Field{Value: v}
}

func (e *entry) text(from map[string]any, key, field string) {
	if v, ok := from[key]; ok {
		delete(e.left, key)
		if s, ok := v.(string); ok && s != "" {
			e.put(field, catalogue.Text(s))
		}
	}
}

func (e *entry) list(from map[string]any, key, field string) {
	if v, ok := from[key]; ok {
		delete(e.left, key)
		if l, ok := texts(v); ok && len(l) > 0 {
			e.put(field, catalogue.List(l...))
		} else if !ok {
			e.note("%s: %s is no list of texts and was left out.", e.name, key)
		}
	}
}

func texts(v any) ([]string, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	out := make([]string, len(list))
	for i, item := range list {
		if out[i], ok = item.(string); !ok {
			return nil, false
		}
	}
	return out, true
}

func (e *entry) table(from map[string]any, key, field, format string) {
	v, ok := from[key]
	if !ok {
		return
	}
	delete(e.left, key)
	table, ok := v.(map[string]any)
	if !ok {
		e.note("%s: %s is no table and was left out.", e.name, key)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		switch value := table[name].(type) {
		case string:
			e.put(field+"."+name, catalogue.Text(fmt.Sprintf(format, value)))
		case bool, float64, int64:
			e.put(field+"."+name, catalogue.Text(fmt.Sprint(value)))
		default:
			e.note("%s: %s.%s is no text and was left out.", e.name, key, name)
		}
	}
}

func (e *entry) enabled(from map[string]any, key string, on bool) {
	if v, ok := from[key].(bool); ok {
		delete(e.left, key)
		if v != on {
			e.put(catalogue.FieldEnabled, catalogue.Bool(false))
		}
	}
}

// timeout reads a number of units.
func (e *entry) timeout(from map[string]any, key string, unit time.Duration) {
	v, ok := from[key]
	if !ok {
		return
	}
	delete(e.left, key)
	var n float64
	switch x := v.(type) {
	case float64:
		n = x
	case int64:
		n = float64(x)
	}
	if n <= 0 || n*float64(unit) > math.MaxInt64/2 {
		e.note("%s: %s is no time and was left out.", e.name, key)
		return
	}
	d := time.Duration(n * float64(unit)).Round(time.Second)
	e.put(catalogue.FieldTimeout, catalogue.Text(catalogue.FormatTimeout(max(d, catalogue.MinTimeout))))
}

// common reads the shape that most programs share.
func (e *reader) common(s *entry, f map[string]any) {
	delete(s.left, "name")
	delete(s.left, "description")
	switch t, _ := f["type"].(string); t {
	case "sse":
		s.text(f, "type", catalogue.FieldType)
	default: // stdio and http are told by command and url
		delete(s.left, "type")
	}
	s.text(f, "command", catalogue.FieldCommand)
	s.list(f, "args", catalogue.FieldArgs)
	s.table(f, "env", catalogue.FieldEnv, "%s")
	s.text(f, "cwd", catalogue.FieldCwd)
	s.text(f, "url", catalogue.FieldURL)
	if e.format == Gemini {
		if _, ok := f["url"]; ok {
			s.put(catalogue.FieldType, catalogue.Text("sse")) // there "url" is the older transport
		}
		s.text(f, "httpUrl", catalogue.FieldURL)
		if _, ok := f["httpUrl"]; ok {
			delete(s.fields, catalogue.FieldType)
		}
	}
	s.table(f, "headers", catalogue.FieldHeaders, "%s")
	s.timeout(f, "timeout", time.Millisecond)
	s.enabled(f, "disabled", false)
	s.enabled(f, "enabled", true)
}

// codex reads an entry of mcp_servers.
func (e *reader) codex(s *entry, f map[string]any) {
	s.text(f, "command", catalogue.FieldCommand)
	s.list(f, "args", catalogue.FieldArgs)
	s.table(f, "env", catalogue.FieldEnv, "%s")
	s.text(f, "cwd", catalogue.FieldCwd)
	s.text(f, "url", catalogue.FieldURL)
	s.table(f, "http_headers", catalogue.FieldHeaders, "%s")
	s.table(f, "env_http_headers", catalogue.FieldHeaders, "${env:%s}")
	if name, ok := f["bearer_token_env_var"].(string); ok {
		delete(s.left, "bearer_token_env_var")
		s.put(catalogue.FieldHeaders+".Authorization", catalogue.Text("Bearer ${env:"+name+"}"))
	}
	if names, ok := texts(f["env_vars"]); ok {
		delete(s.left, "env_vars")
		for _, name := range names {
			s.put(catalogue.FieldEnv+"."+name, catalogue.Text("${env:"+name+"}"))
		}
	}
	s.timeout(f, "tool_timeout_sec", time.Second)
	s.enabled(f, "enabled", true)
}

// openCode reads an entry of mcp.
func (e *reader) openCode(s *entry, f map[string]any) {
	delete(s.left, "type") // told by command and url
	if argv, ok := texts(f["command"]); ok && len(argv) > 0 {
		delete(s.left, "command")
		s.put(catalogue.FieldCommand, catalogue.Text(argv[0]))
		if len(argv) > 1 {
			s.put(catalogue.FieldArgs, catalogue.List(argv[1:]...))
		}
	}
	s.table(f, "environment", catalogue.FieldEnv, "%s")
	s.text(f, "cwd", catalogue.FieldCwd)
	s.text(f, "url", catalogue.FieldURL)
	s.table(f, "headers", catalogue.FieldHeaders, "%s")
	s.timeout(f, "timeout", time.Millisecond)
	s.enabled(f, "enabled", true)
}

// ekkoNames translates the names of Ekko Studio's managed server; what a person
// set for it holds for ours from then on.
var ekkoNames = map[string]string{
	"ekko-studio-interaction": "parley-interaction",
	"ekko-studio-plan":        "parley-interaction",
}

// ekko reads configs and disabled: agent, then profile, then server.
func (r *reader) ekko(file map[string]any) {
	scopes := func(v any, each func(agent, profile string, v any)) {
		agents, _ := v.(map[string]any)
		for _, agent := range slices.Sorted(maps.Keys(agents)) {
			profiles, ok := agents[agent].(map[string]any)
			if !ok {
				each(agent, catalogue.Any, agents[agent])
				continue
			}
			for _, profile := range slices.Sorted(maps.Keys(profiles)) {
				each(agent, profile, profiles[profile])
			}
		}
	}
	scopes(file["configs"], func(agent, profile string, v any) {
		servers, ok := v.(map[string]any)
		if !ok {
			r.note("configs.%s.%s is no table and was left out.", agent, profile)
		}
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			fields, ok := servers[name].(map[string]any)
			if !ok {
				r.note("configs.%s.%s.%s is no table and was left out.", agent, profile, name)
				continue
			}
			if ours, managed := ekkoNames[name]; managed {
				name = ours
			}
			if e, ok := r.entry(name, fields, r.common); ok {
				r.found.Rules = append(r.found.Rules, catalogue.Rule{Agent: agent, Profile: profile, Entry: e})
			}
		}
	})
	scopes(file["disabled"], func(agent, profile string, v any) {
		names, ok := texts(v)
		if !ok {
			r.note("disabled.%s.%s is no list and was left out.", agent, profile)
		}
		for _, name := range names {
			if ours, managed := ekkoNames[name]; managed {
				name = ours
			}
			r.found.Switches = append(r.found.Switches, catalogue.Switch{Agent: agent, Profile: profile, Name: name})
		}
	})
}

// spellings of a variable in other programs' files.
var (
	dollar   = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	bare     = regexp.MustCompile(`\$([A-Za-z_][A-Za-z0-9_]*)`)
	braces   = regexp.MustCompile(`\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)
	foreigns = regexp.MustCompile(`\$\{(?:[A-Za-z_][A-Za-z0-9_]*:-[^}]*|input:[^}]*|workspaceFolder[^}]*|userHome[^}]*|command:[^}]*|config:[^}]*)\}|\{file:[^}]*\}`)
)

// placeholders writes variables as this program does. A project's file stays as
// it is: its placeholders are not filled in.
func (e *entry) placeholders(field, text string) string {
	if !strings.ContainsAny(text, "${") || e.format == Project {
		return text
	}
	switch e.format {
	case OpenCode:
		text = braces.ReplaceAllString(text, "$${env:$1}")
	case Claude, Cursor:
		text = dollar.ReplaceAllString(text, "$${env:$1}")
	case Gemini:
		text = dollar.ReplaceAllString(text, "$${env:$1}")
		text = bare.ReplaceAllString(text, "$${env:$1}")
	}
	if found := foreigns.FindString(text); found != "" {
		e.note("%s: %s holds %s, which is not filled in here. Put the value itself, ${env:NAME} or ${keyring:NAME} there.", e.name, field, found)
	}
	return text
}
