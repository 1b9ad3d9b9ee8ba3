package profiles_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/profiles"
	"parley/mcp/catalogue"
)

// part is one of those that hold something under a profile's name; it can refuse.
type part struct {
	names   map[string]int
	refuses error
}

func (p *part) Profiles(context.Context) (map[string]int, error) { return p.names, nil }

func (p *part) RenameProfile(_ context.Context, from, to string) error {
	if p.refuses != nil {
		return p.refuses
	}
	if n, ok := p.names[from]; ok {
		delete(p.names, from)
		p.names[to] = n
	}
	return nil
}

func (p *part) RemoveProfile(_ context.Context, name string) error {
	if p.refuses == nil {
		delete(p.names, name)
	}
	return p.refuses
}

type secrets struct{ part }

func (s *secrets) List() (out []app.Secret) {
	for name := range s.names {
		out = append(out, app.Secret{SecretRef: app.SecretRef{Agent: "claude", Profile: name, Name: "KEY"}})
	}
	return out
}

type overrides struct{ part }

func (o *overrides) Profiles() (out []string) {
	for name := range o.names {
		out = append(out, name)
	}
	return out
}

type world struct {
	*testing.T
	path      string
	sessions  *part
	secrets   *secrets
	overrides *overrides
	p         *profiles.Profiles
}

func newWorld(t *testing.T) *world {
	w := &world{
		T: t, path: filepath.Join(t.TempDir(), "profiles.json"), sessions: &part{names: map[string]int{"work": 3, "default": 1}},
		secrets: &secrets{part{names: map[string]int{"work": 1}}}, overrides: &overrides{part{names: map[string]int{"work": 1, "play": 1}}},
	}
	w.open()
	return w
}

// open opens the profiles anew, as a restart does.
func (w *world) open() {
	w.p = profiles.New(profiles.Config{
		Path: w.path, Sessions: w.sessions, Secrets: w.secrets, Overrides: w.overrides,
		Agents: func() []string { return []string{"claude", "codex"} }, Now: func() time.Time { return time.UnixMilli(7) },
	})
}

func (w *world) set(p app.Profile) {
	w.Helper()
	if _, err := w.p.Set(w.Context(), p); err != nil {
		w.Fatal(err)
	}
}

func (w *world) list() string {
	w.Helper()
	all, err := w.p.List(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

var sources = catalogue.Sources{
	Env: func(name string) (string, bool) { return "env-" + name, name == "THERE" },
	Keyring: func(name string) (string, error) {
		if name == "KEY" {
			return "kept", nil
		}
		return "", errors.New("there is no such secret")
	},
}

func TestWhatAnAgentGets(t *testing.T) {
	w := newWorld(t)
	w.set(app.Profile{
		Name: "work", Env: map[string]string{"A": "1", "B": "${env:THERE}/x", "C": "${keyring:KEY}"},
		Agents: map[string]app.ProfileAgent{"claude": {Model: "opus", Effort: "high", Env: map[string]string{"A": "2"}}},
	})
	w.open()
	vars, hidden, err := w.p.Environment("claude", "work", sources)
	if err != nil || !slices.Equal(vars, []string{"A=2", "B=env-THERE/x", "C=kept"}) || !slices.Contains(hidden, "kept") || slices.Contains(hidden, "2") {
		t.Errorf("%q, hidden %q, %v", vars, hidden, err)
	}
	if vars, _, err = w.p.Environment("codex", "work", sources); err != nil || vars[0] != "A=1" {
		t.Errorf("another agent: %q, %v", vars, err)
	}
	if model, effort, err := w.p.Defaults(t.Context(), "claude", "work"); err != nil || model != "opus" || effort != "high" {
		t.Errorf("%q, %q, %v", model, effort, err)
	}
	for _, name := range []string{app.DefaultProfile, "play"} {
		if model, _, err := w.p.Defaults(t.Context(), "claude", name); err != nil || model != "" {
			t.Errorf("%s: %q, %v", name, model, err)
		}
	}
	if _, _, err := w.p.Defaults(t.Context(), "claude", "wrok"); app.ErrorCode(err) != app.CodeInvalidArgument || !strings.Contains(err.Error(), "default, play, work") {
		t.Errorf("a profile that is not there: %v", err)
	}
	if vars, _, err = w.p.Environment("claude", "of no file", sources); err != nil || len(vars) != 0 {
		t.Errorf("a name alone: %q, %v", vars, err)
	}
	w.set(app.Profile{Name: "work", Env: map[string]string{"C": "${keyring:LOST}"}})
	if _, _, err = w.p.Environment("claude", "work", sources); app.ErrorCode(err) != app.CodeUnavailable || !strings.Contains(err.Error(), "LOST") {
		t.Errorf("a secret that is not there: %v", err)
	}
	if info, err := os.Stat(w.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// Whatever refuses, everything is as it was, and the first refusal is told.
func TestANewNameIsWholeOrNot(t *testing.T) {
	refusal := app.Errorf(app.CodeUnavailable, "Locked.")
	for _, refuses := range []string{"sessions", "secrets", "overrides", "nobody"} {
		w := newWorld(t)
		w.set(app.Profile{Name: "work", Env: map[string]string{"A": "1"}})
		switch refuses {
		case "sessions":
			w.sessions.refuses = refusal
		case "secrets":
			w.secrets.refuses = refusal
		case "overrides":
			w.overrides.refuses = refusal
		}
		_, err := w.p.Rename(t.Context(), "work", "job")
		w.open()
		vars, _, _ := w.p.Environment("claude", "work", sources)
		if refuses == "nobody" {
			vars, _, _ = w.p.Environment("claude", "job", sources)
			if err != nil || w.list() != "default job play" || w.sessions.names["job"] != 3 || len(vars) != 1 {
				t.Errorf("%v, %s, %v, %q", err, w.list(), w.sessions.names, vars)
			}
			continue
		}
		if app.ErrorCode(err) != app.CodeUnavailable || w.list() != "default play work" || w.sessions.names["work"] != 3 || w.secrets.names["work"] != 1 || len(vars) != 1 {
			t.Errorf("%s refuses: %v, %s, %v, %q", refuses, err, w.list(), w.sessions.names, vars)
		}
	}
}

// Nobody starts as somebody else because a profile is gone.
func TestRemoved(t *testing.T) {
	w := newWorld(t)
	w.set(app.Profile{Name: "work", Env: map[string]string{"A": "1"}})
	if _, err := w.p.Remove(t.Context(), "work"); err != nil {
		t.Fatal(err)
	}
	w.open()
	if _, _, err := w.p.Environment("claude", "work", sources); app.ErrorCode(err) != app.CodeNotFound {
		t.Errorf("a session of it starts: %v", err)
	}
	if w.list() != "default play" {
		t.Errorf("listed: %s", w.list())
	}
	w.set(app.Profile{Name: "work"})
	if vars, _, err := w.p.Environment("claude", "work", sources); err != nil || len(vars) != 0 {
		t.Errorf("made anew: %q, %v", vars, err)
	}
	w.secrets.refuses = app.Errorf(app.CodeUnavailable, "Locked.")
	if _, err := w.p.Remove(t.Context(), "work"); app.ErrorCode(err) != app.CodeUnavailable || !strings.Contains(w.list(), "work") {
		t.Errorf("with a locked keyring: %v, %s", err, w.list())
	}
}

func TestWhatIsRefused(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("x", 65)
	for _, p := range []app.Profile{
		{Name: ""}, {Name: "*"}, {Name: " a"}, {Name: "a\nb"}, {Name: "a/b"}, {Name: `a"b`}, {Name: long},
		{Name: "a", Env: map[string]string{"A-B": ""}}, {Name: "a", Env: map[string]string{"A": "x\x00"}},
		{Name: "a", Env: map[string]string{"A": "${env:}"}}, {Name: "a", Env: map[string]string{"A": "${keyring:X"}},
		{Name: "a", Agents: map[string]app.ProfileAgent{"nobody": {Model: "x"}}},
		{Name: "a", Agents: map[string]app.ProfileAgent{"claude": {Env: map[string]string{"": "x"}}}},
	} {
		if _, err := w.p.Set(t.Context(), p); app.ErrorCode(err) != app.CodeInvalidArgument {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for _, r := range [][2]string{{"default", "x"}, {"work", "play"}, {"work", "default"}, {"work", " "}, {"work", long}} {
		if _, err := w.p.Rename(t.Context(), r[0], r[1]); app.ErrorCode(err) != app.CodeInvalidArgument {
			t.Errorf("%q: %v", r, err)
		}
	}
	if _, err := w.p.Rename(t.Context(), "nobody's", "x"); app.ErrorCode(err) != app.CodeNotFound {
		t.Error(err)
	}
	if _, err := os.Stat(w.path); err == nil {
		t.Error("something was written")
	}
}

// What a person writes into the file holds for the next agent, and a change of
// ours begins with what stands there by then.
func TestTheFileIsChangedByHand(t *testing.T) {
	w := newWorld(t)
	w.set(app.Profile{Name: "work", Env: map[string]string{"A": "1"}})
	write := func(text string) {
		if err := os.WriteFile(w.path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"version": 1, "profiles": {"work": {"env": {"A": "2"}, "agents": {"claude": {"model": "opus"}}}, "night": {}}}`)
	if vars, _, err := w.p.Environment("claude", "work", sources); err != nil || !slices.Equal(vars, []string{"A=2"}) {
		t.Errorf("%q, %v", vars, err)
	}
	if model, _, err := w.p.Defaults(t.Context(), "claude", "work"); err != nil || model != "opus" {
		t.Errorf("the model is %q, %v", model, err)
	}
	w.set(app.Profile{Name: "day"})
	if list := w.list(); list != "default day night play work" {
		t.Errorf("listed: %s", list)
	}
	for text, line := range map[string]string{
		"{\n": "line 2: ", "{\"version\": 1,\n\"profiles\":\n{]}": "line 3: ", "{\"version\": 1,\n\"profiles\": 3}": "line 2: ",
	} {
		write(text)
		if _, _, err := w.p.Environment("claude", "work", sources); app.ErrorCode(err) != app.CodeUnavailable || !strings.Contains(err.Error(), line) {
			t.Errorf("an agent starts from a broken file: %v", err)
		}
		if _, err := w.p.List(t.Context()); app.ErrorCode(err) != app.CodeUnavailable || !strings.Contains(err.Error(), w.path) {
			t.Errorf("nothing is said of a broken file: %v", err)
		}
	}
	write(`{"version": 1}`)
	if list := w.list(); list != "default play work" {
		t.Errorf("mended: %s", list)
	}
}

// A file that cannot be read is neither replaced nor taken as empty.
func TestBrokenFile(t *testing.T) {
	for _, text := range []string{"{", "", `{"version": 2}`, `{"version": 1, "profiles": []}`} {
		w := newWorld(t)
		if err := os.WriteFile(w.path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		w.open()
		if w.p.Problem() == nil {
			t.Errorf("%q is taken", text)
		}
		if _, _, err := w.p.Environment("claude", "default", sources); err == nil {
			t.Errorf("%q: an agent starts", text)
		}
		if _, err := w.p.Set(t.Context(), app.Profile{Name: "a"}); err == nil {
			t.Errorf("%q: it is written over", text)
		}
		if got, err := os.ReadFile(w.path); err != nil || string(got) != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
}
