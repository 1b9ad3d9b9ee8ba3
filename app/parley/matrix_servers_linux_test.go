package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/apptest"
	"parley/mcp/inject"
)

// Servers that the person wrote once are called by each CLI: one that is
// started, in a folder of its own, and one over HTTP; what their file leaves to
// be filled in reaches the server and no file.
func cellOverrideServers(t *testing.T, f family) {
	script := []fakemodel.Step{
		onSaying("use both", f.use("o1", "mine", "echo", map[string]any{"text": "said it"})),
		onResult("o1", f.use("o2", "web", "whoami", map[string]any{})),
		onResult("o2", fakemodel.Text("Both answered.")),
	}
	h := newAgent(t, f, script...)
	const token = "from-the-environment-of-the-run"
	made := make(chan *sdk.Server, 100)
	handler := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		s := sdk.NewServer(&sdk.Implementation{Name: "web", Version: "1"}, nil)
		made <- s
		key := r.Header.Get("Authorization")
		sdk.AddTool(s, &sdk.Tool{Name: "whoami"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			answer := "a stranger"
			if key == "Bearer "+token {
				answer = "a friend"
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: answer}}}, nil, nil
		})
		return s
	}, nil)
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	t.Cleanup(func() { // not every CLI says goodbye
		for len(made) > 0 {
			for s := range (<-made).Sessions() {
				_ = s.Close()
			}
		}
	})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	h.run(exitDone, "mcp", "set", "mine", "command="+self, "env."+ownServerVar+"=1", "cwd="+folder, "timeout=7m")
	h.run(exitDone, "mcp", "set", "web", "url="+web.URL, "headers.Authorization=Bearer ${env:WEB_TOKEN}")
	h.run(exitDone, "mcp", "set", "gone", "command=/nowhere/at/all")
	before := h.file()
	h.env = append(h.env, "WEB_TOKEN="+token)

	r := f.begin(h, "servers of the override file", "use both")
	for n := range 2 {
		if f.ungated {
			break
		}
		h.run(exitDone, "answer", r.nth(app.KindApproval, n).ID, "--allow", "once")
	}
	r.done()
	if told := h.told("o1"); !strings.Contains(told.Text, "said it") {
		t.Errorf("the started server: %+v", told)
	}
	if told := h.told("o2"); told.IsError || !strings.Contains(told.Text, "a friend") {
		t.Errorf("the server over HTTP: %+v", told)
	}
	if !strings.Contains(r.out.String(), "The MCP server gone was left out: its command /nowhere/at/all is not there") {
		t.Errorf("nothing is said of the server that cannot be started:\n%s", r.out)
	}
	if h.file() != before {
		t.Errorf("the file became %s", h.file())
	}
	err = filepath.WalkDir(h.get("PARLEY_HOME"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // a socket, or a file that has just gone
		}
		text, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(text), token) {
			t.Errorf("%s holds the secret", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// ownServersStay has a CLI that cannot be told started with the setting all the
// same: its own server runs, and the person is told.
func ownServersStay(h *claudeHome, f family) {
	h.t.Helper()
	h.run(exitFailed, "mcp", "own", "off", "--agent", f.name)
	h.write(apptest.HomeIn(h.t, h.get("PARLEY_HOME")).Settings(), `{"leave_out_own": ["`+f.name+`"]}`)
	r := f.begin(h, "servers of the override file", "build more")
	asked := r.asks(app.KindClarify)
	if tree := h.tree(); !slices.Contains(tree, filepath.Base(os.Args[0])) { // this test binary is their server
		h.t.Errorf("the person's own server does not run: %v", tree)
	}
	h.run(exitDone, "answer", asked.ID, "--choose", "5433")
	r.done()
	if !strings.Contains(r.out.String(), "so they stay") {
		h.t.Errorf("the person is not told:\n%s", r.out)
	}
}

// With the setting the CLI's own servers are not started, those of the override
// file are, and the person's files stay as they are; without it they are back.
func cellOwnServersLeftOut(t *testing.T, f family) {
	h := newAgent(t, f,
		f.onAsking("build it", "q1", "Which database?", "Postgres", "SQLite"), onResult("q1", f.use("o1", "mine", "echo", map[string]any{"text": "said it"})),
		onResult("o1", fakemodel.Text("Then I take that.")),
		f.onAsking("build more", "q2", "Which port?", "5432", "5433"), onResult("q2", fakemodel.Text("That one.")))
	theirs := f.own(h)
	before := sums(t, theirs)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if inject.Leaves(f.name) == inject.LeavesNone {
		ownServersStay(h, f)
		return
	}
	h.run(exitDone, "mcp", "own", "off", "--agent", f.name)
	h.run(exitDone, "mcp", "set", "mine", "command="+self, "args=of-the-override-file", "env."+ownServerVar+"=1")
	if out, _ := h.run(exitDone, "mcp", "own", "--agent", f.name); !strings.Contains(out, "own") || !strings.Contains(out, "left out") {
		t.Errorf("shown is %q", out)
	}
	// started lists the servers that run: this test program, as their command lines.
	started := func() (own, mine int) {
		for _, pid := range processes(t, "", "HOME="+h.user+"\x00") {
			line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
			switch words := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00"); {
			case err != nil || words[0] != self:
			case len(words) > 1:
				mine++
			default:
				own++
			}
		}
		return own, mine
	}

	r := f.begin(h, "servers of the override file", "build it")
	asked := r.asks(app.KindClarify)
	if own, mine := started(); own != 0 || mine == 0 {
		t.Errorf("%d of the person's own servers run, and %d of the override file's", own, mine)
	}
	h.run(exitDone, "answer", asked.ID, "--choose", "SQLite")
	if !f.ungated {
		h.run(exitDone, "answer", r.asks(app.KindApproval).ID, "--allow", "once")
	}
	r.done()
	if told := h.told("o1"); !strings.Contains(told.Text, "said it") {
		t.Errorf("the server of the override file: %+v", told)
	}

	h.run(exitDone, "mcp", "own", "on", "--agent", f.name)
	r = f.begin(h, "servers of the override file", "build more")
	asked = r.asks(app.KindClarify)
	if own, _ := started(); own == 0 {
		t.Error("switched on again, the person's own server does not run")
	}
	h.run(exitDone, "answer", asked.ID, "--choose", "5433")
	r.done()
	for name, sum := range sums(t, theirs) {
		if sum != before[name] {
			t.Errorf("%s was changed", name)
		}
	}
}
