//go:build unix

package childapi_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"

	"parley/app"
	"parley/app/childapi"
	"parley/mcp/bridge"
)

// roleVar makes the test binary play another program: see play.
const roleVar = "CHILDAPI_TEST_ROLE"

// TestWhoMayDoWhat is the matrix of endpoint and token. It prints itself.
func TestWhoMayDoWhat(t *testing.T) {
	r := serve(t, nil)
	kinds := []struct{ name, token string }{
		{"no token", ""}, {"unknown", "some-token"}, {"launch", "may-all"}, {"may not ask", "may-plan"}, {"may not plan", "may-ask"},
	}
	r.set(func() {
		r.launches["may-all"] = app.Launch{ID: "l1", MayAsk: true, MayPlan: true}
		r.launches["may-plan"] = app.Launch{ID: "l2", MayPlan: true}
		r.launches["may-ask"] = app.Launch{ID: "l3", MayAsk: true}
	})
	const plan = `{"context_id":"c","plan":[{"id":"1","step":"s","status":"pending"}]}`
	matrix := []struct {
		path, body string
		want       [5]int // as kinds
	}{
		{bridge.PathHello, `{"protocol":1}`, [5]int{401, 401, 200, 200, 200}},
		{bridge.PathReady, `{"tools":["a"]}`, [5]int{401, 401, 200, 200, 200}},
		{bridge.PathPlan, plan, [5]int{401, 401, 200, 200, 403}},
		{bridge.PathClarify, `{"context_id":"c","question":"q"}`, [5]int{401, 401, 200, 403, 200}},
		{bridge.PathCancel, `{"call_id":"none"}`, [5]int{401, 401, 404, 403, 404}}, // 404: let in, but no such call
		{bridge.PathForm, `{}`, [5]int{404, 404, 404, 404, 404}},
		{"/v1/child/other", `{}`, [5]int{404, 404, 404, 404, 404}},
		{"/api/about", `{}`, [5]int{200, 200, 403, 403, 403}}, // who shows a launch token is an agent
		{"/", `{}`, [5]int{404, 404, 404, 404, 404}},
	}
	var out strings.Builder
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "endpoint")
	for _, k := range kinds {
		fmt.Fprint(table, "\t", k.name)
	}
	fmt.Fprintln(table)
	stop := make(chan struct{})
	answered := make(chan struct{})
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
	for _, row := range matrix {
		fmt.Fprint(table, row.path)
		for i, k := range kinds {
			status, body := r.do(t, http.MethodPost, row.path, k.token, row.body)
			fmt.Fprint(table, "\t", status)
			if status != row.want[i] {
				t.Errorf("%s with %s: %d, want %d: %s", row.path, k.name, status, row.want[i], body)
			}
			if status >= 400 && code(body) == "" {
				t.Errorf("%s with %s: no error object: %s", row.path, k.name, body)
			}
		}
		fmt.Fprintln(table)
	}
	close(stop)
	<-answered
	_ = table.Flush()
	t.Logf("\n%s", out.String())
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
	if api, hello := agent(false); api != "200" || hello != "200" {
		t.Errorf("a child of the person: api %s, hello %s; want 200 and 200", api, hello)
	}
	if api, hello := agent(true); api != "403" || hello != "200" {
		t.Errorf("an agent: api %s, hello %s; want 403 and 200", api, hello)
	}
	f := within(t, "the record of the refusal", r.refused)
	if f.PID == 0 || f.UID != os.Getuid() || f.Path != "/api/about" || !strings.Contains(f.Why, "agent") {
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
