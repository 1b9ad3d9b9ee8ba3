package session_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/agents/proc/pids"
	"parley/app"
	"parley/app/session"
)

// allGone fails unless every process of the list has ended.
func allGone(t *testing.T, list []app.Process) {
	t.Helper()
	for _, p := range list {
		if found, err := pids.Lookup(p.PID); !errors.Is(err, fs.ErrNotExist) && !found.Zombie {
			t.Errorf("process %d is still there: %+v, %v", p.PID, found, err)
		}
	}
}

func (w *world) processes(id app.SessionID) []app.Process {
	w.tb.Helper()
	list, err := w.m.Processes(id)
	if err != nil || len(list) == 0 {
		w.tb.Fatalf("processes %v, %v", list, err)
	}
	return list
}

// Close ends question, turn and processes, and keeps record and queue; the
// session takes messages again once it is opened again.
func TestCloseAndOpenAgain(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	ctx := context.Background()
	turn := w.send(s.ID, "fork\napprove a1")
	queued := w.send(s.ID, "say m later")
	in := w.asked(turn)
	procs := w.processes(s.ID)
	if err := w.m.Close(ctx, s.ID); err != nil {
		t.Fatal(err)
	}
	if end := w.ended(turn); end.Status != app.TurnInterrupted || end.StopReason != string(app.CauseSessionClosed) {
		t.Fatalf("ended %+v", end)
	}
	if rec, err := w.db.Interaction(ctx, in.ID); err != nil || rec.Outcome == nil || rec.Outcome.Cause != app.CauseSessionClosed {
		t.Fatalf("question %+v, %v", rec.Outcome, err)
	}
	allGone(t, procs)
	if got := w.session(s.ID); !got.Closed || got.Live || got.State != app.StateIdle || len(got.Queued) != 1 {
		t.Fatalf("session %+v", got)
	}
	if _, _, err := w.m.Send(ctx, s.ID, app.Input{Text: "x"}); app.ErrorCode(err) != app.CodeSessionClosed {
		t.Fatalf("sent: %v", err)
	}
	if err := w.m.Close(ctx, s.ID); err != nil {
		t.Fatalf("closed twice: %v", err)
	}
	if err := w.m.Resume(ctx, s.ID); err != nil {
		t.Fatal(err)
	}
	w.ended(queued)
	if got := w.idle(s.ID); got.Closed || !got.Live {
		t.Fatalf("session %+v", got)
	}
}

// Resume of an idle session brings its agent up without a turn.
func TestResumeBringsTheAgentUp(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	if err := w.m.Resume(context.Background(), s.ID); err != nil {
		t.Fatal(err)
	}
	w.tape.Wait("agent", func(e app.Event) bool { return e.Type == app.EventAgentStarted })
	turn := w.send(s.ID, "say m x") // perhaps while it is coming up
	w.ended(turn)
	if w.ad.launches() != 1 {
		t.Fatalf("%d launches", w.ad.launches())
	}
}

// A CLI that takes a new id at each resume: the session stays one, with all of
// its history, and the newest id is what the next start resumes.
func TestNewNativeIDAtEachResume(t *testing.T) {
	w := newWorld(t, func(_ *session.Config, ad *adapter) { ad.renames = true })
	ctx := context.Background()
	s := w.create(app.NewSession{})
	var turns []app.TurnID
	var natives []string
	for n := range 3 {
		turn := w.send(s.ID, "say m x")
		w.ended(turn)
		if n > 0 && w.ad.lastSpec().NativeID != natives[n-1] {
			t.Errorf("start %d resumed %q, want %q", n+1, w.ad.lastSpec().NativeID, natives[n-1])
		}
		turns, natives = append(turns, turn), append(natives, w.idle(s.ID).NativeID)
		if err := w.m.Close(ctx, s.ID); err != nil {
			t.Fatal(err)
		}
		if err := w.m.Resume(ctx, s.ID); err != nil && n < 2 {
			t.Fatal(err)
		}
	}
	if natives[0] == natives[1] || natives[1] == natives[2] || natives[0] == "" {
		t.Errorf("ids %q", natives)
	}
	all, err := w.db.Sessions(ctx)
	if err != nil || len(all) != 1 {
		t.Errorf("%d sessions, %v", len(all), err)
	}
	for _, turn := range turns {
		if got := w.texts(turn)["m"].Text; got != "x" {
			t.Errorf("turn %s said %q", turn, got)
		}
	}
}

// The folder is moved in mid-turn: the turn ends as it would, a new agent can't
// start and says which folder is missing, and works again once it is back.
func TestFolderMovesInMidTurn(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := w.create(app.NewSession{Cwd: dir})
	turn := w.send(s.ID, "tool t1\nnative n1\nsay m after")
	in := w.asked(turn)
	if err := os.Rename(dir, dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	w.answer(in.ID, "B")
	if end := w.ended(turn); end.Status != app.TurnCompleted || w.texts(turn)["m"].Text != "after" {
		t.Errorf("the turn ended as %s, %+v", end.Status, end.Problem)
	}
	w.idle(s.ID)
	if err := w.m.Close(ctx, s.ID); err != nil {
		t.Fatal(err)
	}
	again := func() app.TurnEnded {
		if err := w.m.Resume(ctx, s.ID); err != nil {
			t.Logf("resume: %v", err)
		}
		return w.ended(w.send(s.ID, "say m x"))
	}
	if end := again(); end.Status != app.TurnFailed || end.Problem == nil || end.Problem.Code != "folder_unusable" || !strings.Contains(end.Problem.Title+end.Problem.Advice+end.Problem.Evidence, dir) {
		t.Errorf("without its folder: %s, %+v", end.Status, end.Problem)
	}
	if err := os.Rename(dir+"-moved", dir); err != nil {
		t.Fatal(err)
	}
	if end := again(); end.Status != app.TurnCompleted {
		t.Errorf("with its folder again: %s, %+v", end.Status, end.Problem)
	}
}

func TestDelete(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "fork\ntool t1\nwait")
	w.began(turn, "t1")
	procs := w.processes(s.ID)
	if err := w.m.Delete(context.Background(), s.ID); err != nil {
		t.Fatal(err)
	}
	allGone(t, procs)
	if _, err := w.db.Session(context.Background(), s.ID); app.ErrorCode(err) != app.CodeNotFound {
		t.Fatalf("still there: %v", err)
	}
	if _, _, err := w.m.Send(context.Background(), s.ID, app.Input{Text: "x"}); app.ErrorCode(err) != app.CodeNotFound {
		t.Fatalf("sent: %v", err)
	}
	if err := w.m.Delete(context.Background(), s.ID); app.ErrorCode(err) != app.CodeNotFound {
		t.Fatalf("deleted twice: %v", err)
	}
}

// Quitting with several sessions at work cancels their questions, ends every
// process and leaves the turns as interrupted.
func TestShutdown(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	var turns []app.TurnID
	var procs []app.Process
	var questions []app.Interaction
	for range 3 {
		s := w.create(app.NewSession{})
		turn := w.send(s.ID, "fork\napprove a1")
		questions = append(questions, w.asked(turn))
		procs = append(procs, w.processes(s.ID)...)
		turns = append(turns, turn)
	}
	starting := w.create(app.NewSession{})
	turns = append(turns, w.send(starting.ID, "wait"))
	w.shutdown()
	for _, turn := range turns {
		if end := w.ended(turn); end.Status != app.TurnInterrupted || end.StopReason != string(app.CauseQuit) {
			t.Fatalf("ended %+v", end)
		}
	}
	for _, q := range questions {
		if rec, err := w.db.Interaction(ctx, q.ID); err != nil || rec.Outcome == nil || rec.Outcome.Cause != app.CauseQuit || rec.MovedOn() {
			t.Fatalf("question %+v, %v", rec.Outcome, err)
		}
	}
	allGone(t, procs)
	if _, err := w.m.Create(ctx, app.NewSession{Agent: "claude", Cwd: w.dir}); app.ErrorCode(err) != app.CodeClosing {
		t.Fatalf("created: %v", err)
	}
}

// A mode that the CLI cannot change while it runs holds from the next message
// on, with a new process that resumes.
func TestChange(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	ctx := context.Background()
	w.ended(w.send(s.ID, "say m x"))
	native := w.session(s.ID).NativeID
	mode, model, title := "edits", "big", strings.Repeat("长", 100)
	got, err := w.m.Change(ctx, s.ID, app.SessionChange{Mode: &mode, Model: &model, Title: &title})
	if err != nil || got.Mode != mode || got.Model != model || len([]rune(got.Title)) != 60 {
		t.Fatalf("changed to %+v, %v", got, err)
	}
	w.ended(w.send(s.ID, "say m y"))
	if spec := w.ad.lastSpec(); string(spec.Mode) != mode || spec.Model != model || spec.NativeID != native || w.ad.launches() != 2 {
		t.Fatalf("started with %+v, %d launches", spec, w.ad.launches())
	}
	empty, bad := " ", "yolo"
	for _, c := range []app.SessionChange{{Title: &empty}, {Mode: &bad}} {
		if _, err := w.m.Change(ctx, s.ID, c); app.ErrorCode(err) != app.CodeInvalidArgument {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A launch record is there while the agent runs. What it names is left alone
// while its owner lives; a record without a process is forgotten.
func TestLaunchRecords(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "tool t1\nwait")
	w.began(turn, "t1")
	notes, err := filepath.Glob(filepath.Join(w.cfg.Launches, "*.json"))
	if err != nil || len(notes) != 1 {
		t.Fatalf("records %v, %v", notes, err)
	}
	kept, err := os.ReadFile(notes[0])
	if err != nil || strings.Contains(string(kept), w.ad.lastCredential().Token) {
		t.Fatalf("record %s, %v", kept, err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	if err := session.EndLeft(w.cfg.Launches, log); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(notes[0]); err != nil {
		t.Fatalf("the record of a living owner was forgotten: %v", err)
	}
	w.processes(s.ID)
	if err := w.m.Close(context.Background(), s.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(notes[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the record outlived its agent: %v", err)
	}
	bad := filepath.Join(w.cfg.Launches, "bad.json")
	if err := os.WriteFile(bad, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := session.EndLeft(w.cfg.Launches, log); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(bad); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a broken record stays for ever: %v", err)
	}
}

// Where a process answers one message, each message has one, which takes up the
// conversation; its end is none that anybody has to hear of, and nobody waits for
// tools that it lists only once it has its message.
func TestAProcessForEachMessage(t *testing.T) {
	w := newWorld(t, func(_ *session.Config, ad *adapter) { ad.once, ad.listed = true, nil })
	s := w.create(app.NewSession{})
	first, second := w.send(s.ID, "say m one"), w.send(s.ID, "say m two")
	for _, turn := range []app.TurnID{first, second} {
		if end := w.ended(turn); end.Status != app.TurnCompleted || end.Problem != nil {
			t.Errorf("ended %+v", end)
		}
	}
	if got := w.idle(s.ID); got.Live {
		t.Errorf("session %+v", got)
	}
	if n, native := w.ad.launches(), w.ad.lastSpec().NativeID; n != 2 || native == "" {
		t.Errorf("%d launches, the last one took up %q", n, native)
	}
	exits := 0
	for _, e := range w.tape.All() {
		switch d := e.Data.(type) {
		case app.AgentExited:
			if exits++; d.Reason != "closed" {
				t.Errorf("it exited %+v", d)
			}
		case app.Notice:
			t.Errorf("told: %+v", d)
		}
	}
	if exits != 2 {
		t.Errorf("%d processes ended", exits)
	}
}
