package catalogue

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"parley/mcp"
)

// Layer is where a value comes from, the farthest first.
type Layer string

// Layers. A nearer one wins, field by field.
const (
	LayerBuiltIn  Layer = "built_in" // what holds when nobody says anything
	LayerManaged  Layer = "managed"  // Parley's own server
	LayerProject  Layer = "project"  // a file of the project
	LayerServer   Layer = "servers"
	LayerOverride Layer = "overrides"
	LayerDisabled Layer = "disabled"
	LayerRaised   Layer = "raised" // to the least that Parley needs
)

// Origin is where one value comes from.
type Origin struct {
	Layer          Layer
	Agent, Profile string // of an override or a disable list, as written
	Older          bool   // written under the server's older name
	Place
}

// Setting is one field of a server as it is in force.
type Setting struct {
	Field string
	Value Value
	Origin
	Hides []Past // what it replaces, the nearest first
}

// Past is a value that a nearer one replaces.
type Past struct {
	Value Value
	Origin
}

// State says whether an agent gets a server, and else why not.
type State string

// States.
const (
	StateOn         State = "on"
	StateOff        State = "off"        // disabled
	StateElsewhere  State = "elsewhere"  // narrowed to other agents or profiles
	StateIncomplete State = "incomplete" // what it needs is missing
	StateUntrusted  State = "untrusted"  // a project's, and the person has not trusted it
	StateOwn        State = "own"        // the agent has one of that name in its own files
)

// Server is one server as it reaches one agent and profile.
type Server struct {
	Name     string
	Managed  bool
	Project  bool // from a file of the project: placeholders stay as they are
	State    State
	Why      string // a sentence when the state is not on
	Settings []Setting
	// Spec holds placeholders as written. It is whole when the state is on.
	Spec mcp.Spec
}

// Setting returns the setting of a field.
func (s Server) Setting(field string) (Setting, bool) {
	for _, f := range s.Settings {
		if f.Field == field {
			return f, true
		}
	}
	return Setting{}, false
}

// Input is all that decides what one agent gets.
type Input struct {
	Config         Config
	Agent, Profile string // of the session; "" is DefaultProfile
	Known          Known
	Managed        []mcp.Spec // ours, for this launch
	Limits         mcp.Limits
	Project        []Entry  // servers of the project's own file
	Trusted        bool     // the person trusted that file as it is now
	Own            []string // servers in the agent's own files, by name
	OwnOut         bool     // those are left out, but their names stay taken
}

// Effective is what one agent gets.
type Effective struct {
	Servers []Server   // managed ones first, then by name
	Limits  mcp.Limits // of questions, as the overrides leave them
	Notices []string   // sentences that the person should read
}

// On are the servers that the agent gets.
func (e Effective) On() []Server {
	var out []Server
	for _, s := range e.Servers {
		if s.State == StateOn {
			out = append(out, s)
		}
	}
	return out
}

// Merge decides what one agent gets. Fields are merged one by one: built in,
// then the server itself, then rules for every agent, for every agent and this
// profile, for this agent, for this agent and profile. A disable list counts as
// "enabled": false after the rules of the same agent and profile. Rules that
// must not hold (see Check) are left out.
func Merge(in Input) Effective {
	if in.Profile == "" {
		in.Profile = DefaultProfile
	}
	layers := map[string][]layer{}
	for _, m := range in.Managed {
		layers[m.Name] = append(layers[m.Name], layer{fields: managedFields(m), origin: Origin{Layer: LayerManaged}})
	}
	custom := map[string]Place{}
	for _, e := range in.Config.Servers {
		if !in.Known.managed(e.Name) {
			custom[e.Name] = e.Place
			layers[e.Name] = append(layers[e.Name], layer{fields: e.Fields, origin: Origin{Layer: LayerServer, Place: e.Place}})
		}
	}
	project := map[string]bool{}
	for _, e := range in.Project {
		if _, own := custom[e.Name]; !own && !in.Known.managed(e.Name) && CheckName(e.Name) == nil {
			project[e.Name] = true
			layers[e.Name] = append(layers[e.Name], layer{fields: e.Fields, origin: Origin{Layer: LayerProject, Place: e.Place}})
		}
	}
	in.addRules(layers)

	out := Effective{Limits: in.Limits}
	for _, m := range in.Managed {
		s := Server{Name: m.Name, Managed: true, Settings: settle(layers[m.Name])}
		out.Notices = append(out.Notices, s.finishManaged(m, &out.Limits)...)
		out.Servers = append(out.Servers, s)
	}
	out.Servers = slices.Grow(out.Servers, len(custom)+len(project))
	names := slices.Sorted(maps.Keys(custom))
	names = append(names, slices.Sorted(maps.Keys(project))...)
	slices.Sort(names)
	for _, name := range names {
		s := Server{Name: name, Project: project[name], Settings: settle(layers[name])}
		s.finish(in)
		out.Servers = append(out.Servers, s)
	}
	return out
}

// layer is what one place of the file says about one server.
type layer struct {
	near   int // the nearer wins
	fields Fields
	origin Origin
}

// reach is how near a rule's scope is, -1 when it does not hold.
func (in Input) reach(agent, profile string) int {
	near := 1
	switch agent {
	case Any:
	case in.Agent:
		near += 2
	default:
		return -1
	}
	switch profile {
	case Any:
	case in.Profile:
		near++
	default:
		return -1
	}
	return near
}

// addRules lays the overrides and disable lists that hold over the servers.
// Within one scope the older name lies below today's, and a disable list above
// both.
func (in Input) addRules(layers map[string][]layer) {
	const steps = 4
	for _, r := range in.Config.Rules {
		near, name := in.reach(r.Agent, r.Profile), in.Known.current(r.Name)
		if _, ok := layers[name]; !ok || near < 0 {
			continue
		}
		older := name != r.Name
		l := layer{near: near*steps + 1, fields: allowed(r.Fields, in.Known.managed(name)), origin: Origin{LayerOverride, r.Agent, r.Profile, older, r.Place}}
		if older {
			l.near--
		}
		layers[name] = append(layers[name], l)
	}
	for _, s := range in.Config.Switches {
		near, name := in.reach(s.Agent, s.Profile), in.Known.current(s.Name)
		if _, ok := layers[name]; !ok || near < 0 {
			continue
		}
		older := name != s.Name
		l := layer{
			near:   near*steps + 3,
			fields: Fields{FieldEnabled: {Bool(false), s.Place}},
			origin: Origin{LayerDisabled, s.Agent, s.Profile, older, s.Place},
		}
		if older {
			l.near--
		}
		layers[name] = append(layers[name], l)
	}
}

// allowed are the fields that a rule may change. The map belongs to the caller,
// so it is copied when something has to go.
func allowed(fields Fields, managed bool) Fields {
	for name := range fields {
		if refusal(name, managed) != "" {
			fields = maps.Clone(fields)
			maps.DeleteFunc(fields, func(f string, _ Field) bool { return refusal(f, managed) != "" })
			return fields
		}
	}
	return fields
}

// settle lays the layers over each other and returns the settings in the order
// of FieldNames.
func settle(ls []layer) []Setting {
	slices.SortStableFunc(ls, func(a, b layer) int { return cmp.Compare(a.near, b.near) })
	out := make([]Setting, 0, 8)
	out = append(out,
		Setting{Field: FieldEnabled, Value: Bool(true), Origin: Origin{Layer: LayerBuiltIn}},
		Setting{Field: FieldTimeout, Value: Null(), Origin: Origin{Layer: LayerBuiltIn}})
	put := func(s Setting) {
		i := slices.IndexFunc(out, func(o Setting) bool { return o.Field == s.Field })
		if i < 0 {
			out = append(out, s)
			return
		}
		s.Hides = append([]Past{{out[i].Value, out[i].Origin}}, out[i].Hides...)
		out[i] = s
	}
	for _, l := range ls {
		// A whole table goes before what the same place says of its rows.
		for _, table := range []string{FieldEnv, FieldHeaders} {
			if f, ok := l.fields[table]; ok && f.Value.IsNull() {
				for i := range out {
					if strings.HasPrefix(out[i].Field, table+".") {
						put(Setting{Field: out[i].Field, Value: Null(), Origin: at(l.origin, f.Place)})
					}
				}
			}
		}
		for field, f := range l.fields {
			if kind, known := KindOf(field); known && kind != KindTable {
				put(Setting{Field: field, Value: f.Value, Origin: at(l.origin, f.Place)})
			}
		}
	}
	slices.SortFunc(out, func(a, b Setting) int {
		return cmp.Or(cmp.Compare(rank(a.Field), rank(b.Field)), cmp.Compare(a.Field, b.Field))
	})
	return out
}

func at(o Origin, p Place) Origin {
	if p.Line != 0 {
		o.Place = p
	}
	return o
}

// ranks are the places of FieldNames.
var ranks = func() map[string]int {
	m := map[string]int{}
	for i, name := range FieldNames {
		m[name] = i
	}
	return m
}()

func rank(field string) int {
	if i := strings.IndexByte(field, '.'); i >= 0 {
		field = field[:i]
	}
	return ranks[field]
}

// managedFields are what a person may know of a server of ours; its environment
// is no setting.
func managedFields(m mcp.Spec) Fields {
	return Fields{
		FieldType:    {Value: Text(string(m.Transport))},
		FieldCommand: {Value: Text(m.Command)},
		FieldArgs:    {Value: List(m.Args...)},
		FieldTimeout: {Value: Text(FormatTimeout(m.Timeout))},
	}
}

// replace puts a value of Parley's over what was settled.
func (s *Server) replace(field string, v Value, layer Layer) {
	for i, old := range s.Settings {
		if old.Field == field {
			s.Settings[i] = Setting{Field: field, Value: v, Origin: Origin{Layer: layer}, Hides: append([]Past{{old.Value, old.Origin}}, old.Hides...)}
		}
	}
}

// finishManaged makes the spec of a server of ours. The time limit never goes
// under the least; one under the longest wait shortens that.
func (s *Server) finishManaged(m mcp.Spec, limits *mcp.Limits) (notices []string) {
	s.Spec = m.Clone()
	if on, _ := s.Setting(FieldEnabled); !on.isOn(true) {
		s.State, s.Why = StateOff, "It is disabled, so this agent can neither ask you nor show a plan through Parley."
		return nil
	}
	s.State = StateOn
	t, _ := s.Setting(FieldTimeout)
	d, err := ParseTimeout(t.Value.Text)
	if t.Origin.Layer == LayerManaged || t.Value.IsNull() || err != nil {
		return nil // the server's own
	}
	if d < mcp.MinToolBudget {
		s.replace(FieldTimeout, Text(FormatTimeout(mcp.MinToolBudget)), LayerRaised)
		notices = append(notices, fmt.Sprintf("The timeout of %s is set to %s. It was raised to %s, the least that a question needs.",
			s.Name, t.Value.Text, FormatTimeout(mcp.MinToolBudget)))
		d = mcp.MinToolBudget
	}
	s.Spec.Timeout = d
	if d < limits.ToolBudget() {
		*limits = limits.Within(d)
		notices = append(notices, fmt.Sprintf("With its timeout of %s, %s keeps a question of this agent open for at most %s.",
			FormatTimeout(d), s.Name, FormatTimeout(limits.MaxWait)))
	}
	return notices
}

// isOn reads a boolean setting; one that was taken away has its default.
func (f Setting) isOn(otherwise bool) bool {
	if f.Value.Kind != KindBool {
		return otherwise
	}
	return f.Value.Bool
}

// finish makes the spec and the state of a custom server.
func (s *Server) finish(in Input) {
	s.Spec = mcp.Spec{Name: s.Name}
	var agents, profiles []string
	for _, f := range s.Settings {
		if f.Value.IsNull() {
			continue
		}
		table, name, _ := strings.Cut(f.Field, ".")
		switch table {
		case FieldType:
			s.Spec.Transport = mcp.Transport(f.Value.Text)
		case FieldCommand:
			s.Spec.Command = f.Value.Text
		case FieldArgs:
			s.Spec.Args = slices.Clone(f.Value.List)
		case FieldEnv:
			s.Spec.Env = with(s.Spec.Env, name, f.Value.Text)
		case FieldCwd:
			s.Spec.Cwd = f.Value.Text
		case FieldURL:
			s.Spec.URL = f.Value.Text
		case FieldHeaders:
			s.Spec.Headers = with(s.Spec.Headers, name, f.Value.Text)
		case FieldTimeout:
			if d, err := ParseTimeout(f.Value.Text); err == nil {
				s.Spec.Timeout = d
			}
		case FieldAgents:
			agents = f.Value.List
		case FieldProfiles:
			profiles = f.Value.List
		}
	}
	if s.Spec.Transport == "" {
		s.Spec.Transport = mcp.Stdio
		if s.Spec.URL != "" {
			s.Spec.Transport = mcp.HTTP
		}
	}
	enabled, _ := s.Setting(FieldEnabled)
	switch missing := s.missing(); {
	case !enabled.isOn(true):
		s.State, s.Why = StateOff, "It is disabled here."
	case agents != nil && !slices.Contains(agents, Any) && !slices.Contains(agents, in.Agent):
		s.State, s.Why = StateElsewhere, "It is only for "+strings.Join(agents, ", ")+"."
	case profiles != nil && !slices.Contains(profiles, Any) && !slices.Contains(profiles, in.Profile):
		s.State, s.Why = StateElsewhere, "It is only for the profiles "+strings.Join(profiles, ", ")+"."
	case missing != "":
		s.State, s.Why = StateIncomplete, missing
	case CheckName(s.Name) != nil:
		s.State, s.Why = StateIncomplete, sentence(CheckName(s.Name).Error())
	case s.Project && !in.Trusted:
		s.State, s.Why = StateUntrusted, "It comes from a file of the project, which you have not trusted as it is now."
	case slices.Contains(in.Own, s.Name) && in.OwnOut:
		s.State, s.Why = StateOwn, "The agent has a server "+s.Name+" in its own files. That one is left out, but what it says would run into yours: give yours another name."
	case slices.Contains(in.Own, s.Name):
		s.State, s.Why = StateOwn, "The agent has a server "+s.Name+" in its own files, and that one stays in force. Rename yours to have both."
	default:
		s.State = StateOn
	}
}

// missing says what keeps a server from being started, "" when nothing does.
func (s *Server) missing() string {
	stdio := s.Spec.Transport == mcp.Stdio
	switch {
	case s.Spec.Command != "" && s.Spec.URL != "":
		return "It has both a command and a url; one of them must go."
	case stdio && s.Spec.Command == "":
		return "It needs a command, or a url."
	case stdio && strings.ContainsAny(s.Spec.Command, " \t") && !filepath.IsAbs(s.Spec.Command) && !strings.Contains(s.Spec.Command, "${"):
		return "Its command is " + s.Spec.Command + ". Only the program belongs there; the rest goes into args."
	case !stdio && s.Spec.URL == "":
		return "A server of type " + string(s.Spec.Transport) + " needs a url."
	case !stdio && (len(s.Spec.Args) > 0 || len(s.Spec.Env) > 0 || s.Spec.Cwd != ""):
		return "args, env and cwd are for a server with a command, and this one has a url."
	case stdio && len(s.Spec.Headers) > 0:
		return "headers are for a server with a url, and this one has a command."
	}
	return ""
}

func with(m map[string]string, name, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[name] = value
	return m
}
