package codex_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/agents/codex"
	"parley/build/clis"
	"parley/mcp"
)

// run runs a probe plainly.
func run(ctx context.Context, argv, env []string) (stdout, stderr []byte, code int, err error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &errs
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.Bytes(), errs.Bytes(), exit.ExitCode(), nil
	}
	return out.Bytes(), errs.Bytes(), 0, err
}

// The real program tells its version, whether it is logged in, and its models;
// where it was never started, looking leaves nothing behind.
func TestInspect(t *testing.T) {
	t.Parallel()
	path := clis.Codex.Path(t)
	for _, tt := range []struct {
		name   string
		files  map[string]string // below ~/.codex; nil: there is no such folder
		login  agents.Login
		models bool
	}{
		{"never started", nil, agents.LoginNo, false},
		{"not logged in", map[string]string{}, agents.LoginNo, true},
		{"with a key", map[string]string{"auth.json": `{"OPENAI_API_KEY":"sk-test-0123456789abcdef"}`}, agents.LoginYes, true},
		{"with a provider of their own", map[string]string{"config.toml": "model_provider = \"mine\"\n[model_providers.mine]\nname = \"mine\"\nbase_url = \"http://127.0.0.1:9\"\n"}, agents.LoginUnknown, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + filepath.Join(home, "tmp")}
			if tt.files != nil {
				if err := os.Mkdir(filepath.Join(home, ".codex"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			for name, text := range tt.files {
				if err := os.WriteFile(filepath.Join(home, ".codex", name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := codex.New("test").Inspect(t.Context(), run, path, env)
			if got.Version != "0.171.0" || got.Login != tt.login || got.Problem != nil || (len(got.Models) > 5) != tt.models {
				t.Fatalf("found %+v", got)
			}
			if tt.models && (!slices.Equal(got.Models[0].Efforts, []string{"low", "medium", "high", "xhigh", "max", "ultra"}) || got.Models[0].Name != "GPT-6.2-Sol") {
				t.Errorf("models %+v", got.Models)
			}
			for _, m := range got.Models {
				if m.ID == "codex-auto-review" {
					t.Error("a hidden model is offered")
				}
			}
			if left, err := os.ReadDir(home); err != nil || tt.files == nil && len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// The version decides how Codex is run.
func TestOlderVersionsAnswerOneMessage(t *testing.T) {
	for version, once := range map[string]bool{"0.58.0": true, "0.141.2-alpha.1": true, "0.142.0": false, "0.171.0": false, "1.0.0": false} {
		got := codex.New("test").Inspect(t.Context(), func(context.Context, []string, []string) ([]byte, []byte, int, error) {
			return []byte("codex-cli " + version + "\n"), nil, 0, nil
		}, "/opt/codex", nil)
		if got.Version != version || got.Once != once || got.Problem != nil {
			t.Errorf("%s: %+v", version, got)
		}
	}
	got, err := codex.New("test").Plan(agents.Install{Path: "/opt/codex", Once: true}, agents.SessionSpec{
		Cwd: "/p", Mode: agents.ModeEdits, NativeID: "n1", Model: "gpt-5", Effort: "high", OwnServers: true,
	})
	want := agents.Launch{
		Argv: []string{"/opt/codex", "exec", "--json", "--skip-git-repo-check", "-c", `sandbox_mode="workspace-write"`, "-c", `model="gpt-5"`,
			"-c", `model_reasoning_effort="high"`, "resume", "n1", "-"},
		Dir: "/p", Connect: agents.ConnectStdio, Env: []string{"PATH=/opt"}, Once: true,
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("launch %v (-want +got):\n%s", err, diff)
	}
	if _, err := codex.New("test").Plan(agents.Install{Path: "/opt/codex", Once: true}, agents.SessionSpec{NativeID: "n1", Fork: true}); err == nil {
		t.Error("a fork was planned")
	}
}

func TestInspectOfSomethingElse(t *testing.T) {
	for name, answer := range map[string]func() ([]byte, []byte, int, error){
		"another program": func() ([]byte, []byte, int, error) { return []byte("codex of Hammurabi 1\n"), nil, 0, nil },
		"it fails":        func() ([]byte, []byte, int, error) { return nil, []byte("Missing optional dependency"), 1, nil },
		"it cannot run":   func() ([]byte, []byte, int, error) { return nil, nil, -1, errors.New("exec format error") },
	} {
		got := codex.New("test").Inspect(t.Context(), func(context.Context, []string, []string) ([]byte, []byte, int, error) { return answer() }, "/opt/codex", nil)
		if p := got.Problem; p == nil || p.Code != "broken" || p.Evidence == "" || p.Command == "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestPlan(t *testing.T) {
	spec := agents.SessionSpec{
		Cwd: "/home/ada/project", Mode: agents.ModeFull, Root: true, OwnServers: true,
		Env: []string{"HOME=/home/ada", "OPENAI_API_KEY=sk-very-secret", "CODEX_THREAD_ID=other", "RUST_BACKTRACE=1"},
		Catalog: mcp.Catalog{
			mcp.Interaction("/opt/parley-mcp", "/run/parley/1/credential.json", true, false, mcp.DefaultLimits()),
			{Name: "docs", Transport: mcp.HTTP, URL: "https://docs.example.org/mcp", Headers: map[string]string{"Authorization": "Bearer hush-hush"}},
		},
	}
	got, err := codex.New("test").Plan(agents.Install{Path: "/opt/codex"}, spec)
	want := agents.Launch{
		Argv: []string{"/opt/codex", "app-server"}, Dir: "/home/ada/project", Connect: agents.ConnectStdio,
		Env:    []string{"HOME=/home/ada", "OPENAI_API_KEY=sk-very-secret", "RUST_BACKTRACE=1", "RUST_LIB_BACKTRACE=0", "PATH=/opt"},
		Masked: []string{"Bearer hush-hush", "sk-very-secret"},
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("launch (-want +got):\n%s", diff)
	}
	spec.Mode = "odd"
	if _, err := codex.New("test").Plan(agents.Install{Path: "/opt/codex"}, spec); err == nil {
		t.Error("an unknown mode was planned")
	}
	spec.Mode, spec.Catalog = agents.ModeAsk, mcp.Catalog{{Name: "old", Transport: mcp.SSE}}
	if _, err := codex.New("test").Plan(agents.Install{Path: "/opt/codex"}, spec); err == nil || !strings.Contains(err.Error(), "old") {
		t.Errorf("a server that it cannot use: %v", err)
	}
}

func TestDiagnose(t *testing.T) {
	for _, tt := range []struct {
		exit agents.Exit
		tail string
		code string
		says string
	}{
		{agents.Exit{Code: -1, Signal: "SIGKILL"}, "", "exited", "was killed"},
		{agents.Exit{Code: 2}, "error: unrecognized subcommand 'app-server'", "too_old", "too old"},
		{agents.Exit{Code: 1}, "Error: Missing optional dependency @openai/codex-linux-x64", "broken", "cannot be run"},
		{agents.Exit{Code: 1}, "Error loading config.toml: no", "broken", "configuration"},
		{agents.Exit{Code: 127}, "", "broken", "cannot be run"},
		{agents.Exit{Code: 3}, "what", "exited", "exit code 3"},
		{agents.Exit{}, "", "exited", "ended by itself"},
	} {
		p := codex.New("test").Diagnose(tt.exit, tt.tail)
		if p.Code != tt.code || !strings.Contains(p.Title, tt.says) || p.Advice == "" {
			t.Errorf("%+v %q: %+v", tt.exit, tt.tail, p)
		}
	}
}
