package pi_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/pi"
	"parley/build/clis"
)

// run is a probe as it is run for every family.
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

// The real programs tell their version, and the models that they have a key for;
// where they have never run, looking leaves nothing behind.
func TestInspect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		cli   *clis.CLI
		auth  string // "" has never run
		login agents.Login
	}{
		{"never run", clis.Pi, "", agents.LoginUnknown},
		{"no key", clis.Pi, `{}`, agents.LoginNo},
		{"with a key", clis.Pi, `{"anthropic": {"type": "api_key", "key": "sk-ant-0123456789"}}`, agents.LoginYes},
		{"older, with a key", clis.PiOld, `{"anthropic": {"type": "api_key", "key": "sk-ant-0123456789"}}`, agents.LoginYes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.cli == clis.PiOld {
				agenttest.Long(t)
			}
			home := t.TempDir()
			if tt.auth != "" {
				dir := filepath.Join(home, ".pi", "agent")
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "auth.json"), []byte(tt.auth), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			install := agents.Install{Path: tt.cli.Path(t)}
			env := install.Environ([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")})
			got := pi.New().Inspect(t.Context(), run, install.Path, env)
			if got.Version != tt.cli.Version || got.Login != tt.login || got.Problem != nil || (len(got.Models) > 0) != (tt.login == agents.LoginYes) {
				t.Errorf("found %+v", got)
			}
			if left, err := os.ReadDir(home); err != nil || tt.auth == "" && len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestInspectOfSomethingElse(t *testing.T) {
	for name, answer := range map[string]func() ([]byte, []byte, int, error){
		"another program": func() ([]byte, []byte, int, error) { return []byte("3.14159\n"), nil, 0, nil },
		"an old Node.js":  func() ([]byte, []byte, int, error) { return nil, []byte("SyntaxError: Unexpected token"), 1, nil },
		"it cannot run":   func() ([]byte, []byte, int, error) { return nil, nil, -1, errors.New("exec format error") },
	} {
		got := pi.New().Inspect(t.Context(), func(context.Context, []string, []string) ([]byte, []byte, int, error) { return answer() }, "/opt/pi", nil)
		if p := got.Problem; p == nil || p.Code != "broken" || p.Evidence == "" || p.Command == "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
