package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/agents/fakemodel"
	"parley/app"
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
	handler := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		s := sdk.NewServer(&sdk.Implementation{Name: "web", Version: "1"}, nil)
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
