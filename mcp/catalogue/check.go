package catalogue

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley/mcp"
)

// Problem is something in the file that is not in force, with the reason. What
// else the file says holds.
type Problem struct {
	Path string // such as "overrides.codex.default.docs"
	Text string // a sentence for the person
	Place
}

// maxName bounds a server's name: CLIs put it before tool names and cut those
// at 64 characters.
const maxName = 40

// CheckName says what is wrong with the name of a custom server, nil when
// nothing is. CLIs build tool names from it, with "__" between its parts.
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("a server's name must not be empty")
	case len(name) > maxName:
		return fmt.Errorf("a server's name has at most %d characters", maxName)
	case strings.Contains(name, "__"):
		return errors.New(`a server's name must not contain "__": agents use it to tell a server from its tool`)
	}
	for _, r := range name {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' {
			return errors.New("a server's name consists of letters, digits, - and _")
		}
	}
	return nil
}

// CheckField says what is wrong with a value, nil when nothing is. The text is
// a sentence that says what would be right. An unknown field is no error here.
func CheckField(field string, v Value) error {
	want, known := KindOf(field)
	if !known || v.IsNull() {
		return nil
	}
	if v.Kind != want {
		return errors.New(wrongKind(field, want))
	}
	for _, text := range append([]string{v.Text}, v.List...) {
		if strings.ContainsRune(text, 0) {
			return fmt.Errorf("%s must not contain the character NUL", field)
		}
		if err := checkPlaceholders(field, text); err != nil {
			return err
		}
	}
	switch field {
	case FieldTimeout:
		_, err := ParseTimeout(v.Text)
		return err
	case FieldType:
		if !slices.Contains([]mcp.Transport{mcp.Stdio, mcp.HTTP, mcp.SSE}, mcp.Transport(v.Text)) {
			return errors.New(`type must be "stdio", "http" or "sse"`)
		}
	case FieldCommand:
		if strings.TrimSpace(v.Text) == "" {
			return errors.New("command must name a program")
		}
	case FieldURL:
		if strings.Contains(v.Text, "${") {
			return nil // known at launch
		}
		if u, err := url.Parse(v.Text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return errors.New("url must be an http or https address")
		}
	case FieldCwd:
		if !strings.Contains(v.Text, "${") && !filepath.IsAbs(v.Text) {
			return errors.New("cwd must be an absolute path")
		}
	case FieldAgents, FieldProfiles:
		if len(v.List) == 0 {
			return fmt.Errorf("%s must name at least one; leave the field out for all, or set enabled to false for none", field)
		}
	}
	if table, name, ok := strings.Cut(field, "."); ok && !validName(table, name) {
		return fmt.Errorf("%q cannot be the name of a variable or header", name)
	}
	return nil
}

func validName(table, name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r == 0x7f || r == '=' || table == FieldHeaders && (r > 0x7f || r == ':')
	})
}

func wrongKind(field string, want Kind) string {
	switch want {
	case KindList:
		return field + ` must be a list of texts, such as ["one", "two"]`
	case KindBool:
		return field + " must be true or false"
	case KindTable:
		return field + ` must be a table of texts, such as {"KEY": "value"}`
	}
	if field == FieldTimeout {
		return `a duration must be text, such as "10m"`
	}
	return field + " must be text"
}

// ParseTimeout reads a duration text such as "10m".
func ParseTimeout(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf(`%q is no duration; write for instance "90s", "10m" or "1h30m"`, text)
	}
	if d < MinTimeout || d > MaxTimeout {
		return 0, fmt.Errorf("a timeout must be from %s to %s", FormatTimeout(MinTimeout), FormatTimeout(MaxTimeout))
	}
	return d, nil
}

// FormatTimeout writes a duration without parts that are zero: "6m", not "6m0s".
func FormatTimeout(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Known is what a check holds the names of a file against.
type Known struct {
	Managed []string          // names of managed servers
	Older   map[string]string // older name → the managed name of today
	Agents  []string          // families; empty takes every name
}

// Names is what Parley has today.
func Names(agents ...string) Known {
	return Known{
		Managed: []string{mcp.InteractionServer},
		Older:   map[string]string{mcp.OlderInteractionServer: mcp.InteractionServer},
		Agents:  agents,
	}
}

// current is today's name of a server.
func (k Known) current(name string) string {
	if newer, ok := k.Older[name]; ok {
		return newer
	}
	return name
}

func (k Known) managed(name string) bool { return slices.Contains(k.Managed, k.current(name)) }

// Check lists what in a file can never be in force, whatever the agent and the
// profile, in the order of the file.
func Check(c Config, known Known) []Problem {
	var out []Problem
	custom := map[string]bool{}
	for _, e := range c.Servers {
		path := "servers." + e.Name
		custom[e.Name] = true
		if known.managed(e.Name) {
			out = append(out, Problem{path, e.Name + " is managed by Parley, so it cannot be defined anew. Give your server another name.", e.Place})
			continue
		}
		if err := CheckName(e.Name); err != nil {
			out = append(out, Problem{path, sentence(err.Error()), e.Place})
		}
		out = append(out, unknownFields(path, e.Fields)...)
		if f, ok := e.Fields[FieldAgents]; ok {
			for _, a := range f.Value.List {
				out = append(out, known.agent(path+".agents", a, f.Place)...)
			}
		}
	}
	exists := func(name string) bool { return custom[name] || known.managed(name) }
	for _, r := range c.Rules {
		path := "overrides." + r.Agent + "." + r.Profile + "." + r.Name
		out = append(out, known.agent(path, r.Agent, r.Place)...)
		if !exists(r.Name) {
			out = append(out, Problem{path, noServer(r.Name), r.Place})
			continue
		}
		out = append(out, unknownFields(path, r.Fields)...)
		out = append(out, refusals(path, r.Fields, known.managed(r.Name))...)
	}
	for _, s := range c.Switches {
		path := "disabled." + s.Agent + "." + s.Profile
		out = append(out, known.agent(path, s.Agent, s.Place)...)
		if !exists(s.Name) {
			out = append(out, Problem{path, noServer(s.Name), s.Place})
		}
	}
	slices.SortStableFunc(out, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return out
}

func noServer(name string) string {
	if strings.HasPrefix(name, "ekko-studio-") {
		return name + " belongs to Ekko Studio; Parley leaves it alone."
	}
	return "There is no server " + name + "."
}

func (k Known) agent(path, name string, at Place) []Problem {
	// The file outlives the ACP agents of the settings.
	if name == Any || len(k.Agents) == 0 || slices.Contains(k.Agents, name) || strings.HasPrefix(name, "acp:") {
		return nil
	}
	return []Problem{{path, "Parley knows no agent " + name + "; it knows " + strings.Join(k.Agents, ", ") + ".", at}}
}

// unknownFields are kept in the file, since a newer version may know them, but
// a typing error must not go unseen.
func unknownFields(path string, fields Fields) []Problem {
	var out []Problem
	for name, f := range fields {
		if _, ok := KindOf(name); !ok {
			out = append(out, Problem{path + "." + name, "This version of Parley does not know the field " + name + ".", f.Place})
		}
	}
	return out
}

// refusals are the fields of a rule that a rule must not change.
func refusals(path string, fields Fields, managed bool) []Problem {
	var out []Problem
	for name, f := range fields {
		if why := refusal(name, managed); why != "" {
			out = append(out, Problem{path + "." + name, why, f.Place})
		}
	}
	return out
}

// refusal says why a rule must not change a field, "" when it may.
func refusal(field string, managed bool) string {
	_, known := KindOf(field)
	switch {
	case !known:
		return "" // reported as unknown
	case managed && field != FieldTimeout && field != FieldEnabled:
		return "Of a server that Parley manages only timeout and enabled can be changed: with another " + field + " its questions would not reach you."
	case field == FieldAgents || field == FieldProfiles:
		return "An override is for one agent and profile already; " + field + " belongs to the server itself, under servers."
	}
	return ""
}

func sentence(s string) string {
	for i, r := range s {
		return string(unicode.ToUpper(r)) + s[i+len(string(r)):] + "."
	}
	return s
}
