package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/mcp"
)

var programDir string

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(programDir)
	os.Exit(code)
}

// build makes a program as the Makefile does, without cgo.
func build(pkg string) (string, error) {
	path := filepath.Join(programDir, filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-ldflags", "-s -w -X parley/app.Version=9.8.7", "-o", path, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return path, nil
}

var program = sync.OnceValues(func() (string, error) {
	var err error
	if programDir, err = os.MkdirTemp("", "parley-mcp"); err != nil {
		return "", err
	}
	return build("parley/mcp/parley-mcp")
})

type ran struct {
	code     int
	out, err string
}

// run gives the program its whole input at once and waits for its end.
func run(t *testing.T, env []string, input string, args ...string) ran {
	t.Helper()
	return converse(t, env, input, 0, args...)
}

// converse ends the input only when that many lines came out, since the end of
// the input takes back what waits for an answer.
func converse(t *testing.T, env []string, input string, lines int, args ...string) ran {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append([]string{"SECRET_KEY=not-for-any-log"}, env...)
	rest, more := io.Pipe()
	cmd.Stdin = io.MultiReader(strings.NewReader(input), rest)
	out := &counted{left: lines, all: more}
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &errs
	if lines == 0 {
		more.Close()
	}
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if strings.Contains(errs.String(), "not-for-any-log") {
		t.Error("the environment was logged")
	}
	return ran{cmd.ProcessState.ExitCode(), out.text.String(), errs.String()}
}

// counted closes all when its lines have come.
type counted struct {
	text bytes.Buffer
	left int
	all  io.Closer
}

func (c *counted) Write(p []byte) (int, error) {
	if c.left -= bytes.Count(p, []byte("\n")); c.left <= 0 {
		_ = c.all.Close()
	}
	return c.text.Write(p)
}

const (
	list  = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"
	asked = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"parley_clarify","arguments":{"context_id":"c","question":"q"}}}` + "\n"
)

func TestToolsetIsAnArgumentOrAVariable(t *testing.T) {
	ask := mcp.EnvUserClarification + "=1"
	for _, c := range []struct {
		env  []string
		args []string
		code int
	}{
		{[]string{ask}, []string{"interaction"}, 0},
		{[]string{ask}, []string{"plan"}, 0}, // its older name
		{[]string{ask, mcp.EnvToolset + "=interaction"}, nil, 0},
		{[]string{ask, mcp.EnvToolset + "=other"}, []string{"interaction"}, 0}, // the argument wins
		{[]string{ask}, nil, 2},
		{[]string{ask, mcp.EnvToolset + "=other"}, nil, 2},
		{[]string{ask}, []string{"other"}, 2},
		{[]string{ask}, []string{"interaction", "more"}, 2},
		{[]string{ask}, []string{"start"}, 2},
		{[]string{ask}, []string{"--help"}, 2},
	} {
		r := run(t, c.env, list, c.args...)
		if r.code != c.code {
			t.Errorf("%q %q: exit code %d, want %d", c.env, c.args, r.code, c.code)
		}
		if c.code == 0 && !strings.Contains(r.out, "parley_clarify") {
			t.Errorf("%q %q: answered %q", c.env, c.args, r.out)
		}
		if c.code != 0 && (r.out != "" || !strings.Contains(r.err, "usage: parley-mcp interaction")) {
			t.Errorf("%q %q: stdout %q, stderr %q", c.env, c.args, r.out, r.err)
		}
	}
}

func TestVersion(t *testing.T) {
	if r := run(t, nil, "", "--version"); r.code != 0 || r.out != "parley-mcp 9.8.7\n" {
		t.Errorf("%+v", r)
	}
}

// TestUnusableCredentialIsSaidAtTheCall: the program starts and lists its tools
// all the same.
func TestUnusableCredentialIsSaidAtTheCall(t *testing.T) {
	credential := func(content string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "credential.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const sound = `{"version":1,"socket":"/nowhere/s","token":"the-token"}`
	for what, c := range map[string]struct{ path, code, says string }{
		"none":              {"", "unavailable", "without a credential"},
		"gone":              {"/nowhere/credential.json", "unavailable", "gone"},
		"damaged":           {credential("{", 0o600), "unavailable", "damaged"},
		"open to others":    {credential(sound, 0o644), "unauthenticated", "0644"},
		"of another format": {credential(`{"version":9,"socket":"s","token":"the-token"}`, 0o600), "version_mismatch", "Restart this agent"},
		"sound, but no app": {credential(sound, 0o600), "unavailable", "isn't running"},
	} {
		t.Run(what, func(t *testing.T) {
			env := []string{mcp.EnvUserClarification + "=1"}
			if c.path != "" {
				env = append(env, mcp.EnvRunCredential+"="+c.path)
			}
			r := converse(t, env, list+asked, 2, "interaction")
			if r.code != 0 {
				t.Errorf("exit code %d", r.code)
			}
			answers := map[int]string{}
			for line := range strings.Lines(r.out) {
				var m struct{ ID int }
				if err := json.Unmarshal([]byte(line), &m); err != nil {
					t.Fatalf("stdout holds what is no protocol: %q", line)
				}
				answers[m.ID] = line
			}
			if !strings.Contains(answers[1], `"name":"parley_clarify"`) {
				t.Errorf("listed %s", answers[1])
			}
			for _, part := range []string{`"isError":true`, `"code":"` + c.code + `"`, c.says} {
				if !strings.Contains(answers[2], part) {
					t.Errorf("%q is not in %s", part, answers[2])
				}
			}
			if strings.Contains(r.out+r.err, "the-token") {
				t.Error("the token was shown")
			}
		})
	}
}
