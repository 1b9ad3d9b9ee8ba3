//go:build unix

package childapi_test

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"parley/app"
	"parley/app/childapi"
	"parley/mcp/bridge"
)

// roleVar makes the test binary play another program: see play.
const roleVar = "CHILDAPI_TEST_ROLE"

var update = flag.Bool("update", false, "write the table of who may do what into docs/security.md")

const (
	docsFile   = "../../docs/security.md"
	tableBegin = "<!-- who may do what: go test ./app/childapi -run WhoMayDoWhat -update -->\n"
	tableEnd   = "<!-- end of who may do what -->\n"
)

// callers are who may stand at the socket: what they show, and whether an agent
// is above them.
var callers = []struct {
	name, token string
	agent       bool
}{
	{"the person, no token", "", false},
	{"unknown or revoked token", "some-token", false},
	{"launch token", "may-all", true},
	{"launch token, may not ask", "may-plan", true},
	{"launch token, no plan", "may-ask", true},
	{"launch token, outside the agent", "may-all", false},
	{"an agent, no token", "", true},
}

// access is the matrix of endpoint and key: the status that each caller gets.
// 404 in the row of cancel is let in: there is no such call.
var access = []struct {
	path, body string
	want       [7]int // as callers
}{
	{bridge.PathHello, `{"protocol":1}`, [7]int{401, 401, 200, 200, 200, 200, 401}},
	{bridge.PathReady, `{"tools":["a"]}`, [7]int{401, 401, 200, 200, 200, 200, 401}},
	{bridge.PathPlan, `{"context_id":"c","plan":[{"id":"1","step":"s","status":"pending"}]}`, [7]int{401, 401, 200, 200, 403, 200, 401}},
	{bridge.PathForm, `{"arguments":{}}`, [7]int{401, 401, 200, 403, 200, 200, 401}},
	{bridge.PathClarify, `{"context_id":"c","question":"q"}`, [7]int{401, 401, 200, 403, 200, 200, 401}},
	{bridge.PathCancel, `{"call_id":"none"}`, [7]int{401, 401, 404, 403, 404, 404, 401}},
	{"/v1/child/other", `{}`, [7]int{404, 404, 404, 404, 404, 404, 404}},
	{"/api/about", `{}`, [7]int{200, 200, 403, 403, 403, 403, 403}},
	{"/api/interactions/x/answer", `{}`, [7]int{200, 200, 403, 403, 403, 403, 403}},
	{"/", `{}`, [7]int{404, 404, 404, 404, 404, 404, 404}},
}

// TestWhoMayDoWhat goes through the matrix and prints what it found, which is
// what the documentation says.
func TestWhoMayDoWhat(t *testing.T) {
	r := serve(t, nil)
	r.set(func() {
		r.launches["may-all"] = app.Launch{ID: "l1", MayAsk: true, MayPlan: true}
		r.launches["may-plan"] = app.Launch{ID: "l2", MayPlan: true}
		r.launches["may-ask"] = app.Launch{ID: "l3", MayAsk: true}
	})
	stop, answered := make(chan struct{}), make(chan struct{})
	go func() { // questions that are let in are answered
		defer close(answered)
		for {
			select {
			case a := <-r.asked:
				a.answer <- app.Outcome{Reason: app.ReasonDismissed}
			case <-stop:
				return
			}
		}
	}()
	var out strings.Builder
	fmt.Fprint(&out, "| endpoint |")
	for _, c := range callers {
		fmt.Fprintf(&out, " %s |", c.name)
	}
	out.WriteString("\n|---|" + strings.Repeat("---|", len(callers)) + "\n")
	for _, row := range access {
		fmt.Fprintf(&out, "| `%s` |", row.path)
		for i, c := range callers {
			r.set(func() {
				r.supervised = nil
				if c.agent { // this process is at both ends: now it is an agent's
					r.supervised = []int{os.Getpid()}
				}
			})
			status, body := r.do(t, http.MethodPost, row.path, c.token, row.body)
			fmt.Fprintf(&out, " %d |", status)
			if status != row.want[i] {
				t.Errorf("%s, %s: %d, want %d: %s", row.path, c.name, status, row.want[i], body)
			}
			if status >= 400 && code(body) == "" {
				t.Errorf("%s, %s: no error object: %s", row.path, c.name, body)
			}
		}
		out.WriteString("\n")
	}
	close(stop)
	<-answered
	t.Logf("\n%s", out.String())
	for _, path := range childapi.EndpointPaths() {
		if !strings.Contains(out.String(), "| `"+path+"` |") {
			t.Errorf("%s is not in the matrix", path)
		}
	}
	documented(t, out.String())
}

// documented holds the documentation to the table.
func documented(t *testing.T, table string) {
	t.Helper()
	text, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(text), tableBegin)
	found, after, ok2 := strings.Cut(rest, tableEnd)
	switch {
	case !ok1 || !ok2:
		t.Fatalf("%s has no place for the table", docsFile)
	case found == table:
	case *update:
		if err := os.WriteFile(docsFile, []byte(before+tableBegin+table+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date: run go test ./app/childapi -run WhoMayDoWhat -update", docsFile)
	}
}

func TestOnlyPOST(t *testing.T) {
	r := serve(t, nil)
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		if status, _ := r.do(t, method, bridge.PathHello, token, ""); status != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, status)
		}
	}
}

// TestAgentMayNotUseTheAPI: with real processes. This test is the person, a
// child of it plays the agent's shim, and a grandchild tries.
func TestAgentMayNotUseTheAPI(t *testing.T) {
	r := serve(t, nil)
	agent := func(supervise bool) (api, hello string) {
		// The shim waits for its stdin to end before it starts the grandchild,
		// so that it is known by then.
		shim := exec.Command(os.Args[0])
		shim.Env = append(os.Environ(), roleVar+"=shim", "CHILDAPI_TEST_SOCKET="+r.path)
		var out strings.Builder
		shim.Stdout, shim.Stderr = &out, os.Stderr
		in, err := shim.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := shim.Start(); err != nil {
			t.Fatal(err)
		}
		r.set(func() {
			r.supervised = nil
			if supervise {
				r.supervised = []int{shim.Process.Pid}
			}
		})
		_ = in.Close()
		if err := shim.Wait(); err != nil {
			t.Fatal(err)
		}
		api, hello, ok := strings.Cut(strings.TrimSpace(out.String()), " ")
		if !ok {
			t.Fatalf("the agent said %q", out.String())
		}
		return api, hello
	}
	// What Parley itself started is an agent before anybody says that it is one.
	if api, hello := agent(false); api != "403" || hello != "200" {
		t.Errorf("a child of Parley: api %s, hello %s; want 403 and 200", api, hello)
	}
	if f := within(t, "the record of the refusal", r.refused); !strings.Contains(f.Why, "started it") {
		t.Errorf("recorded %+v", f)
	}
	if api, hello := agent(true); api != "403" || hello != "200" {
		t.Errorf("an agent: api %s, hello %s; want 403 and 200", api, hello)
	}
	f := within(t, "the record of the refusal", r.refused)
	if f.PID == 0 || f.UID != os.Getuid() || f.Path != "/api/about" || !strings.Contains(f.Why, "agent") || !slices.Contains(f.Chain, os.Getpid()) {
		t.Errorf("recorded %+v", f)
	}
}

// play is what this binary does as another program.
func play(role string) int {
	switch role {
	case "shim": // starts the grandchild once its stdin has ended
		_, _ = os.Stdin.Read(make([]byte, 1))
		grandchild := exec.Command(os.Args[0])
		grandchild.Env = append(os.Environ(), roleVar+"=agent")
		grandchild.Stdout, grandchild.Stderr = os.Stdout, os.Stderr
		if grandchild.Run() != nil {
			return 1
		}
	case "agent": // prints the status of an API call and of a hello
		client := overSocket(os.Getenv("CHILDAPI_TEST_SOCKET"))
		api, err := client.Get("http://parley/api/about")
		if err != nil {
			return 1
		}
		req, _ := http.NewRequest(http.MethodPost, "http://parley"+bridge.PathHello, strings.NewReader(`{"protocol":1}`))
		req.Header.Set("Authorization", "Bearer "+token)
		hello, err := client.Do(req)
		if err != nil {
			return 1
		}
		fmt.Println(api.StatusCode, hello.StatusCode)
	case "app":
		return playApp()
	}
	return 0
}

// TestWhoCannotBePlacedIsKeptOut of the API, but not from asking.
func TestWhoCannotBePlacedIsKeptOut(t *testing.T) {
	r := serve(t, func(c *childapi.Config) {
		c.Ancestors = func(int) ([]int, error) { return nil, os.ErrNotExist }
	})
	if status, body := r.do(t, http.MethodGet, "/api/about", "", ""); status != 403 || code(body) != "forbidden" {
		t.Errorf("api: %d %s", status, body)
	}
	if status, _ := r.do(t, http.MethodPost, bridge.PathHello, token, `{"protocol":1}`); status != 200 {
		t.Errorf("hello: %d", status)
	}
}

// TestAnotherUserIsKeptOut even if the folder lets him in.
func TestAnotherUserIsKeptOut(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can play another user")
	}
	dir, err := os.MkdirTemp("", "childapi")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	self := filepath.Join(dir, "test") // go's own build folder is closed to others
	data, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(self, data, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		err = os.Chmod(path, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := serveOn(t, path, ln, nil)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVar+"=agent", "CHILDAPI_TEST_SOCKET="+path)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.Output()
	if err != nil || strings.TrimSpace(string(out)) != "403 403" {
		t.Errorf("another user got %q, %v; want 403 for both", out, err)
	}
	if f := within(t, "the record of the refusal", r.refused); f.UID != 65534 {
		t.Errorf("recorded %+v", f)
	}
}
