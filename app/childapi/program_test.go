//go:build unix

package childapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/app"
	"parley/app/apptest"
	"parley/app/childapi"
	"parley/mcp/bridge"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		os.Exit(play(role))
	}
	goleak.VerifyTestMain(m)
}

// cli is a CLI that has started parley-mcp and speaks raw lines to it.
type cli struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string
	stderr *bytes.Buffer // to be read once ended is closed
	ended  chan struct{}
}

// command is parley-mcp as Parley's entry makes a CLI start it.
func command(t *testing.T, socket, token string) *exec.Cmd {
	t.Helper()
	path := apptest.Program(t, "parley-mcp")
	credential := filepath.Join(t.TempDir(), "credential.json")
	data, err := json.Marshal(bridge.Credential{Version: 1, Socket: socket, Token: token, Family: "claude", ToolPrefix: launch.ToolPrefix})
	if err == nil {
		err = os.WriteFile(credential, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "interaction")
	cmd.Env = []string{"PARLEY_RUN_CREDENTIAL=" + credential, "PARLEY_MCP_USER_CLARIFICATION=1", "SECRET_KEY=not-for-any-log"}
	return cmd
}

func startCLI(t *testing.T, socket, token string) *cli {
	t.Helper()
	c := &cli{t: t, cmd: command(t, socket, token), lines: make(chan string, 1000), stderr: &bytes.Buffer{}, ended: make(chan struct{})}
	c.cmd.Stderr = c.stderr
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.in = in
	go func() {
		defer close(c.ended)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				break
			}
			c.lines <- line
		}
		_ = c.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		<-c.ended
		if t.Failed() && c.stderr.Len() > 0 {
			t.Logf("parley-mcp said: %s", c.stderr)
		}
	})
	return c
}

func (c *cli) send(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.in, format+"\n", args...); err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

func (c *cli) ask(id, contextID string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"parley_clarify","arguments":{"context_id":%q,"question":"Which?","choices":["Hello","Ahoy"]}}}`, id, contextID)
}

// answerTo skips everything up to the answer to a request, and is its line.
func (c *cli) answerTo(id string) string {
	c.t.Helper()
	for {
		line := within(c.t, "an answer", c.lines)
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			c.t.Fatalf("stdout holds what is no protocol: %q", line)
		}
		if string(m.ID) == id {
			return line
		}
	}
}

// quiet fails if anything is said about a request before a ping sent now is
// answered.
func (c *cli) quiet(id string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"quiet","method":"ping"}`)
	for {
		line := within(c.t, "an answer", c.lines)
		if strings.Contains(line, `"id":"quiet"`) {
			return
		}
		if strings.Contains(line, `"id":`+id+`,`) {
			c.t.Errorf("said about request %s: %s", id, line)
		}
	}
}

func (c *cli) exit() int {
	c.t.Helper()
	within(c.t, "the end of parley-mcp", c.ended)
	return c.cmd.ProcessState.ExitCode()
}

func has(t *testing.T, line string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(line, part) {
			t.Errorf("%q is not in %s", part, line)
		}
	}
}

func TestProgramThroughAQuestion(t *testing.T) {
	r := serve(t, nil)
	c := startCLI(t, r.path, token)
	c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	has(t, c.answerTo("0"), "mcp__parley-interaction__parley_clarify", `"protocolVersion":"2025-11-25"`)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	has(t, c.answerTo("1"), `"parley_clarify"`, `"parley_update_plan"`)
	if tools := within(t, "the report of the list", r.listed); len(tools) != 3 {
		t.Errorf("reported %q", tools)
	}

	c.ask("2", "pctx_1")
	a := r.question(t)
	c.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	c.answerTo("3")
	c.send(`{"jsonrpc":"2.0","id":4,"method":"tools/list"}`)
	c.answerTo("4")
	c.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"parley_update_plan","arguments":{"context_id":"pctx_1","plan":[{"id":"1","step":"s","status":"pending"}]}}}`)
	has(t, c.answerTo("5"), `plan-1`)
	c.ask("6", "pctx_1") // a second question of the session
	has(t, c.answerTo("6"), `"isError":true`, "already_pending")
	c.send(`{"jsonrpc":"2.0","id":7,"method":"no/such"}`)
	has(t, c.answerTo("7"), "-32601")

	a.answer <- app.Outcome{Reason: app.ReasonResponse, Response: "Ahoy", Selected: []string{"Ahoy"}}
	has(t, c.answerTo("2"), `"reason":"response"`, `"response":"Ahoy"`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	c.quiet("2")

	c.ask("8", "pctx_2")
	a = r.question(t)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8,"reason":"AbortError"}}`)
	if cause := within(t, "the withdrawal", a.withdrawn); cause != app.CauseMCPCancelled {
		t.Errorf("the app was told %s", cause)
	}
	c.quiet("8")

	_ = c.in.Close()
	if code := c.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, secret := range []string{"not-for-any-log", token} {
		if strings.Contains(c.stderr.String(), secret) {
			t.Errorf("%q was logged", secret)
		}
	}
}

// TestProgramIsCancelledBeforeAnybodyWasAsked: call and cancel in one write. If
// the question still came up, the app must hear that the CLI cancelled it: a
// question that only lost its connection would stay answerable.
func TestProgramIsCancelledBeforeAnybodyWasAsked(t *testing.T) {
	r := serve(t, nil)
	c := startCLI(t, r.path, token)
	for range 30 {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"parley_clarify","arguments":{"context_id":"pctx_1","question":"q"}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		c.quiet("1")
		select {
		case a := <-r.asked:
			if cause := within(t, "the withdrawal", a.withdrawn); cause != app.CauseMCPCancelled {
				t.Errorf("the app was told %s", cause)
			}
		default:
		}
	}
}

func TestProgramEndsWithItsInput(t *testing.T) {
	r := serve(t, nil)
	c := startCLI(t, r.path, token)
	c.ask("1", "pctx_1")
	a := r.question(t)
	_ = c.in.Close()
	if cause := within(t, "the withdrawal", a.withdrawn); cause != app.CauseConnectionClosed {
		t.Errorf("the app was told %s", cause)
	}
	if code := c.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestProgramEndsAtSignals(t *testing.T) {
	r := serve(t, nil)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, os.Kill} {
		c := startCLI(t, r.path, token)
		c.ask("1", "pctx_1")
		a := r.question(t)
		if err := c.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if cause := within(t, "the withdrawal", a.withdrawn); cause != app.CauseConnectionClosed {
			t.Errorf("%v: the app was told %s", sig, cause)
		}
		if code := c.exit(); sig != os.Kill && code != 0 {
			t.Errorf("%v: exit code %d", sig, code)
		}
	}
}

func TestProgramWithAnUnknownToken(t *testing.T) {
	r := serve(t, nil)
	c := startCLI(t, r.path, "another-token")
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	has(t, c.answerTo("1"), `"parley_clarify"`)
	c.ask("2", "pctx_1")
	has(t, c.answerTo("2"), `"isError":true`, `"unauthenticated"`)
	c.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	c.answerTo("3")
}

func TestProgramWithNobodyAtTheSocket(t *testing.T) {
	c := startCLI(t, filepath.Join(t.TempDir(), "no-socket"), token)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	has(t, c.answerTo("1"), `"parley_clarify"`)
	c.ask("2", "pctx_1")
	has(t, c.answerTo("2"), `"isError":true`, `"unavailable"`, "Parley isn't running")
}

func TestTwentyProgramsQuestionsAtOnce(t *testing.T) {
	r := serve(t, nil)
	c := startCLI(t, r.path, token)
	for i := range 20 {
		c.ask(fmt.Sprint(i), fmt.Sprint("pctx_", i))
	}
	for range 20 {
		a := r.question(t)
		a.answer <- app.Outcome{Reason: app.ReasonResponse, Response: "for " + a.contextID + "!"}
	}
	for range 20 {
		var m struct {
			ID     int
			Result struct{ StructuredContent struct{ Response string } }
		}
		if err := json.Unmarshal([]byte(within(t, "an answer", c.lines)), &m); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("for pctx_%d!", m.ID); m.Result.StructuredContent.Response != want {
			t.Errorf("request %d got %q", m.ID, m.Result.StructuredContent.Response)
		}
	}
}

// standIn is the app as a process of its own, to be stopped and killed.
type standIn struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	path  string
}

func startApp(t *testing.T) *standIn {
	t.Helper()
	s := &standIn{t: t, lines: make(chan string, 100), path: filepath.Join(t.TempDir(), "run", "s")}
	s.cmd = exec.Command(os.Args[0])
	s.cmd.Env = append(os.Environ(), roleVar+"=app", "CHILDAPI_TEST_SOCKET="+s.path)
	s.cmd.Stderr = os.Stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.in = in
	done := make(chan struct{})
	go func() {
		defer close(done)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			s.lines <- strings.TrimSpace(line)
		}
	}()
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); <-done; _ = s.cmd.Wait() })
	s.says("serving")
	return s
}

func (s *standIn) says(want string) {
	s.t.Helper()
	if got := within(s.t, want, s.lines); got != want {
		s.t.Fatalf("the app said %q, want %q", got, want)
	}
}

func (s *standIn) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// playApp serves until its stdin ends; every line there answers a question.
func playApp() int {
	ln, err := childapi.Listen(os.Getenv("CHILDAPI_TEST_SOCKET"))
	if err != nil {
		return 1
	}
	s := newSessions()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		c := childapi.Config{Service: s, Ancestors: ancestors, Log: slog.New(slog.DiscardHandler), KeepAlive: 20 * time.Millisecond}
		served <- childapi.New(c).Serve(ctx, ln)
	}()
	fmt.Println("serving")
	go func() {
		in := bufio.NewReader(os.Stdin)
		for a := range s.asked {
			fmt.Println("asked")
			if _, err := in.ReadString('\n'); err != nil {
				cancel()
				return
			}
			a.answer <- app.Outcome{Reason: app.ReasonResponse, Response: "Ahoy"}
		}
	}()
	if <-served != nil {
		return 1
	}
	return 0
}

// TestKilledAppEndsQuestions as cancelled, although the CLI keeps its side open.
func TestKilledAppEndsQuestions(t *testing.T) {
	s := startApp(t)
	c := startCLI(t, s.path, token)
	c.ask("1", "pctx_1")
	s.says("asked")
	s.signal(os.Kill)
	line := c.answerTo("1")
	has(t, line, `"reason":"cancelled"`, "not approval")
	if strings.Contains(line, `"isError":true`) {
		t.Errorf("an error: %s", line)
	}
	_, _ = s.cmd.Process.Wait() // until then its socket may take one more
	c.ask("2", "pctx_1")
	has(t, c.answerTo("2"), `"isError":true`, `"unavailable"`)
	_ = c.in.Close()
	if code := c.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestStoppedAppIsNotGone: it still owns its question, and answers it when it
// goes on. Its connection is silent for many times the keep-alive.
func TestStoppedAppIsNotGone(t *testing.T) {
	s := startApp(t)
	c := startCLI(t, s.path, token)
	c.ask("1", "pctx_1")
	s.says("asked")
	s.signal(syscall.SIGSTOP)
	select {
	case line := <-c.lines:
		t.Errorf("while the app was stopped: %s", line)
	case <-time.After(time.Second): // fifty times the keep-alive
	}
	c.quiet("1")
	c.ask("2", "pctx_2") // a question to a stopped app waits too
	c.quiet("2")
	s.signal(syscall.SIGCONT)
	if _, err := io.WriteString(s.in, "answer\nanswer\n"); err != nil {
		t.Fatal(err)
	}
	got := within(t, "an answer", c.lines) + within(t, "an answer", c.lines)
	has(t, got, `"id":1,`, `"id":2,`)
	if strings.Count(got, `"reason":"response"`) != 2 {
		t.Errorf("got %s", got)
	}
}

// TestProgramTakesLongLines, and ends with a sentence at one that is too long.
func TestProgramTakesLongLines(t *testing.T) {
	r := serve(t, nil)
	c := startCLI(t, r.path, token)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"parley_clarify","arguments":{"context_id":"c","question":"%s"}}}`, bytes.Repeat([]byte("x"), 15_000_000))
	has(t, c.answerTo("1"), `"field":"question"`, "15000000 characters")
	piece := bytes.Repeat([]byte("x"), 1<<20)
	for range 66 {
		if _, err := c.in.Write(piece); err != nil {
			break // it has ended, as it should
		}
	}
	if code := c.exit(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	has(t, c.stderr.String(), "longer than 64 MiB")
}
