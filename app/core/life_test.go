package core_test

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
	"parley/app/core"
	"parley/app/paths"
)

func TestOneBackEndForAFolder(t *testing.T) {
	dirs := apptest.Home(t)
	b := backend.Open(t, dirs)
	if _, err := core.Open(ctx, backend.Config(t, dirs)); app.ErrorCode(err) != app.CodeDataFolderInUse {
		t.Fatalf("a second one: %v", err)
	}
	if _, err := b.Client.About(ctx); err != nil {
		t.Fatalf("the first one suffered: %v", err)
	}
	b.Close()
	b = backend.Open(t, dirs)
	if about, err := b.Client.About(ctx); err != nil || about.DataDir != dirs.Data || about.Version != "test" {
		t.Fatalf("about %+v, %v", about, err)
	}
}

// What cannot be opened says so and leaves nothing open.
func TestOpenFailsCleanly(t *testing.T) {
	dirs := apptest.Home(t)
	conf := backend.Config(t, dirs)
	conf.Getenv = func(string) string { return "" }
	if _, err := core.Open(ctx, conf); app.ErrorCode(err) != app.CodeUnavailable {
		t.Fatalf("without programs: %v", err)
	}
	if err := os.WriteFile(dirs.Socket(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := core.Open(ctx, backend.Config(t, dirs)); app.ErrorCode(err) != app.CodeFolderUnusable {
		t.Fatalf("with a file in place of the socket: %v", err)
	}
	if err := os.Remove(dirs.Socket()); err != nil {
		t.Fatal(err)
	}
	backend.Open(t, dirs)
}

// What was wrong at the start is told to whoever asks, not only to the log.
func TestProblemsOfTheStartAreTold(t *testing.T) {
	dirs := apptest.Home(t)
	for _, file := range []string{dirs.Database(), dirs.Settings()} {
		if err := os.WriteFile(file, []byte(strings.Repeat("no record ", 500)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	about, err := backend.Open(t, dirs).Client.About(ctx)
	if err != nil || len(about.Problems) != 2 || !strings.Contains(about.Problems[0], "damaged-") {
		t.Fatalf("problems %q, %v", about.Problems, err)
	}
}

// marked lists the processes that have a text in their environment.
func marked(t *testing.T, mark string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(env, []byte(mark)) {
			continue
		}
		if stat, err := os.ReadFile(filepath.Join(filepath.Dir(f), "stat")); err == nil && !bytes.Contains(stat, []byte(") Z ")) {
			found = append(found, f)
		}
	}
	return found
}

// gone waits until no process is left that has a text in its environment.
func gone(t *testing.T, mark string) {
	t.Helper()
	for limit := time.Now().Add(apptest.Patience); ; time.Sleep(10 * time.Millisecond) {
		left := marked(t, mark)
		if len(left) == 0 {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("still there: %v", left)
		}
	}
}

// needsProc skips where processes cannot be found by their environment.
func needsProc(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("processes are found by their environment in /proc, which this system does not have")
	}
}

// Quitting with a question open: the agent hears that it was cancelled, and no
// process is left when Close returns.
func TestQuitLeavesNothingBehind(t *testing.T) {
	needsProc(t)
	dirs := apptest.Home(t)
	b := backend.Open(t, dirs)
	tape := apptest.Follow(t, b.Client)
	mark := "MARK=" + uuid.NewString()
	var asked []app.Interaction
	for range 2 {
		s := create(t, b.Client, api.NewSession{Env: map[string]string{"MARK": strings.TrimPrefix(mark, "MARK=")}})
		asked = append(asked, tape.Asked(send(t, b.Client, s.ID, "Make me a page"), app.KindClarify))
	}
	if n := len(marked(t, mark)); n < 4 { // an agent and its parley-mcp each
		t.Fatalf("%d processes bear the mark", n)
	}
	b.Close()
	if left := marked(t, mark); len(left) > 0 {
		t.Fatalf("left behind: %v", left)
	}
	log, err := os.ReadFile(dirs.Log())
	if err != nil || !strings.Contains(string(log), `msg="nothing is left of the agents" agents=2`) {
		t.Fatalf("the log does not say so: %s, %v", log, err)
	}
	b = backend.Open(t, dirs)
	for _, in := range asked {
		rec, err := b.Client.Interaction(ctx, in.ID)
		if err != nil || rec.Outcome == nil || rec.Outcome.Reason != app.ReasonCancelled || rec.Outcome.Cause != app.CauseQuit {
			t.Fatalf("recorded %+v, %v", rec, err)
		}
		s, err := b.Client.Session(ctx, in.SessionID)
		if err != nil || s.State != app.StateIdle || s.Live || s.LastStatus != app.TurnInterrupted {
			t.Fatalf("session %+v, %v", s, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dirs.Runs(), "*")); len(left) > 0 {
		t.Fatalf("run folders left: %v", left)
	}
}

// startBackend starts a back end as a process of its own.
func startBackend(t *testing.T, dirs paths.Dirs) *exec.Cmd {
	t.Helper()
	bin := apptest.Programs(t, "parley", "parley-mcp", "parley-run")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envBackend+"=1", paths.EnvHome+"="+filepath.Dir(dirs.Data), "PARLEY_BIN_DIR="+bin)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill() // it has ended already, unless the test failed early
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "open\n" {
		t.Fatalf("the back end said %q, %v", line, err)
	}
	return cmd
}

// kill -9 of the back end in mid-question: no process outlives it, the next
// start says what became of the question, the session goes on, and the answer
// can still be given.
func TestKilledInMidQuestion(t *testing.T) {
	needsProc(t)
	dirs := apptest.Home(t)
	cmd := startBackend(t, dirs)
	client := api.Dial(dirs.Socket())
	id := uuid.NewString()
	s := create(t, client, api.NewSession{Env: map[string]string{"MARK": id}})
	watched := apptest.Follow(t, client)
	turn := send(t, client, s.ID, "Make me a page")
	in := watched.Asked(turn, app.KindClarify)
	if len(marked(t, "MARK="+id)) < 2 {
		t.Fatal("no process bears the mark")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	gone(t, "MARK="+id)

	b := backend.Open(t, dirs)
	tape := apptest.Follow(t, b.Client)
	rec, err := b.Client.Interaction(ctx, in.ID)
	if err != nil || rec.Outcome == nil || rec.Outcome.Reason != app.ReasonCancelled || rec.Outcome.Cause != app.CauseRestart || !rec.MovedOn() {
		t.Fatalf("recorded %+v, %v", rec, err)
	}
	got, err := b.Client.Session(ctx, s.ID)
	if err != nil || got.State != app.StateIdle || got.Live || got.LastStatus != app.TurnFailed {
		t.Fatalf("session %+v, %v", got, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dirs.Launches(), "*")); len(left) > 0 {
		t.Fatalf("launch records left: %v", left)
	}

	// It resumes, and says what it was told after the restart.
	resumed := send(t, b.Client, s.ID, "say it goes on")
	if end := tape.Ended(resumed); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v %+v", end, end.Problem)
	}
	if after, err := b.Client.Session(ctx, s.ID); err != nil || after.NativeID != got.NativeID || after.NativeID == "" {
		t.Fatalf("native id %q became %q, %v", got.NativeID, after.NativeID, err)
	}
	// The answer goes out as the next message. (The agent was killed as well and
	// has no memory of its question, so it may ask again.)
	reply, err := b.Client.Answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Selected: []string{"Welcome back"}})
	if err != nil || !reply.Accepted || !reply.Late || reply.TurnID == "" {
		t.Fatalf("answered %+v, %v", reply, err)
	}
	e := tape.Wait("the late answer as a message", func(e app.Event) bool { return e.Type == app.EventTurnStarted && e.TurnID == reply.TurnID })
	if d, _ := apptest.Data[app.TurnText](e); d.Late != in.ID || !strings.Contains(d.Text, in.Question) || !strings.Contains(d.Text, "Welcome back") {
		t.Fatalf("sent %+v", d)
	}
	tape.Wait("its delivery", func(e app.Event) bool {
		d, ok := apptest.Data[app.InteractionDelivered](e)
		return ok && d.InteractionID == in.ID
	})
	if _, err := b.Client.Answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Text: "again"}); app.ErrorCode(err) != app.CodeAlreadyResolved {
		t.Fatalf("answered twice: %v", err)
	}
}
