package opencode_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/opencode"
	"parley/build/clis"
)

// probe runs a probe plainly.
func probe(ctx context.Context, argv, env []string) (stdout, stderr []byte, code int, err error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &errs
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.Bytes(), errs.Bytes(), exit.ExitCode(), nil
	}
	return out.Bytes(), errs.Bytes(), 0, err
}

// files lists what is below a folder.
func files(t *testing.T, folder string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// Looking at an install that was never started leaves nothing behind; of one
// that was, its models and its login are told.
func TestInspect(t *testing.T) {
	agenttest.Long(t)
	w := wish{model: live.Serve(t)}
	w.home = scratch(t, w)
	_, spec := prepare(t, w)
	path := clis.OpenCode.Path(t)
	before := files(t, w.home)
	got := opencode.New().Inspect(t.Context(), probe, path, spec.Env)
	if got.Version != "1.18.33" || got.Problem != nil || got.Login != agents.LoginUnknown || got.Models != nil {
		t.Errorf("never started: %+v %+v", got, got.Problem)
	}
	if after := files(t, w.home); after != before {
		t.Errorf("looking left traces: %s, was %s", after, before)
	}
	data := filepath.Join(w.home, ".local", "share", "opencode")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "auth.json"), []byte(`{"fake":{"type":"api","key":"k"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	got = opencode.New().Inspect(t.Context(), probe, path, spec.Env)
	found := false
	for _, m := range got.Models {
		found = found || m.ID == "fake/m1"
	}
	if got.Login != agents.LoginYes || !found {
		t.Errorf("started and logged in: %+v", got)
	}
	if got := opencode.New().Inspect(t.Context(), probe, "/bin/false", spec.Env); got.Problem == nil || got.Problem.Code != "broken" {
		t.Errorf("no OpenCode: %+v", got)
	}
}
