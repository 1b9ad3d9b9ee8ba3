package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/mcp"
)

// A server that is started by a file is that program, with its arguments and each
// variable as it is, whatever it is called.
func TestStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has no env(1)")
	}
	file := func(s mcp.Start) string {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "server.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	want := map[string]string{"PLAIN": "a", "spring.key-1": "it's \"quoted\" $HOME `x`\nand long", "1ST": "", "Ключ": "🤔", "SECRET_KEY": "another"}
	r := run(t, []string{"KEPT=yes", "PATH=" + os.Getenv("PATH")}, "", "start", file(mcp.Start{Command: "env", Args: []string{"-0"}, Env: want}))
	got := map[string]string{}
	for _, kv := range strings.Split(r.out, "\x00") {
		name, value, _ := strings.Cut(kv, "=")
		got[name] = value
	}
	for name, value := range want {
		if have, ok := got[name]; !ok || have != value {
			t.Errorf("%s is %q, want %q", name, have, value)
		}
	}
	if r.code != 0 || got["KEPT"] != "yes" {
		t.Errorf("%+v", r)
	}
	if r := run(t, nil, "words", "start", file(mcp.Start{Command: "/bin/sh", Args: []string{"-c", "cat; kill -PIPE $$; exit 1"}})); r.code != -1 || r.out != "words" {
		t.Errorf("a server that reads and ends by a signal: %+v", r)
	}
	for what, path := range map[string]string{
		"no file": "/nowhere/server.json", "no program": file(mcp.Start{Command: "/nowhere/program"}),
		"no name": file(mcp.Start{Command: "/bin/sh", Env: map[string]string{"a=b": "hush"}}),
	} {
		if r := run(t, nil, "", "start", path); r.code != 1 || !strings.Contains(r.err, path) || strings.Contains(r.err, "hush") {
			t.Errorf("%s: %+v", what, r)
		}
	}
}
