//go:build desktop && linux

package desktop_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/agents/agenttest/leaks"
	"parley/app"
	"parley/app/api"
	"parley/app/paths"
)

// stage is a screen of its own with a window manager, a notification service
// and a session bus, on which the real window is used as a person would: found
// by role and name, clicked and typed into through the X server.
type stage struct {
	t    testing.TB
	dir  string // scratch, holds HOME and PARLEY_HOME
	env  []string
	bins string

	screen  *exec.Cmd // the X server
	notices *exec.Cmd // the notification service
}

const waitLimit = time.Minute

func newStage(t testing.TB) *stage {
	t.Helper()
	bins := os.Getenv("PARLEY_BIN_DIR")
	if bins == "" {
		t.Skip("PARLEY_BIN_DIR is not set; make test-window sets it to the built programs")
	}
	leaks.Each(t)
	s := &stage{t: t, dir: t.TempDir(), bins: bins}
	for _, d := range []string{"home", "parley", "work"} {
		if err := os.Mkdir(filepath.Join(s.dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "HOME=" + filepath.Join(s.dir, "home"),
		"PARLEY_HOME=" + filepath.Join(s.dir, "parley"), "PARLEY_BIN_DIR=" + bins, "XDG_SESSION_TYPE=x11",
		"XDG_DATA_HOME=" + filepath.Join(s.dir, "home/data"), "XDG_CACHE_HOME=" + filepath.Join(s.dir, "home/cache"),
		"XDG_CONFIG_HOME=" + filepath.Join(s.dir, "home/config"), "XDG_RUNTIME_DIR=" + filepath.Join(s.dir, "home"),
		"SHELL=/bin/sh",
	}
	display, screen := s.firstLine(3, "Xvfb", "-displayfd", "3", "-screen", "0", "1440x900x24", "-nolisten", "tcp", "-fbdir", s.dir)
	s.screen = screen
	bus, _ := s.firstLine(3, "dbus-daemon", "--session", "--nofork", "--print-address=3")
	s.env = append(s.env, "DISPLAY=:"+display, "DBUS_SESSION_BUS_ADDRESS="+bus)
	s.start("openbox")
	s.notices = s.start("dunst", "-conf", "/dev/null")
	return s
}

// start starts a program of the stage; it ends with the test.
func (s *stage) start(name string, args ...string) *exec.Cmd {
	s.t.Helper()
	return s.startWith(nil, name, args...)
}

func (s *stage) startWith(extra []*os.File, name string, args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.ExtraFiles = s.env, extra
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
		if s.t.Failed() && out.Len() > 0 {
			s.t.Logf("%s said:\n%s", name, out.String())
		}
	})
	return cmd
}

// firstLine starts a program and returns the line that it writes to a descriptor
// once it is up.
func (s *stage) firstLine(_ int, name string, args ...string) (string, *exec.Cmd) {
	s.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Close()
	cmd := s.startWith([]*os.File{w}, name, args...)
	w.Close()
	r.SetReadDeadline(time.Now().Add(waitLimit))
	line := make([]byte, 0, 256)
	for b := make([]byte, 256); !bytes.Contains(line, []byte("\n")); {
		n, err := r.Read(b)
		if line = append(line, b[:n]...); err != nil {
			s.t.Fatalf("%s is not up: %v", name, err)
		}
	}
	return strings.TrimSpace(string(line)), cmd
}

// run runs a tool of the stage to its end and returns what it printed.
func (s *stage) run(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*waitLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// do is run that must work.
func (s *stage) do(name string, args ...string) string {
	s.t.Helper()
	out, err := s.run(name, args...)
	if err != nil {
		s.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

// find waits for something that shows and returns its middle.
func (s *stage) find(role, name string) (x, y int) {
	s.t.Helper()
	out, err := s.run("/usr/bin/python3", "testdata/find.py", role, name, fmt.Sprint(waitLimit.Seconds()))
	if err != nil {
		all, _ := s.run("/usr/bin/python3", "testdata/find.py", "--text")
		s.picture("failed-" + s.t.Name())
		s.t.Fatalf("no %s named %q shows; what shows is:\n%s", role, name, all)
	}
	var w, h int
	if _, err := fmt.Sscan(out, &x, &y, &w, &h); err != nil {
		s.t.Fatal(err)
	}
	return x + w/2, y + h/2
}

// click clicks something that shows, with the mouse.
func (s *stage) click(role, name string) {
	s.t.Helper()
	x, y := s.find(role, name)
	s.do("xdotool", "mousemove", fmt.Sprint(x), fmt.Sprint(y), "click", "1")
}

// act clicks in a card until that shows in the record: as a draft, or as the end
// of the interaction. A card that has just come up takes no click yet, so the
// first may be for nothing.
func (s *stage) act(click func(), interaction string, draft bool) {
	s.t.Helper()
	for end := time.Now().Add(waitLimit); time.Now().Before(end); {
		click()
		for look := time.Now().Add(3 * time.Second); time.Now().Before(look); time.Sleep(50 * time.Millisecond) {
			all, err := s.client().Interactions(s.t.Context(), app.InteractionFilter{})
			if err != nil {
				continue
			}
			for _, in := range all {
				if in.ID == interaction && (in.Outcome != nil || draft && in.Draft != nil) {
					return
				}
			}
		}
	}
	s.picture("failed-" + s.t.Name())
	s.t.Fatalf("clicked in vain for %v", waitLimit)
}

// title waits for the window to have a title.
func (s *stage) title(want string) {
	s.t.Helper()
	s.until("the window's title is "+want, func() bool {
		_, err := s.run("xdotool", "search", "--name", "^"+strings.NewReplacer("(", `\(`, ")", `\)`).Replace(want)+"$")
		return err == nil
	})
}

// until waits for something to come true, within a bound.
func (s *stage) until(what string, ok func() bool) {
	s.t.Helper()
	for end := time.Now().Add(waitLimit); !ok(); {
		if time.Now().After(end) {
			s.picture("failed-" + s.t.Name())
			s.t.Fatalf("waited %v in vain: %s", waitLimit, what)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// picture keeps a picture of the screen when PARLEY_PICTURES names a folder.
func (s *stage) picture(name string) {
	if dir := os.Getenv("PARLEY_PICTURES"); dir != "" {
		s.run("import", "-window", "root", filepath.Join(dir, strings.ReplaceAll(name, "/", "-")+".png"))
	}
}

// window starts the real program.
func (s *stage) window() *exec.Cmd { return s.start(filepath.Join(s.bins, "parley-desktop")) }

// client speaks to the back end as the command line would.
func (s *stage) client() *api.Client {
	s.t.Helper()
	dirs, err := paths.Resolve(func(k string) string {
		for _, kv := range s.env {
			if v, ok := strings.CutPrefix(kv, k+"="); ok {
				return v
			}
		}
		return ""
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return api.Dial(dirs.Socket())
}

// waiting waits until so many questions wait, and returns them.
func (s *stage) waiting(n int) (open []app.Interaction) {
	s.t.Helper()
	c := s.client()
	s.until(fmt.Sprintf("%d questions wait", n), func() bool {
		var err error
		open, err = c.Interactions(s.t.Context(), app.InteractionFilter{State: app.InteractionsWaiting})
		return err == nil && len(open) == n
	})
	return open
}
