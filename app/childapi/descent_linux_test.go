package childapi_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/agents/proc"
	"parley/app/apptest"
)

// TestNoDescendantPassesForThePerson: with the real owner of a process tree. An
// agent tries to reach the API in every way in which a program hides where it
// comes from. $TRY prints the status of an API call and of a hello.
func TestNoDescendantPassesForThePerson(t *testing.T) {
	shim := apptest.Program(t, "parley-run")
	for name, script := range map[string]string{
		"itself":            `exec "$TRY"`,
		"through a shell":   `sh -c 'sh -c "\"$TRY\"; :"; :'`,
		"reparented":        `mkfifo f g; (sh -c 'read x <g; "$TRY" >f' &); echo >g; cat f`,
		"double fork":       `mkfifo f g; setsid sh -c 'setsid sh -c "read x <g; \"\$TRY\" >f" </dev/null >/dev/null 2>&1 &' ; echo >g; cat f`,
		"without its names": `mkfifo f; env -i TRY="$TRY" CHILDAPI_TEST_ROLE=agent CHILDAPI_TEST_SOCKET="$CHILDAPI_TEST_SOCKET" setsid nohup sh -c '"$TRY" >f' & cat f`,
	} {
		t.Run(name, func(t *testing.T) {
			r := serve(t, nil)
			p := startAgent(t, r, shim, script)
			out, err := io.ReadAll(p.Stdout())
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(string(out)); got != "403 200" {
				t.Fatalf("the agent got %q, want 403 from the API and 200 from hello", got)
			}
			<-p.Done()
			f := within(t, "the record of the refusal", r.refused)
			if want := fmt.Sprintf("agent of process %d", p.ShimPID()); !strings.Contains(f.Why, want) {
				t.Errorf("refused because %q, want %q", f.Why, want)
			}
		})
	}
}

// TestWhoOutlivesTheAgentReachesNothing: a helper that waits for the agent's end
// before it tries is ended with the tree; the agent's supervision is over only
// then.
func TestWhoOutlivesTheAgentReachesNothing(t *testing.T) {
	r := serve(t, nil)
	p := startAgent(t, r, apptest.Program(t, "parley-run"),
		`trap "" TERM HUP; export AGENT=$$; setsid sh -c 'trap "" TERM HUP; echo $$ >helper; while kill -0 $AGENT 2>/dev/null; do :; done; "$TRY" >result' >/dev/null 2>&1 & while ! [ -s helper ]; do :; done`)
	<-p.Done()
	dir := filepath.Dir(r.path)
	var helper int
	data, err := os.ReadFile(filepath.Join(dir, "helper"))
	if err == nil {
		_, err = fmt.Sscan(string(data), &helper)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(helper, 0); err == nil {
		t.Errorf("the helper %d outlived the tree", helper)
	}
	result, err := os.ReadFile(filepath.Join(dir, "result"))
	if got := strings.TrimSpace(string(result)); err != nil && !os.IsNotExist(err) || got != "" && !strings.HasPrefix(got, "403 ") {
		t.Errorf("the helper got %q, %v", got, err)
	}
}

// startAgent starts a script as an agent that is supervised before it begins.
func startAgent(t *testing.T, r *rig, shim, script string) *proc.Proc {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := proc.Start(proc.Spec{
		Argv: []string{"/bin/sh", "-c", "read begin; " + script}, Dir: filepath.Dir(r.path), Shim: shim,
		Env: append(os.Environ(), roleVar+"=agent", "CHILDAPI_TEST_SOCKET="+r.path, "TRY="+self),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(context.Background()) })
	r.set(func() { r.supervised = []int{p.ShimPID()} })
	if _, err := io.WriteString(p.Stdin(), "\n"); err != nil {
		t.Fatal(err)
	}
	return p
}
