package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app"
	"parley/app/settings"
)

func TestACPAgentsAreChecked(t *testing.T) {
	good := app.ACPAgent{ID: "my-agent", Name: "My agent", Command: "my-agent", Args: []string{"acp"}, Env: map[string]string{"API_URL": "http://x"}, Modes: map[string]string{"ask": "", "full": "yolo"}}
	for what, c := range map[string]struct {
		change func(*app.ACPAgent)
		field  string
	}{
		"good":                     {func(*app.ACPAgent) {}, ""},
		"a colon in the id":        {func(a *app.ACPAgent) { a.ID = "my:agent" }, "id"},
		"no id":                    {func(a *app.ACPAgent) { a.ID = "" }, "id"},
		"a long id":                {func(a *app.ACPAgent) { a.ID = strings.Repeat("a", 33) }, "id"},
		"no name":                  {func(a *app.ACPAgent) { a.Name = " " }, "name"},
		"a long name":              {func(a *app.ACPAgent) { a.Name = strings.Repeat("é", 61) }, "name"},
		"no program":               {func(a *app.ACPAgent) { a.Command = " " }, "command"},
		"a zero byte":              {func(a *app.ACPAgent) { a.Args = []string{"a\x00b"} }, "args"},
		"a variable with a blank":  {func(a *app.ACPAgent) { a.Env = map[string]string{"A B": ""} }, "env"},
		"a mode that nobody knows": {func(a *app.ACPAgent) { a.Modes = map[string]string{"yolo": "yolo"} }, "modes"},
	} {
		s := settings.Defaults()
		a := good
		c.change(&a)
		s.ACPAgents = []app.ACPAgent{a}
		field := ""
		_, err := open(t, filepath.Join(t.TempDir(), "settings.json")).Set(t.Context(), s)
		if e, ok := errors.AsType[*app.Error](err); ok {
			field = e.Field
		}
		if want := c.field; want != "" && field != "acp_agents[0]."+want || want == "" && err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	s := settings.Defaults()
	s.ACPAgents = []app.ACPAgent{good, good}
	if _, err := open(t, filepath.Join(t.TempDir(), "settings.json")).Set(t.Context(), s); err == nil {
		t.Error("two agents of one id were taken")
	}
}

// What an entry leaves out is empty for whoever reads the settings, from the
// file and from a change alike.
func TestWhatAnEntryLeavesOutIsEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte(`{"acp_agents":[{"id":"a","name":"A","command":"a"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	f := open(t, path)
	want := []app.ACPAgent{{ID: "a", Name: "A", Command: "a", Args: []string{}, Env: map[string]string{}, Modes: map[string]string{}}}
	if diff := cmp.Diff(want, f.Get().ACPAgents); diff != "" {
		t.Errorf("from the file (-want +got):\n%s", diff)
	}
	s := f.Get()
	s.ACPAgents = []app.ACPAgent{{ID: "a", Name: "A", Command: "a"}}
	s, err := f.Set(t.Context(), s)
	if diff := cmp.Diff(want, s.ACPAgents); err != nil || diff != "" {
		t.Errorf("from a change: %v (-want +got):\n%s", err, diff)
	}
}
