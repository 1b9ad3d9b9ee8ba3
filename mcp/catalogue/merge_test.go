package catalogue_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"parley/mcp"
	"parley/mcp/catalogue"
)

func ours() mcp.Spec {
	return mcp.Interaction("/opt/parley-mcp", "/run/credential", true, false, mcp.DefaultLimits())
}

func input(c catalogue.Config, agent, profile string) catalogue.Input {
	return catalogue.Input{
		Config: c, Agent: agent, Profile: profile, Known: catalogue.Names(),
		Managed: []mcp.Spec{ours()}, Limits: mcp.DefaultLimits(),
	}
}

func fields(kv ...any) catalogue.Fields {
	f := catalogue.Fields{}
	for i := 0; i < len(kv); i += 2 {
		f[kv[i].(string)] = catalogue.Field{Value: kv[i+1].(catalogue.Value)}
	}
	return f
}

func entry(name string, kv ...any) catalogue.Entry {
	return catalogue.Entry{Name: name, Fields: fields(kv...)}
}

func find(t testing.TB, e catalogue.Effective, name string) catalogue.Server {
	t.Helper()
	for _, s := range e.Servers {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no server %s in %+v", name, e.Servers)
	return catalogue.Server{}
}

func value(t testing.TB, s catalogue.Server, field string) (string, catalogue.Layer) {
	t.Helper()
	f, ok := s.Setting(field)
	if !ok {
		return "", ""
	}
	return f.Value.JSON(), f.Layer
}

// Each nearer layer wins, for the fields that it names and no others, and says
// what it replaced.
func TestNearerLayerWinsFieldByField(t *testing.T) {
	c := catalogue.Config{
		Servers: []catalogue.Entry{entry("docs", "command", catalogue.Text("uvx"), "args", catalogue.List("docs-mcp"), "env.KEY", catalogue.Text("a"), "env.KEEP", catalogue.Text("kept"))},
		Rules: []catalogue.Rule{
			{Agent: "*", Profile: "*", Entry: entry("docs", "timeout", catalogue.Text("1m"), "env.KEY", catalogue.Text("b"))},
			{Agent: "*", Profile: "work", Entry: entry("docs", "timeout", catalogue.Text("2m"))},
			{Agent: "codex", Profile: "*", Entry: entry("docs", "timeout", catalogue.Text("3m"))},
			{Agent: "codex", Profile: "work", Entry: entry("docs", "timeout", catalogue.Text("4m"))},
			{Agent: "pi", Profile: "*", Entry: entry("docs", "command", catalogue.Text("other"))},
		},
	}
	for _, tc := range []struct{ agent, profile, want string }{
		{"claude", "default", "1m"}, {"claude", "work", "2m"}, {"codex", "default", "3m"}, {"codex", "work", "4m"},
	} {
		s := find(t, catalogue.Merge(input(c, tc.agent, tc.profile)), "docs")
		if got, layer := value(t, s, "timeout"); got != `"`+tc.want+`"` || layer != catalogue.LayerOverride {
			t.Errorf("%s/%s: timeout %s from %s", tc.agent, tc.profile, got, layer)
		}
		if s.Spec.Command != "uvx" || s.Spec.Env["KEY"] != "b" || s.Spec.Env["KEEP"] != "kept" {
			t.Errorf("%s/%s: spec %+v", tc.agent, tc.profile, s.Spec)
		}
	}
	f, _ := find(t, catalogue.Merge(input(c, "codex", "work")), "docs").Setting("timeout")
	var past []string
	for _, p := range f.Hides {
		past = append(past, p.Value.JSON()+" "+string(p.Layer)+" "+p.Agent+"/"+p.Profile)
	}
	want := []string{`"3m" overrides codex/*`, `"2m" overrides */work`, `"1m" overrides */*`, "null built_in /"}
	if diff := gocmp.Diff(want, past); diff != "" {
		t.Error(diff)
	}
}

func TestNullRemoves(t *testing.T) {
	c := catalogue.Config{
		Servers: []catalogue.Entry{entry("docs", "command", catalogue.Text("uvx"), "cwd", catalogue.Text("/srv"), "timeout", catalogue.Text("5m"),
			"env.A", catalogue.Text("1"), "env.B", catalogue.Text("2"))},
		Rules: []catalogue.Rule{
			{Agent: "codex", Profile: "*", Entry: entry("docs", "env.A", catalogue.Null(), "cwd", catalogue.Null(), "timeout", catalogue.Null())},
			{Agent: "pi", Profile: "*", Entry: entry("docs", "env", catalogue.Null())},
			{Agent: "pi", Profile: "default", Entry: entry("docs", "env.B", catalogue.Text("again"))},
			{Agent: "grok", Profile: "*", Entry: entry("docs", "command", catalogue.Null())},
		},
	}
	codex := find(t, catalogue.Merge(input(c, "codex", "")), "docs").Spec
	if codex.Cwd != "" || codex.Timeout != 0 || len(codex.Env) != 1 || codex.Env["B"] != "2" {
		t.Errorf("codex gets %+v", codex)
	}
	if pi := find(t, catalogue.Merge(input(c, "pi", "")), "docs").Spec; len(pi.Env) != 1 || pi.Env["B"] != "again" {
		t.Errorf("pi gets %+v", pi)
	}
	if grok := find(t, catalogue.Merge(input(c, "grok", "")), "docs"); grok.State != catalogue.StateIncomplete || grok.Why == "" {
		t.Errorf("grok: %+v", grok)
	}
}

// A disable list is "enabled": false of its scope: a nearer rule turns the
// server on again, one of the same scope does not.
func TestDisableLists(t *testing.T) {
	c := catalogue.Config{
		Servers: []catalogue.Entry{entry("docs", "command", catalogue.Text("uvx"))},
		Rules: []catalogue.Rule{
			{Agent: "codex", Profile: "work", Entry: entry("docs", "enabled", catalogue.Bool(true))},
			{Agent: "pi", Profile: "*", Entry: entry("docs", "enabled", catalogue.Bool(true))},
		},
		Switches: []catalogue.Switch{
			{Agent: "codex", Profile: "*", Name: "docs"}, {Agent: "pi", Profile: "*", Name: "docs"},
			{Agent: "claude", Profile: "*", Name: mcp.OlderInteractionServer},
		},
	}
	for _, tc := range []struct {
		agent, profile, server string
		want                   catalogue.State
	}{
		{"codex", "default", "docs", catalogue.StateOff}, {"codex", "work", "docs", catalogue.StateOn},
		{"pi", "default", "docs", catalogue.StateOff}, {"claude", "default", "docs", catalogue.StateOn},
		{"claude", "default", mcp.InteractionServer, catalogue.StateOff}, {"pi", "default", mcp.InteractionServer, catalogue.StateOn},
	} {
		s := find(t, catalogue.Merge(input(c, tc.agent, tc.profile)), tc.server)
		if s.State != tc.want || (s.Why == "") != (s.State == catalogue.StateOn) {
			t.Errorf("%s of %s/%s is %s (%q), want %s", tc.server, tc.agent, tc.profile, s.State, s.Why, tc.want)
		}
	}
}

// The older name is understood, today's wins field by field within a scope, and
// the server is there once.
func TestOlderNameFollows(t *testing.T) {
	c := catalogue.Config{Rules: []catalogue.Rule{
		{Agent: "pi", Profile: "*", Entry: entry(mcp.OlderInteractionServer, "timeout", catalogue.Text("2h"), "enabled", catalogue.Bool(false))},
		{Agent: "pi", Profile: "*", Entry: entry(mcp.InteractionServer, "enabled", catalogue.Bool(true))},
	}}
	e := catalogue.Merge(input(c, "pi", ""))
	if len(e.Servers) != 1 {
		t.Fatalf("%d servers", len(e.Servers))
	}
	s := find(t, e, mcp.InteractionServer)
	if s.State != catalogue.StateOn || s.Spec.Timeout != 2*time.Hour {
		t.Errorf("state %s, timeout %s", s.State, s.Spec.Timeout)
	}
	if f, _ := s.Setting("timeout"); !f.Older {
		t.Error("the timeout is not marked as coming from the older name")
	}
}

// T01: a limit that would cut a question off is raised, with a notice; one
// under the longest wait shortens the wait.
func TestManagedTimeouts(t *testing.T) {
	for _, tc := range []struct {
		set                 string
		timeout, wait, dead time.Duration
		notices             int
	}{
		{"", 61 * time.Minute, time.Hour, 5 * time.Minute, 0},
		{"30s", 6 * time.Minute, 5 * time.Minute, 5 * time.Minute, 2},
		{"6m", 6 * time.Minute, 5 * time.Minute, 5 * time.Minute, 1},
		{"10m", 10 * time.Minute, 9 * time.Minute, 5 * time.Minute, 1},
		{"61m", 61 * time.Minute, time.Hour, 5 * time.Minute, 0},
		{"3h", 3 * time.Hour, time.Hour, 5 * time.Minute, 0},
	} {
		var c catalogue.Config
		if tc.set != "" {
			c.Rules = []catalogue.Rule{{Agent: "codex", Profile: "*", Entry: entry(mcp.InteractionServer, "timeout", catalogue.Text(tc.set))}}
		}
		e := catalogue.Merge(input(c, "codex", ""))
		s := find(t, e, mcp.InteractionServer)
		if s.Spec.Timeout != tc.timeout || e.Limits.MaxWait != tc.wait || e.Limits.Deadline != tc.dead || len(e.Notices) != tc.notices {
			t.Errorf("%q: timeout %s, limits %+v, notices %q", tc.set, s.Spec.Timeout, e.Limits, e.Notices)
		}
		if e.Limits.ToolBudget() > s.Spec.Timeout {
			t.Errorf("%q: the agent gives up after %s, a question takes up to %s", tc.set, s.Spec.Timeout, e.Limits.ToolBudget())
		}
		// It is the person's own wish that is shown as replaced.
		if f, _ := s.Setting("timeout"); tc.set == "30s" && (f.Layer != catalogue.LayerRaised || f.Hides[0].Value.Text != "30s") {
			t.Errorf("origin %+v", f)
		}
	}
}

// X07, and a person's own rule: nothing but timeout and enabled of a server of
// ours can be changed, and nobody can define one of its name.
func TestManagedServerCannotBeChanged(t *testing.T) {
	evil := entry(mcp.InteractionServer, "command", catalogue.Text("/tmp/evil"), "env.PARLEY_RUN_CREDENTIAL", catalogue.Text("/tmp/x"),
		"args", catalogue.List("x"), "timeout", catalogue.Text("2h"))
	older := evil
	older.Name = mcp.OlderInteractionServer
	c := catalogue.Config{
		Servers: []catalogue.Entry{evil, older},
		Rules:   []catalogue.Rule{{Agent: "*", Profile: "*", Entry: evil}},
	}
	in := input(c, "claude", "")
	in.Project, in.Trusted = []catalogue.Entry{evil, older}, true
	e := catalogue.Merge(in)
	if len(e.Servers) != 1 {
		t.Fatalf("servers: %+v", e.Servers)
	}
	want := ours()
	want.Timeout = 2 * time.Hour
	if diff := gocmp.Diff(want, e.Servers[0].Spec); diff != "" {
		t.Error(diff)
	}
	var paths []string
	for _, p := range catalogue.Check(c, in.Known) {
		if p.Text == "" {
			t.Errorf("%s has no reason", p.Path)
		}
		paths = append(paths, p.Path)
	}
	slices.Sort(paths)
	if diff := gocmp.Diff([]string{
		"overrides.*.*.parley-interaction.args", "overrides.*.*.parley-interaction.command",
		"overrides.*.*.parley-interaction.env.PARLEY_RUN_CREDENTIAL", "servers.parley-interaction", "servers.parley-plan",
	}, paths); diff != "" {
		t.Error(diff)
	}
}

func TestNarrowedUntrustedAndOwn(t *testing.T) {
	c := catalogue.Config{Servers: []catalogue.Entry{
		entry("few", "command", catalogue.Text("x"), "agents", catalogue.List("claude"), "profiles", catalogue.List("work")),
		entry("mine", "command", catalogue.Text("x")),
		entry("both", "command", catalogue.Text("x"), "url", catalogue.Text("http://h")),
		entry("web", "url", catalogue.Text("http://h"), "headers.A", catalogue.Text("b")),
		entry("line", "command", catalogue.Text("node server.js")), // a command line where the program belongs
		entry("spaced", "command", catalogue.Text("/opt/My Notes/serve")),
	}}
	in := input(c, "claude", "default")
	in.Own = []string{"mine", mcp.InteractionServer}
	in.Project = []catalogue.Entry{entry("theirs", "command", catalogue.Text("evil")), entry("mine", "command", catalogue.Text("evil"))}
	states := func(in catalogue.Input) map[string]catalogue.State {
		out := map[string]catalogue.State{}
		for _, s := range catalogue.Merge(in).Servers {
			out[s.Name] = s.State
		}
		return out
	}
	want := map[string]catalogue.State{
		mcp.InteractionServer: catalogue.StateOn, "few": catalogue.StateElsewhere, "mine": catalogue.StateOwn,
		"both": catalogue.StateIncomplete, "line": catalogue.StateIncomplete, "spaced": catalogue.StateOn, "web": catalogue.StateOn, "theirs": catalogue.StateUntrusted,
	}
	if diff := gocmp.Diff(want, states(in)); diff != "" {
		t.Error(diff)
	}
	in.Profile, in.Trusted, in.Own = "work", true, nil
	want["few"], want["mine"], want["theirs"] = catalogue.StateOn, catalogue.StateOn, catalogue.StateOn
	if diff := gocmp.Diff(want, states(in)); diff != "" {
		t.Error(diff)
	}
	if s := find(t, catalogue.Merge(in), "mine"); s.Project || s.Spec.Command != "x" {
		t.Errorf("a project's file took the name of the person's server: %+v", s)
	}
	if s := find(t, catalogue.Merge(in), "web"); s.Spec.Transport != mcp.HTTP {
		t.Errorf("web is %+v", s.Spec)
	}
}

func TestTypingErrorsAreSaid(t *testing.T) {
	c := catalogue.Config{
		Servers:  []catalogue.Entry{entry("docs", "comand", catalogue.Text("x"), "agents", catalogue.List("cladue"))},
		Rules:    []catalogue.Rule{{Agent: "codex", Profile: "*", Entry: entry("dosc", "timeout", catalogue.Text("1m"))}},
		Switches: []catalogue.Switch{{Agent: "grokk", Profile: "*", Name: "docs"}, {Agent: "*", Profile: "*", Name: "ekko-studio-plan"}},
	}
	var got []string
	for _, p := range catalogue.Check(c, catalogue.Names("claude", "codex")) {
		got = append(got, p.Path+": "+p.Text)
	}
	text := strings.Join(got, "\n")
	for _, want := range []string{"servers.docs.comand", "cladue", "There is no server dosc", "grokk", "belongs to Ekko Studio"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said in\n%s", want, text)
		}
	}
	if len(got) != 5 {
		t.Errorf("%d problems:\n%s", len(got), text)
	}
}

var families = []string{"claude", "codex", "opencode", "grok", "pi", "dsh", "acp", "chat", "demo"}

// genConfig makes files that the parser could have read: names are unique in
// their scope.
func genConfig() *rapid.Generator[catalogue.Config] {
	servers := []string{"docs", "web", "db", mcp.InteractionServer, mcp.OlderInteractionServer}
	agents, profiles := []string{"*", "claude", "codex"}, []string{"*", "default", "work"}
	text := rapid.SampledFrom([]string{"a", "b", "c"})
	valueOf := map[string]*rapid.Generator[catalogue.Value]{
		"command": rapid.Map(text, catalogue.Text), "cwd": rapid.Map(text, func(s string) catalogue.Value { return catalogue.Text("/" + s) }),
		"url":   rapid.Map(text, func(s string) catalogue.Value { return catalogue.Text("http://" + s) }),
		"args":  rapid.Map(rapid.SliceOfN(text, 0, 2), func(s []string) catalogue.Value { return catalogue.List(s...) }),
		"env.A": rapid.Map(text, catalogue.Text), "env.B": rapid.Map(text, catalogue.Text), "headers.H": rapid.Map(text, catalogue.Text),
		"timeout": rapid.Map(rapid.SampledFrom([]string{"30s", "7m", "2h"}), catalogue.Text),
		"enabled": rapid.Map(rapid.Bool(), catalogue.Bool), "env": rapid.Just(catalogue.Null()), "agents": rapid.Just(catalogue.List("codex")),
	}
	genFields := rapid.Custom(func(t *rapid.T) catalogue.Fields {
		f := catalogue.Fields{}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(sorted(valueOf)), 0, 5, rapid.ID[string]).Draw(t, "fields") {
			v := valueOf[name].Draw(t, name)
			if rapid.IntRange(0, 4).Draw(t, "null") == 0 {
				v = catalogue.Null()
			}
			f[name] = catalogue.Field{Value: v}
		}
		return f
	})
	return rapid.Custom(func(t *rapid.T) catalogue.Config {
		var c catalogue.Config
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(servers), rapid.ID[string]).Draw(t, "servers") {
			c.Servers = append(c.Servers, catalogue.Entry{Name: name, Fields: genFields.Draw(t, name)})
		}
		for _, a := range agents {
			for _, p := range profiles {
				for _, s := range servers {
					switch rapid.IntRange(0, 5).Draw(t, "rule") {
					case 0:
						c.Rules = append(c.Rules, catalogue.Rule{Agent: a, Profile: p, Entry: catalogue.Entry{Name: s, Fields: genFields.Draw(t, "fields")}})
					case 1:
						c.Switches = append(c.Switches, catalogue.Switch{Agent: a, Profile: p, Name: s})
					}
				}
			}
		}
		return c
	})
}

func sorted[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestMergeKnowsNoOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := genConfig().Draw(t, "config")
		agent, profile := rapid.SampledFrom([]string{"claude", "codex", "pi"}).Draw(t, "agent"), rapid.SampledFrom([]string{"default", "work"}).Draw(t, "profile")
		want := catalogue.Merge(input(c, agent, profile))
		mixed := catalogue.Config{
			Servers:  rapid.Permutation(c.Servers).Draw(t, "s"),
			Rules:    rapid.Permutation(c.Rules).Draw(t, "r"),
			Switches: rapid.Permutation(c.Switches).Draw(t, "d"),
		}
		if diff := gocmp.Diff(want, catalogue.Merge(input(mixed, agent, profile))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// What is in force, written down as servers of their own, is in force again:
// nothing is added, lost or applied twice.
func TestMergeIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := genConfig().Draw(t, "config")
		first := catalogue.Merge(input(c, "codex", "work"))
		var again catalogue.Config
		for _, s := range first.Servers {
			e := catalogue.Entry{Name: s.Name, Fields: catalogue.Fields{}}
			for _, f := range s.Settings {
				if s.Managed && f.Field != "timeout" && f.Field != "enabled" {
					continue
				}
				e.Fields[f.Field] = catalogue.Field{Value: f.Value}
			}
			if s.Managed {
				again.Rules = append(again.Rules, catalogue.Rule{Agent: "*", Profile: "*", Entry: e})
			} else {
				again.Servers = append(again.Servers, e)
			}
		}
		second := catalogue.Merge(input(again, "codex", "work"))
		ignore := cmpopts.IgnoreFields(catalogue.Setting{}, "Origin", "Hides")
		notices := cmpopts.IgnoreFields(catalogue.Effective{}, "Notices") // a limit that was raised is not raised again
		if diff := gocmp.Diff(first, second, ignore, notices); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Whatever the file says, our server is the one that Parley made, with enough
// time for the limits that go with it.
func TestOurServerIsNeverSpoilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := catalogue.Merge(input(genConfig().Draw(t, "config"), "codex", "work"))
		got := e.Servers[0]
		want := ours()
		want.Timeout = got.Spec.Timeout
		if diff := gocmp.Diff(want, got.Spec); diff != "" {
			t.Fatal(diff)
		}
		if got.State == catalogue.StateOn && (got.Spec.Timeout < e.Limits.ToolBudget() || e.Limits.Deadline > e.Limits.MaxWait) {
			t.Fatalf("timeout %s, limits %+v", got.Spec.Timeout, e.Limits)
		}
	})
}

// BenchmarkMerge is the effective view of 200 servers for all families and
// three profiles.
func BenchmarkMerge(b *testing.B) {
	var c catalogue.Config
	for i := range 200 {
		name := fmt.Sprintf("server-%d", i)
		c.Servers = append(c.Servers, entry(name, "command", catalogue.Text("npx"), "args", catalogue.List("-y", name), "env.KEY", catalogue.Text("${env:KEY}")))
		for _, agent := range []string{"*", families[i%len(families)]} {
			c.Rules = append(c.Rules, catalogue.Rule{Agent: agent, Profile: "*", Entry: entry(name, "timeout", catalogue.Text("10m"))})
		}
	}
	for b.Loop() {
		for _, agent := range families {
			for _, profile := range []string{"default", "work", "private"} {
				if e := catalogue.Merge(input(c, agent, profile)); len(e.Servers) != 201 {
					b.Fatal(len(e.Servers))
				}
			}
		}
	}
}
