package secrets_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/secrets"
)

var (
	ctx   = context.Background()
	ofKey = app.SecretRef{Agent: "claude", Profile: "default", Name: "ANTHROPIC_API_KEY"}
	value = "sk-ant-planted-0123456789"
)

func nothing(string) string { return "" }

func open(t *testing.T, path string, getenv func(string) string) *secrets.Store {
	t.Helper()
	s, err := secrets.Open(secrets.Config{Path: path, Getenv: getenv, Now: func() time.Time { return time.UnixMilli(42) }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// lives goes through the life of secrets and across a restart.
func lives(t *testing.T, path string, getenv func(string) string, place app.SecretPlace) {
	t.Helper()
	s := open(t, path, getenv)
	if got := s.Place(ctx); got != place {
		t.Fatalf("secrets would rest in %s, want %s", got, place)
	}
	if got, err := s.Set(ctx, ofKey, value); err != nil || got.Place != place || got.ChangedAt != 42 {
		t.Fatalf("stored %+v, %v", got, err)
	}
	other := ofKey
	other.Profile = "work"
	if _, err := s.Set(ctx, other, "another value"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the list has mode %v, %v", info.Mode(), err)
	}
	s = open(t, path, getenv)
	if got := s.List(); len(got) != 2 || got[0].SecretRef != ofKey || got[1].SecretRef != other {
		t.Errorf("the list is %+v", got)
	}
	for profile, want := range map[string]string{"default": "ANTHROPIC_API_KEY=" + value, "work": "ANTHROPIC_API_KEY=another value", "none": ""} {
		env, err := s.Environment(ctx, "claude", profile)
		if err != nil || strings.Join(env, "\n") != want {
			t.Errorf("profile %s gets %q, %v", profile, env, err)
		}
	}
	if err := s.RenameProfile(ctx, "work", "job"); err != nil {
		t.Fatal(err)
	}
	s = open(t, path, getenv)
	for profile, want := range map[string]string{"default": "ANTHROPIC_API_KEY=" + value, "work": "", "job": "ANTHROPIC_API_KEY=another value"} {
		env, err := s.Environment(ctx, "claude", profile)
		if err != nil || strings.Join(env, "\n") != want {
			t.Errorf("after the new name, profile %s gets %q, %v", profile, env, err)
		}
	}
	if err := s.RenameProfile(ctx, "job", "work"); err != nil {
		t.Fatal(err)
	}
	if env, err := s.Environment(ctx, "demo", "default"); err != nil || len(env) != 0 {
		t.Errorf("another agent gets %q, %v", env, err)
	}
	if err := s.Remove(ctx, other); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(ctx, other); app.ErrorCode(err) != app.CodeNotFound {
		t.Errorf("removed twice: %v", err)
	}
	if env, err := open(t, path, getenv).Environment(ctx, "claude", "work"); err != nil || len(env) != 0 {
		t.Errorf("after its removal: %q, %v", env, err)
	}
}

func TestWithoutAKeyringAFileHoldsThem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets.json")
	lives(t, path, nothing, app.SecretInFile)
	if data, _ := os.ReadFile(path); !strings.Contains(string(data), value) {
		t.Error("the file does not hold the value")
	}
}

func TestBadSecretsAreRefused(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "secrets.json"), nothing)
	for name, c := range map[string]struct {
		ref   app.SecretRef
		value string
		field string
	}{
		"no agent":       {app.SecretRef{Profile: "p", Name: "A"}, "v", "agent"},
		"no profile":     {app.SecretRef{Agent: "a", Name: "A"}, "v", "profile"},
		"no variable":    {app.SecretRef{Agent: "a", Profile: "p", Name: "A B"}, "v", "name"},
		"one of ours":    {app.SecretRef{Agent: "a", Profile: "p", Name: "PARLEY_HOME"}, "v", "name"},
		"no value":       {ofKey, "", "value"},
		"end of text":    {ofKey, "a\x00b", "value"},
		"a whole volume": {ofKey, strings.Repeat("x", 17<<10), "value"},
	} {
		_, err := s.Set(ctx, c.ref, c.value)
		if app.ErrorCode(err) != app.CodeInvalidArgument || app.Wire(err).Field != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := s.List(); len(got) != 0 {
		t.Errorf("kept %+v", got)
	}
}

// A list that was damaged is not replaced, and its refusal does not quote it.
func TestADamagedListIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets.json")
	text := `[{"agent":"claude","value":"` + value
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := secrets.Open(secrets.Config{Path: path, Getenv: nothing})
	if app.ErrorCode(err) != app.CodeStorageFailed || strings.Contains(err.Error(), "planted") {
		t.Errorf("opened with %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != text {
		t.Errorf("the list became %q", data)
	}
}
