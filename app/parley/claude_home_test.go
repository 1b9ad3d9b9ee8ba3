package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/build/clis"
	"parley/mcp"
)

// The tests in claude_*_test.go run the real Claude Code under the real
// programs; only its model is a script. Where the CLI cannot be installed they
// are skipped with that reason.

// apiKey is what the person's environment holds; it must be shown nowhere.
const apiKey = "sk-ant-test-0123456789abcdef"

// claudeHome is the computer of somebody who has Claude Code.
type claudeHome struct {
	*home
	model  *fakemodel.Server
	user   string           // their home folder
	asides fakemodel.Script // steps of the model that are no part of the conversation
}

// newClaude makes one. The model answers by the script.
func newClaude(t *testing.T, script ...fakemodel.Step) *claudeHome {
	t.Helper()
	h := &claudeHome{home: newHome(t)}
	h.user = h.get("HOME")
	h.install(clis.Claude.Path(t))
	model, err := fakemodel.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, r := range model.Unmatched() {
			t.Errorf("the script has no answer to %q", r.LastUserText())
		}
		model.Close()
	})
	h.model = model
	tmp := filepath.Join(h.user, "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	h.env = append(h.env, "CLAUDE_CODE_TMPDIR="+tmp, "CLAUDE_CODE_MAX_RETRIES=1",
		// Nothing but the model is talked to.
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"ANTHROPIC_BASE_URL="+model.URL(), "ANTHROPIC_API_KEY="+apiKey)
	return h
}

// install puts a program where Claude Code's own installer puts it, in place of
// the one that is there.
func (h *claudeHome) install(program string) {
	h.t.Helper()
	link := filepath.Join(h.user, ".local", "bin", "claude")
	err := os.MkdirAll(filepath.Dir(link), 0o700)
	if err == nil {
		if err = os.Remove(link); os.IsNotExist(err) {
			err = nil
		}
	}
	if err == nil && program != "" {
		err = os.Symlink(program, link)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// get looks a variable up.
func (h *home) get(name string) string {
	for _, v := range h.env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// without is the environment without some variables.
func (h *home) without(names ...string) *home {
	other := *h
	other.env = nil
	for _, v := range h.env {
		name, _, _ := strings.Cut(v, "=")
		if !slices.Contains(names, name) {
			other.env = append(other.env, v)
		}
	}
	return &other
}

// claude starts `parley run` with Claude Code in the work folder.
func (h *claudeHome) claude(prompt string, more ...string) *running {
	h.t.Helper()
	return h.start(append([]string{"run", "--agent", "claude", "--json", prompt}, more...)...)
}

// serve starts a back end that has nothing of the caller's variables for Claude
// Code: they come with each run.
func (h *claudeHome) serve() *running {
	h.t.Helper()
	server := h.without("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY").start("serve")
	server.says(server.out, "/link/")
	return server
}

// client speaks to the back end that runs.
func (h *home) client() *api.Client {
	h.t.Helper()
	return api.Dial(apptest.HomeIn(h.t, h.get("PARLEY_HOME")).Socket())
}

// told waits until the model has read the result of a call, and returns it.
func (h *claudeHome) told(call string) fakemodel.Part {
	h.t.Helper()
	r := h.request("the result of "+call, func(r fakemodel.Request) bool { _, ok := r.ToolResult(call); return ok })
	told, _ := r.ToolResult(call)
	return told
}

// asked waits for the model request whose newest text holds the prompt.
func (h *claudeHome) asked(prompt string) fakemodel.Request {
	h.t.Helper()
	return h.request(prompt, fakemodel.UserSays(prompt))
}

// request waits for the first model request that fits.
func (h *claudeHome) request(what string, fits func(fakemodel.Request) bool) fakemodel.Request {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	for n := 1; ; n++ {
		r, err := h.model.Await(ctx, n)
		if err != nil {
			h.t.Fatalf("%s never reached the model: %v", what, err)
		}
		if fits(r) {
			return r
		}
	}
}

// clarified is what the model reads of a question.
type clarified struct {
	ClarifyID string   `json:"clarify_id"`
	Response  string   `json:"response"`
	Reason    string   `json:"reason"`
	Selected  []string `json:"selected"`
	Text      string   `json:"text"`
	Note      string   `json:"note"`
}

func (h *claudeHome) clarified(call string) clarified {
	h.t.Helper()
	part := h.told(call)
	var c clarified
	if err := json.Unmarshal([]byte(part.Text), &c); err != nil || part.IsError {
		h.t.Fatalf("the model read %q (error %v): %v", part.Text, part.IsError, err)
	}
	return c
}

// turnEnded is how the turn of `parley run` ended.
func (r *running) turnEnded() app.TurnEnded {
	r.t.Helper()
	return *r.event(app.EventTurnCompleted).Data.(*app.TurnEnded)
}

// done waits for the end of a run that must have gone well.
func (r *running) done() {
	r.t.Helper()
	if code := r.code(); code != exitDone {
		r.t.Errorf("exit code %d", code)
	}
	if end := r.turnEnded(); end.Status != app.TurnCompleted {
		r.t.Errorf("ended %+v %+v", end, end.Problem)
	}
}

const (
	clarifyTool = "mcp__" + mcp.InteractionServer + "__" + mcp.ToolClarify
	planTool    = "mcp__" + mcp.InteractionServer + "__" + mcp.ToolUpdatePlan
)

var contextIDs = regexp.MustCompile(`context_id="(pctx_[A-Za-z0-9_-]{43})"`)

// contextOf is the context id in the newest input.
func contextOf(r fakemodel.Request) string {
	found := contextIDs.FindAllStringSubmatch(r.LastUserText(), -1) // calls were made since
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1][1]
}

// asks is a model that calls our asking tool with the context id of its newest
// input.
func asks(call, question string, choices ...string) func(fakemodel.Request) fakemodel.Reply {
	return func(r fakemodel.Request) fakemodel.Reply {
		return fakemodel.Blocks(fakemodel.ToolUseOf(call, clarifyTool, map[string]any{
			"context_id": contextOf(r), "question": question, "choices": choices,
		}))
	}
}

// A step that answers what the person says, one that answers the result of a
// call, and one that does that with a tool.
func onSaying(text string, reply fakemodel.Reply) fakemodel.Step {
	return fakemodel.Step{When: fakemodel.UserSays(text), Reply: reply}
}

func onResult(call string, reply fakemodel.Reply) fakemodel.Step {
	return fakemodel.Step{When: fakemodel.HasResult(call), Reply: reply}
}

func use(call, tool string, input map[string]any) fakemodel.Reply {
	return fakemodel.Blocks(fakemodel.ToolUseOf(call, tool, input))
}

// nth waits for the nth question of a kind, from 0, in the output of --json.
func (r *running) nth(kind app.Kind, n int) app.Interaction {
	r.t.Helper()
	return await(r, r.out, func(text string) (app.Interaction, bool) {
		found := 0
		for _, e := range events(r.t, text) {
			if e.Type != app.InteractionEvent(kind, app.StepRequested) {
				continue
			}
			if found == n {
				return *e.Data.(*app.Interaction), true
			}
			found++
		}
		return app.Interaction{}, false
	})
}

// write writes a file below the person's home, or in the work folder when the
// name is absolute.
func (h *claudeHome) write(name, text string) {
	h.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(h.user, name)
	}
	err := os.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o600)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// ownServers gives the person a server of their own and the project one that
// they have allowed.
func (h *claudeHome) ownServers() {
	h.t.Helper()
	h.write(".claude.json", jsonText(h.t, map[string]any{"numStartups": 3, "hasCompletedOnboarding": true,
		"mcpServers": map[string]any{"own": ownServerEntry(h.t)}}))
	h.write(h.work+"/.mcp.json", jsonText(h.t, map[string]any{"mcpServers": map[string]any{"theirs": ownServerEntry(h.t)}}))
	h.write(h.work+"/.claude/settings.local.json", jsonText(h.t, map[string]any{
		"enabledMcpjsonServers": []string{"theirs"}, "permissions": map[string]any{"allow": []string{"mcp__theirs"}}}))
}

// in is the same home for a subtest.
func (h *claudeHome) in(t *testing.T) *claudeHome {
	sub := *h
	base := *h.home
	base.t = t
	sub.home = &base
	return &sub
}
