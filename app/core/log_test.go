package core_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/app/core"
)

// What looks like a secret is hidden, in the file and where people look, in
// messages, values, errors and groups.
func TestSecretsAreMasked(t *testing.T) {
	context := "pctx_" + strings.Repeat("a1_-", 11)[:43]
	for name, secret := range map[string]string{
		"context id": context, "bearer": "Bearer abcdefghij0123", "key": "sk-ant-REDACTED",
		"pair": "OPENAI_API_KEY=hunter2hunter2", "json": `"password": "hunter2hunter2"`, "github": "ghp_abcdefghijklmnop0123",
	} {
		var file, people strings.Builder
		log := core.NewLog(&file, slog.NewTextHandler(&people, nil), nil)
		log.With("with", secret).WithGroup("g").Info("said "+secret,
			"value", secret, "error", errors.New(secret), "any", struct{ S string }{secret},
			slog.Group("inner", "value", secret))
		bare := secret[strings.LastIndexAny(secret, " =:")+1:]
		bare = strings.Trim(bare, `"`)
		for where, got := range map[string]string{"file": file.String(), "people": people.String()} {
			if strings.Contains(got, bare) {
				t.Errorf("%s shows in the log for %s: %s", name, where, got)
			}
			if strings.Count(got, "level=INFO") != 1 {
				t.Errorf("%s: the log for %s is %q", name, where, got)
			}
		}
	}
	var file strings.Builder
	core.NewLog(&file, nil, nil).Info("the tokens of two files", "tokens", 12, "path", "/home/me/token.txt")
	if !strings.Contains(file.String(), "the tokens of two files") || !strings.Contains(file.String(), "tokens=12") || !strings.Contains(file.String(), "/home/me/token.txt") {
		t.Errorf("too much is hidden: %s", file.String())
	}
}

// The log does not grow for ever, and no line is torn or lost when it is put
// aside.
func TestLogIsPutAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.log")
	f, err := core.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	const writers, lines, width = 4, 1500, 3 << 10
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range lines {
				if _, err := io.WriteString(f, fmt.Sprintf("%d-%04d %s\n", w, i, strings.Repeat("x", width))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "late"); err == nil {
		t.Error("a closed log took a line")
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) != 3 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil || len(data) > 5<<20 {
			t.Fatalf("%s: %d bytes, %v", name, len(data), err)
		}
		for line := range strings.Lines(string(data)) {
			if len(line) != width+len("0-0000 \n") {
				t.Fatalf("%s has a torn line of %d bytes", name, len(line))
			}
		}
		if info, _ := os.Stat(name); info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
}
