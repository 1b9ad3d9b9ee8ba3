package override_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"parley/mcp/override"
)

// envWriter makes the test program a writer of its own: a folder and a name.
const envWriter = "OVERRIDE_TEST_WRITER"

// edits is how often each writer edits.
const edits = 4

func TestMain(m *testing.M) {
	if name := os.Getenv(envWriter); name != "" {
		if err := writeAs(os.Args[len(os.Args)-1], name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// writeAs adds servers one by one, as another process would.
func writeAs(dir, name string) error {
	f, err := override.Open(config(dir))
	if err != nil {
		return err
	}
	for i := range edits {
		if _, err := f.Edit(context.Background(), "", override.Set(`{"command":"x"}`, "servers", fmt.Sprintf("%s-%d", name, i))); err != nil {
			return err
		}
	}
	return nil
}

func config(dir string) override.Config {
	return override.Config{Path: filepath.Join(dir, "config", "mcp-overrides.jsonc"), State: filepath.Join(dir, "state")}
}

// home makes the folders of one Parley.
func home(t testing.TB) (dir string, cfg override.Config) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"config", "state"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir, config(dir)
}

func open(t testing.TB, cfg override.Config) *override.File {
	t.Helper()
	f, err := override.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
