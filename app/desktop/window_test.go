//go:build desktop && linux

package desktop_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
)

// demo starts a session of the demo agent through the back end.
func (s *stage) demo(prompt string) app.Session {
	s.t.Helper()
	var sess app.Session
	s.until("a demo session starts", func() bool {
		var err error
		sess, err = s.client().CreateSession(s.t.Context(), api.NewSession{Agent: "demo", Prompt: prompt, Fast: true})
		return err == nil
	})
	return sess
}

func TestFirstMinuteInTheWindow(t *testing.T) {
	s := newStage(t)
	s.window()
	s.title("Parley")
	s.find("push button", "Start the demo")
	s.picture("window-first-run")
	s.click("push button", "Start the demo")

	in := s.waiting(1)[0]
	s.title("(1) Parley")
	s.find("radio button", in.Options[0].Label)
	s.picture("window-card")
	s.act(func() { s.click("radio button", in.Options[1].Label) }, in.ID, true)
	s.picture("window-card-chosen")
	s.act(func() { s.click("push button", "Send answer") }, in.ID, false)

	s.title("Parley")
	s.until("the answer is in the record, given in the window", func() bool {
		got, err := s.client().Interactions(t.Context(), app.InteractionFilter{})
		return err == nil && len(got) == 1 && got[0].Outcome != nil && got[0].Outcome.By == app.ByWindow &&
			got[0].Outcome.Reason == app.ReasonResponse && got[0].Outcome.Response == in.Options[1].Label
	})
	s.until("the agent went on with it", func() bool {
		page, err := os.ReadFile(filepath.Join(in.Cwd, "hello.html"))
		return err == nil && strings.Contains(string(page), in.Options[1].Label)
	})
	s.picture("window-answered")
}

// A person types into another program while an agent asks: the window may ask
// for attention, but keys and focus stay where they are.
func TestAQuestionTakesNoFocus(t *testing.T) {
	s := newStage(t)
	s.window()
	s.find("push button", "Start the demo")
	s.start("xev", "-name", "editor", "-geometry", "500x300+900+500", "-event", "keyboard")
	s.until("the other program is there", func() bool { _, err := s.run("xdotool", "search", "--name", "^editor$"); return err == nil })
	editor := strings.Fields(s.do("xdotool", "search", "--name", "^editor$"))[0]
	s.do("xdotool", "windowactivate", "--sync", editor)

	s.demo("Make the page")
	for range 40 {
		s.do("xdotool", "type", "--delay", "5", "yes 1 2 3")
		s.do("xdotool", "key", "Return")
		if open, err := s.client().Interactions(t.Context(), app.InteractionFilter{State: app.InteractionsWaiting}); err == nil && len(open) == 1 {
			break
		}
	}
	s.waiting(1)
	s.title("(1) Parley")
	for range 10 {
		s.do("xdotool", "type", "--delay", "5", "yes 1 2 3")
		s.do("xdotool", "key", "Return")
	}
	if got := s.do("xdotool", "getactivewindow"); got != editor {
		t.Errorf("the keyboard went to window %s, want it to stay with %s", got, editor)
	}
	if open := s.waiting(1); open[0].Outcome != nil || open[0].Draft != nil {
		t.Errorf("typing elsewhere touched the question: %+v", open[0])
	}
	s.until("the notification service shows the question", func() bool {
		n, err := s.run("dunstctl", "count", "displayed")
		return err == nil && n == "1"
	})
	s.picture("window-notice")

	// Opening the notice brings up exactly that question.
	s.do("dunstctl", "action", "0")
	s.until("the window has the keyboard", func() bool {
		name, err := s.run("xdotool", "getactivewindow", "getwindowname")
		return err == nil && name == "(1) Parley"
	})
	s.find("radio button", s.waiting(1)[0].Options[0].Label)
	s.until("the notice is gone", func() bool {
		n, err := s.run("dunstctl", "count", "displayed")
		return err == nil && n == "0"
	})
}

// The notification service hangs while three agents ask: the window goes on
// counting. Once it is back it shows one notice, which leads to the newest.
func TestAHangingServiceHoldsUpNoWindow(t *testing.T) {
	s := newStage(t)
	s.window()
	s.find("push button", "Start the demo")
	s.start("xev", "-name", "editor", "-geometry", "500x300+900+500", "-event", "keyboard")
	s.until("the other program is there", func() bool { _, err := s.run("xdotool", "search", "--name", "^editor$"); return err == nil })
	s.do("xdotool", "windowactivate", "--sync", strings.Fields(s.do("xdotool", "search", "--name", "^editor$"))[0])
	if err := s.notices.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		s.demo("Make the page")
		s.waiting(n + 1)
		s.title(fmt.Sprintf("(%d) Parley", n+1))
	}
	if err := s.notices.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	s.until("the service shows one notice", func() bool {
		n, err := s.run("dunstctl", "count", "displayed")
		return err == nil && n == "1"
	})
	s.until("it counts the others", func() bool {
		s.run("dunstctl", "close")
		said, err := s.run("dunstctl", "history")
		return err == nil && strings.Contains(said, "2 more questions wait")
	})
}

// The process that draws the page dies; the back end and the question don't.
func TestThePageComesBackAfterItsProcessDied(t *testing.T) {
	s := newStage(t)
	w := s.window()
	s.find("push button", "Start the demo")
	s.click("push button", "Start the demo")
	in := s.waiting(1)[0]
	s.find("radio button", in.Options[0].Label)

	page := children(t, w.Process.Pid, "WebKitWebProces")
	if len(page) != 1 {
		t.Fatalf("want one process that draws the page, got %v", page)
	}
	syscall.Kill(page[0], syscall.SIGKILL)
	s.until("another process draws the page", func() bool {
		now := children(t, w.Process.Pid, "WebKitWebProces")
		return len(now) == 1 && now[0] != page[0]
	})
	s.find("radio button", in.Options[0].Label)
	s.picture("window-page-back")
	if got := s.waiting(1)[0]; got.ID != in.ID {
		t.Errorf("want the same question to wait, got %s for %s", got.ID, in.ID)
	}
}

// However early a signal comes, the program ends, and with it all it started.
func TestASignalEndsItWhenever(t *testing.T) {
	for _, after := range []time.Duration{50 * time.Millisecond, 250 * time.Millisecond, 600 * time.Millisecond, 3 * time.Second} {
		t.Run(after.String(), func(t *testing.T) {
			s := newStage(t)
			s.env = append(s.env, "STAGE_MARK="+s.dir)
			w := s.window()
			timer := time.NewTimer(after)
			<-timer.C
			syscall.Kill(w.Process.Pid, syscall.SIGTERM)
			ended := make(chan error, 1)
			go func() { ended <- w.Wait() }()
			select {
			case <-ended:
			case <-time.After(waitLimit):
				t.Fatalf("it still runs %v after SIGTERM", waitLimit)
			}
			s.until("nothing of it is left", func() bool { return len(marked(t, "STAGE_MARK="+s.dir)) == 0 })
		})
	}
}

// Closing the window with an agent at work asks once.
func TestQuitAsksWhenAgentsWork(t *testing.T) {
	s := newStage(t)
	s.env = append(s.env, "STAGE_MARK="+s.dir)
	w := s.window()
	s.find("push button", "Start the demo")
	s.demo("Make the page")
	s.waiting(1)
	closeWindow := func() {
		s.do("xdotool", "search", "--name", `^\(1\) Parley$`, "windowactivate", "--sync")
		s.do("xdotool", "key", "alt+F4")
	}
	closeWindow()
	s.find("push button", "Stay")
	s.picture("window-quit")
	s.click("push button", "Stay")
	s.waiting(1)
	closeWindow()
	s.click("push button", "Stop and quit")
	ended := make(chan error, 1)
	go func() { ended <- w.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("want exit code 0, got %v", err)
		}
	case <-time.After(waitLimit):
		t.Fatal("it still runs after the person agreed")
	}
	s.until("nothing of it is left", func() bool { return len(marked(t, "STAGE_MARK="+s.dir)) == 0 })
}

// Quitting can leave the agents at work: the program goes on without its window
// until they are done. A window that is opened meanwhile finds them, and goes on
// by itself when the first program has ended.
func TestQuitCanLeaveAgentsRunning(t *testing.T) {
	s := newStage(t)
	s.env = append(s.env, "STAGE_MARK="+s.dir)
	first := s.window()
	s.find("push button", "Start the demo")
	s.demo("Make the page")
	in := s.waiting(1)[0]
	s.do("xdotool", "search", "--name", `^\(1\) Parley$`, "windowactivate", "--sync")
	s.do("xdotool", "key", "alt+F4")
	s.click("push button", "Keep running")
	s.until("the window is gone", func() bool {
		_, err := s.run("xdotool", "search", "--name", `Parley$`)
		return err != nil && len(children(t, first.Process.Pid, "WebKitWebProces")) == 0
	})
	if now := s.waiting(1)[0]; now.ID != in.ID {
		t.Fatalf("another question waits: %s, want %s", now.ID, in.ID)
	}

	second := s.window()
	s.title("(1) Parley")
	s.find("radio button", in.Options[0].Label)
	s.act(func() { s.click("radio button", in.Options[0].Label) }, in.ID, true)
	s.act(func() { s.click("push button", "Send answer") }, in.ID, false)
	ended := make(chan error, 1)
	go func() { ended <- first.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("want exit code 0, got %v", err)
		}
	case <-time.After(waitLimit):
		t.Fatal("it still runs after its agents were done")
	}
	page, err := os.ReadFile(filepath.Join(in.Cwd, "hello.html"))
	if err != nil || !strings.Contains(string(page), in.Options[0].Label) {
		t.Errorf("the agent was not let finish: %q, %v", page, err)
	}

	s.demo("Make another page") // in the second window's own back end
	s.waiting(1)
	s.title("(1) Parley")
	syscall.Kill(second.Process.Pid, syscall.SIGTERM)
	second.Wait()
	s.until("nothing of either is left", func() bool { return len(marked(t, "STAGE_MARK="+s.dir)) == 0 })
}

// A second window, and a window beside `parley serve`, use the back end that is
// there; closing them ends nothing.
// What keeps Parley from starting is said on the screen, until it was read or a
// signal comes; nothing is changed meanwhile.
func TestAFailedStartIsSaid(t *testing.T) {
	s := newStage(t)
	data := filepath.Join(s.dir, "parley", "data")
	if err := os.WriteFile(data, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended := func(w *exec.Cmd) {
		t.Helper()
		over := make(chan error, 1)
		go func() { over <- w.Wait() }()
		select {
		case err := <-over:
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 {
				t.Errorf("ended with %v", err)
			}
		case <-time.After(waitLimit):
			t.Fatal("does not end")
		}
	}
	w := s.window()
	s.find("label", "Parley can't start")
	s.find("label", data)
	s.picture("failed-start")
	s.click("push button", "Close")
	ended(w)

	w = s.window()
	s.find("label", "Parley can't start")
	if err := w.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended(w)
	if text, err := os.ReadFile(data); err != nil || string(text) != "mine" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// At the end of a desktop's session the X server may go first: what waits is
// taken back and the agents end as with any other end, not as in a crash.
func TestItEndsInOrderWithItsDisplay(t *testing.T) {
	s := newStage(t)
	s.env = append(s.env, "STAGE_MARK="+s.dir)
	w := s.window()
	s.find("push button", "Start the demo")
	s.demo("Make a page")
	asked := s.waiting(1)[0]
	if err := s.screen.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- w.Wait() }()
	select {
	case <-ended:
	case <-time.After(waitLimit):
		t.Fatal("it outlives its display")
	}
	s.until("nothing of it is left", func() bool { return len(marked(t, "STAGE_MARK="+s.dir)) == 0 })
	out := s.do(filepath.Join(s.bins, "parley"), "questions", "--history", "--json")
	if !strings.Contains(out, asked.ID) || !strings.Contains(out, `"cause":"app_quit"`) {
		t.Errorf("the record says %s", out)
	}
}

func TestAWindowAttaches(t *testing.T) {
	s := newStage(t)
	s.start(filepath.Join(s.bins, "parley"), "serve")
	s.demo("Make the page")
	in := s.waiting(1)[0]
	w := s.window()
	s.title("(1) Parley")
	s.find("radio button", in.Options[0].Label)
	syscall.Kill(w.Process.Pid, syscall.SIGTERM)
	w.Wait()
	if got := s.waiting(1)[0]; got.ID != in.ID {
		t.Errorf("closing an attached window touched the question: %s, want %s", got.ID, in.ID)
	}
}

// children lists the processes below pid whose name begins with name.
func children(t testing.TB, pid int, name string) (found []int) {
	t.Helper()
	out, _ := exec.Command("ps", "-eo", "pid=,ppid=,comm=").Output()
	below := map[int]bool{pid: true}
	for range 4 {
		for line := range strings.Lines(string(out)) {
			f := strings.Fields(line)
			p, _ := strconv.Atoi(f[0])
			pp, _ := strconv.Atoi(f[1])
			below[p] = below[p] || below[pp]
		}
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if p, _ := strconv.Atoi(f[0]); below[p] && strings.HasPrefix(f[2], name) {
			found = append(found, p)
		}
	}
	return found
}

// marked lists the processes that hold a variable in their environment.
func marked(t testing.TB, variable string) (found []string) {
	t.Helper()
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range all {
		env, err := os.ReadFile(f)
		if err != nil || !strings.Contains("\x00"+string(env), "\x00"+variable+"\x00") {
			continue
		}
		comm, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "comm"))
		found = append(found, fmt.Sprint(f, " ", strings.TrimSpace(string(comm))))
	}
	return found
}
