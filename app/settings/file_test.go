package settings_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/app/settings"
)

func open(t *testing.T, path string) *settings.File {
	t.Helper()
	f, err := settings.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestDefaultsThenAChangeThatLasts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	f := open(t, path)
	if got := f.Get(); !same(got, settings.Defaults()) {
		t.Fatalf("got %+v", got)
	}
	if l := f.Limits(); l.Deadline != 5*time.Minute || l.MaxWait != time.Hour {
		t.Fatalf("limits are %+v", l)
	}
	s := f.Get()
	s.Theme, s.DeadlineSeconds = "dark", 600
	s.QuietFrom, s.QuietUntil, s.QuestionCommand = "22:00", "07:30", []string{"/usr/bin/env", "true"}
	if _, err := f.Set(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	again := open(t, path)
	if !same(again.Get(), s) || again.Problem() != nil {
		t.Fatalf("after a restart: %+v, %v", again.Get(), again.Problem())
	}
	if again.Limits().Deadline != 10*time.Minute {
		t.Fatalf("limits are %+v", again.Limits())
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Fatalf("mode is %v", info.Mode())
	}
}

// A change with one bad field changes nothing, in memory or on disk, and names
// the field.
func TestBadChangeChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	f := open(t, path)
	for _, c := range []struct {
		field string
		spoil func(*app.Settings)
	}{
		{"language", func(s *app.Settings) { s.Language = "fr" }},
		{"theme", func(s *app.Settings) { s.Theme = "sepia" }},
		{"send_key", func(s *app.Settings) { s.SendKey = "" }},
		{"default_mode", func(s *app.Settings) { s.DefaultMode = "yolo" }},
		{"on_quit", func(s *app.Settings) { s.KeepRunningOnQuit = "maybe" }},
		{"deadline_s", func(s *app.Settings) { s.DeadlineSeconds = 59 }},
		{"max_wait_s", func(s *app.Settings) { s.DeadlineSeconds = 900; s.MaxWaitSeconds = 899 }},
		{"quiet_from", func(s *app.Settings) { s.QuietUntil = "07:00" }},
		{"quiet_from", func(s *app.Settings) { s.QuietFrom, s.QuietUntil = "24:00", "07:00" }},
		{"quiet_until", func(s *app.Settings) { s.QuietFrom, s.QuietUntil = "22:00", "7:00" }},
		{"quiet_until", func(s *app.Settings) { s.QuietFrom, s.QuietUntil = "22:00", "22:00" }},
		{"question_command", func(s *app.Settings) { s.QuestionCommand = []string{"notify-send", "x"} }},
		{"question_command", func(s *app.Settings) { s.QuestionCommand = []string{""} }},
		{"leave_out_own", func(s *app.Settings) { s.LeaveOutOwn = []string{"claude", "claude"} }},
		{"leave_out_own", func(s *app.Settings) { s.LeaveOutOwn = []string{""} }},
	} {
		s := f.Get()
		s.HideContent = true
		c.spoil(&s)
		_, err := f.Set(context.Background(), s)
		if app.ErrorCode(err) != app.CodeInvalidArgument || app.Wire(err).Field != c.field {
			t.Errorf("%s: %v", c.field, err)
		}
	}
	if !same(f.Get(), settings.Defaults()) {
		t.Fatalf("in force: %+v", f.Get())
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Fatalf("a file was written: %v", err)
	}
}

func TestBrokenFileIsKept(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":   `{"theme": "dark"`,
		"empty":     ``,
		"bad value": `{"theme": "plaid"}`,
		"bad type":  `{"deadline_s": "long"}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "settings.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			f := open(t, path)
			if !same(f.Get(), settings.Defaults()) || f.Problem() == nil {
				t.Fatalf("in force %+v, problem %v", f.Get(), f.Problem())
			}
			if got, _ := os.ReadFile(path); string(got) != text {
				t.Fatalf("opening changed the file to %q", got)
			}
			s := f.Get()
			s.Theme = "light"
			if _, err := f.Set(context.Background(), s); err != nil {
				t.Fatal(err)
			}
			if f.Problem() != nil || !same(open(t, path).Get(), s) {
				t.Fatalf("the change is not in force")
			}
			kept, err := filepath.Glob(path + ".broken-*")
			if err != nil || len(kept) != 1 {
				t.Fatalf("kept: %v, %v", kept, err)
			}
			if got, _ := os.ReadFile(kept[0]); string(got) != text {
				t.Fatalf("the kept file holds %q", got)
			}
		})
	}
}

// What a newer version wrote, the mode and a link survive a change.
func TestChangeIsAGuestInTheFile(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "dotfiles.json")
	path := filepath.Join(dir, "settings.json")
	if err := os.WriteFile(target, []byte(`{"theme":"dark","from_the_future":[1,2]}`), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	f := open(t, path)
	s := f.Get()
	s.Notify = false
	if _, err := f.Set(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Fatalf("the link became %v, %v", info.Mode(), err)
	}
	if info, _ := os.Stat(target); info.Mode().Perm() != 0o640 {
		t.Fatalf("mode became %v", info.Mode())
	}
	data, err := os.ReadFile(target)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Theme  string `json:"theme"`
		Notify bool   `json:"notify"`
		Future []int  `json:"from_the_future"`
	}
	if err := json.Unmarshal(data, &got); err != nil || got.Theme != "dark" || got.Notify || len(got.Future) != 2 {
		t.Fatalf("the file holds %s", data)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Fatalf("left in the folder: %v", left)
	}
}

func TestUnwritableFolderIsSaid(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "gone", "settings.json")
	if _, err := settings.Open(path); err == nil {
		t.Fatal("a missing folder was taken")
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f := open(t, path)
	if err := os.Remove(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	s := f.Get()
	s.Theme = "dark"
	if _, err := f.Set(context.Background(), s); app.ErrorCode(err) != app.CodeStorageFailed {
		t.Fatalf("got %v", err)
	}
	if f.Get().Theme != "" {
		t.Fatal("a change that was not stored is in force")
	}
}

// A subscriber gets the present with the subscription and ends with the newest
// change, however many writers there are.
func TestSubscribe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	f := open(t, path)
	now, changes, stop := f.Subscribe()
	defer stop()
	if !same(now, settings.Defaults()) {
		t.Fatalf("present is %+v", now)
	}
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			s := settings.Defaults()
			s.DeadlineSeconds = 100 + i
			if _, err := f.Set(context.Background(), s); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	if got := <-changes; !same(got, f.Get()) {
		t.Fatalf("newest heard %+v, in force %+v", got, f.Get())
	}
	if !same(open(t, path).Get(), f.Get()) {
		t.Fatal("disk and memory differ")
	}
	data, _ := os.ReadFile(path)
	if !strings.HasSuffix(string(data), "}\n") {
		t.Fatalf("file ends with %q", data)
	}
}

func same(a, b app.Settings) bool { return reflect.DeepEqual(a, b) }
