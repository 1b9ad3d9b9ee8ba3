//go:build desktop && linux

package desktop_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/api"
	"parley/build/clis"
)

// hands click in a window or in a browser.
type hands interface {
	click(role, name string)
	picture(name string)
}

// The real Claude Code asks in its three ways, a person answers each by mouse in
// the real window and in a real browser, and the model reads what was said.
func TestClaudeIsAnsweredByHand(t *testing.T) {
	s := newStage(t)
	cli := clis.Claude.Path(t)
	model, err := fakemodel.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	bin := filepath.Join(s.dir, "home/.local/bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(cli, filepath.Join(bin, "claude")); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "ANTHROPIC_BASE_URL="+model.URL(), "ANTHROPIC_API_KEY=sk-ant-test",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")

	s.window()
	s.find("push button", "Start the demo")
	t.Run("window", func(t *testing.T) { claudeAsks(t, s, model, windowHands{s}, app.ByWindow, "In the window") })
	t.Run("browser", func(t *testing.T) { claudeAsks(t, s, model, newBrowser(t, s), app.ByBrowser, "In the browser") })
}

func claudeAsks(t *testing.T, s *stage, model *fakemodel.Server, h hands, by app.By, where string) {
	colour := []any{map[string]any{"question": "Which colour?", "header": "Colour", "multiSelect": false,
		"options": []any{map[string]any{"label": "Red", "description": "Warm"}, map[string]any{"label": "Blue", "description": "Cool"}}}}
	ways := []struct {
		kind   app.Kind
		call   string
		tool   string
		input  func(r fakemodel.Request) map[string]any
		clicks [][2]string
		reads  []string
	}{
		{app.KindClarify, "q", "mcp__parley-interaction__parley_clarify", func(r fakemodel.Request) map[string]any {
			return map[string]any{"context_id": contextID(r), "question": "Which database?", "choices": []string{"Postgres", "SQLite"}}
		}, [][2]string{{"radio", "SQLite"}, {"button", "Send answer"}}, []string{`"reason":"response"`, `"response":"SQLite"`}},
		{app.KindApproval, "p", "Bash", func(fakemodel.Request) map[string]any {
			return map[string]any{"command": "touch made-" + string(by)}
		}, [][2]string{{"button", "Allow once"}}, nil},
		{app.KindNative, "n", "AskUserQuestion", func(fakemodel.Request) map[string]any { return map[string]any{"questions": colour} },
			[][2]string{{"radio", "Blue"}, {"button", "Send answer"}}, []string{`"Which colour?"="Blue"`}},
	}
	for _, w := range ways {
		title := where + " " + string(w.kind)
		call := w.call + string(by)
		model.Add(
			fakemodel.Step{When: fakemodel.UserSays(title), Answer: func(r fakemodel.Request) fakemodel.Reply {
				return fakemodel.Blocks(fakemodel.ToolUseOf(call, w.tool, w.input(r)))
			}},
			fakemodel.Step{When: fakemodel.HasResult(call), Reply: fakemodel.Text("Thank you.")},
		)
		sess, err := s.client().CreateSession(t.Context(), api.NewSession{Agent: "claude", Cwd: filepath.Join(s.dir, "work"), Prompt: title})
		if err != nil {
			t.Fatal(err)
		}
		in := s.waiting(1)[0]
		if in.Kind != w.kind || in.SessionID != sess.ID {
			t.Fatalf("asked %+v, want a %s in %s", in, w.kind, sess.ID)
		}
		h.click("link", title)
		h.picture("claude-" + string(by) + "-" + string(w.kind))
		for _, c := range w.clicks {
			s.act(func() { h.click(c[0], c[1]) }, in.ID, c[0] == "radio")
		}
		told := toldOf(t, model, call)
		for _, want := range w.reads {
			if !strings.Contains(told.Text, want) {
				t.Errorf("%s: the model read %q, want %s in it", w.kind, told.Text, want)
			}
		}
		if told.IsError {
			t.Errorf("%s: the model read an error: %s", w.kind, told.Text)
		}
		s.waiting(0)
		all, err := s.client().Interactions(t.Context(), app.InteractionFilter{SessionID: sess.ID})
		if err != nil || len(all) != 1 || all[0].Outcome == nil || all[0].Outcome.By != by {
			t.Errorf("the record says %+v, %v; want an answer by %s", all, err, by)
		}
		s.until("the turn has ended", func() bool {
			now, err := s.client().Session(t.Context(), sess.ID)
			return err == nil && now.LastStatus == app.TurnCompleted
		})
	}
	if _, err := os.Stat(filepath.Join(s.dir, "work", "made-"+string(by))); err != nil {
		t.Errorf("the allowed command did not run: %v", err)
	}
}

var contextPattern = regexp.MustCompile(`context_id="(pctx_[A-Za-z0-9_-]{43})"`)

// contextID is the one in the newest input.
func contextID(r fakemodel.Request) string {
	found := contextPattern.FindAllStringSubmatch(r.LastUserText(), -1)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1][1]
}

// toldOf waits until the model has read the result of a call.
func toldOf(t *testing.T, model *fakemodel.Server, call string) fakemodel.Part {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*waitLimit)
	defer cancel()
	for n := 1; ; n++ {
		r, err := model.Await(ctx, n)
		if err != nil {
			t.Fatalf("no result of %s reached the model: %v", call, err)
		}
		if p, ok := r.ToolResult(call); ok {
			return p
		}
	}
}

// windowHands use the mouse; roles have other names there.
type windowHands struct{ *stage }

func (h windowHands) click(role, name string) {
	if native, ok := map[string]string{"button": "push button", "radio": "radio button"}[role]; ok {
		role = native
	}
	h.stage.click(role, name)
}

// browser is headless Chromium that a one-time link let in.
type browser struct {
	t   testing.TB
	in  io.Writer
	out *bufio.Scanner
}

func newBrowser(t *testing.T, s *stage) *browser {
	t.Helper()
	serve := exec.CommandContext(t.Context(), filepath.Join(s.bins, "parley"), "serve")
	serve.Env = s.env
	printed, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { serve.Process.Kill(); serve.Wait() })
	link := ""
	for lines := bufio.NewScanner(printed); link == "" && lines.Scan(); {
		if at := strings.Index(lines.Text(), "http://"); at >= 0 && strings.Contains(lines.Text(), "/link/") {
			link = strings.Fields(lines.Text()[at:])[0]
		}
	}
	if link == "" {
		t.Fatal("parley serve printed no link")
	}
	node := exec.CommandContext(t.Context(), "node", "hands.mjs", link)
	node.Dir, node.Stderr = "../../frontend/e2e", os.Stderr
	in, err := node.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); node.Wait() })
	b := &browser{t: t, in: in, out: bufio.NewScanner(out)}
	b.answer("open " + link[:strings.LastIndex(link, "/")])
	return b
}

func (b *browser) click(role, name string) {
	b.t.Helper()
	fmt.Fprintf(b.in, "%s\t%s\n", role, name)
	b.answer("click the " + role + " " + name)
}

func (b *browser) picture(name string) {
	if dir := os.Getenv("PARLEY_PICTURES"); dir != "" {
		fmt.Fprintf(b.in, "picture\t%s\n", filepath.Join(dir, name+".png"))
		b.answer("take a picture")
	}
}

func (b *browser) answer(what string) {
	b.t.Helper()
	if !b.out.Scan() || b.out.Text() != "ok" {
		b.t.Fatalf("%s: %s", what, b.out.Text())
	}
}
