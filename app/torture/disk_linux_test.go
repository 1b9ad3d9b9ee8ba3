package torture_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/app"
	"parley/app/apptest"
)

// disk mounts a small disk of its own.
func disk(t *testing.T, options string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "parley")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); errors.Is(err, fs.ErrPermission) {
		t.Skip("a small disk can be mounted by root alone")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(syscall.Unmount(dir, syscall.MNT_DETACH), os.Remove(dir)); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fillUp takes all room of a disk and returns how to give it back.
func fillUp(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for piece := make([]byte, 64<<10); len(piece) > 0; {
		if _, err = f.Write(piece); errors.Is(err, syscall.ENOSPC) {
			piece = piece[:len(piece)/2]
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// A full disk in mid-question: the answer is refused with a sentence and can be
// given again once there is room; what the agent did meanwhile is not lost; a
// start on the full disk says what is wrong.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	root := disk(t, "size=24m,mode=0700")
	h := homeIn(t, apptest.HomeIn(t, filepath.Join(root, "home")))
	p, err := h.serve("full")
	if err != nil {
		t.Fatal(err)
	}
	s := h.client()
	defer s.close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sc := &scene{socket: s, ledger: newLedger(), program: p, tape: newTape()}
	go sc.follow(ctx)
	id, turn, err := sc.begin(ctx, "Make me a page")
	if err != nil {
		t.Fatal(err)
	}
	in, err := sc.tape.asked(ctx, id, turn)
	if err != nil {
		t.Fatal(err)
	}

	free := fillUp(t, root)
	answer := app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Text: "Moin"}
	_, err = sc.answer(ctx, answer)
	if app.ErrorCode(err) != app.CodeStorageFailed {
		t.Fatalf("an answer on a full disk: %v", err)
	}
	wantWords(t, app.ErrorMessage(err), "disk is full", "Free some space", "is safe")
	if now, err := s.Interaction(ctx, in.ID); err != nil || now.Outcome != nil {
		t.Errorf("it has ended as %+v, %v", now.Outcome, err)
	}
	free()
	reply, err := sc.answer(ctx, answer)
	if err != nil || !reply.Accepted || reply.Late {
		t.Fatalf("with room: %+v, %v", reply, err)
	}
	end, err := sc.tape.find(ctx, func(e app.Event) bool { return e.Type == app.EventTurnCompleted && e.TurnID == turn })
	if err != nil {
		t.Fatal(err)
	}
	if d, _ := apptest.Data[app.TurnEnded](end); d.Status != app.TurnCompleted {
		t.Errorf("the turn ended %+v", d)
	}
	row, err := s.Session(ctx, in.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	if page, err := os.ReadFile(filepath.Join(row.Cwd, "hello.html")); err != nil || !strings.Contains(string(page), "Moin") {
		t.Errorf("the page: %q, %v", page, err)
	}
	p.kill()
	if _, err := p.gone(); err != nil {
		t.Error(err)
	}

	free = fillUp(t, root)
	p = h.start("full", "serve")
	if code, err := p.code(); err != nil || code != 1 {
		t.Errorf("a start on a full disk: exit code %d, %v: %s", code, err, p.out)
	}
	wantWords(t, p.out.String(), "full", "Free some space")
	free()
	if p, err = h.serve("full"); err != nil {
		t.Fatal(err)
	}
	for _, f := range check(ctx, s, sc.ledger) {
		t.Errorf("%s: %s", f.kind, f.text)
	}
	quit(t, p)
}

// Folders that cannot be used are named, with what to do.
func TestUnusableFolders(t *testing.T) {
	t.Parallel()
	in := func(dir string) *home {
		h := newHome(t)
		h.env[0] = "PARLEY_HOME=" + dir
		return h
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"serve"}, {"sessions", "list"}} {
		wantWords(t, in(file).refused(t, args...), file, "is no folder")
		wantWords(t, in(filepath.Join(file, "below")).refused(t, args...), file, "is no folder")
	}

	h, _ := written(t)
	if err := errors.Join(os.Rename(h.dirs.Database(), h.dirs.Database()+".x"), os.Mkdir(h.dirs.Database(), 0o700)); err != nil {
		t.Fatal(err)
	}
	wantWords(t, h.refused(t, "serve"), h.dirs.Database(), "can't be opened")

	readOnly := disk(t, "size=4m,mode=0700")
	if err := syscall.Mount("", readOnly, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	wantWords(t, in(filepath.Join(readOnly, "home")).refused(t, "serve"), readOnly, "can only be read")
}

// hold locks a record as another program does, whole: nobody else reads or
// writes it.
func hold(t *testing.T, path string, whole bool) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	statements := []string{"BEGIN IMMEDIATE"}
	if whole {
		statements = []string{"PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "UPDATE sessions SET title = title", "COMMIT"}
	}
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return func() {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Another program locks the whole record while Parley starts: the start waits
// and goes on, or gives up with a sentence that says why.
func TestLockedAtTheStart(t *testing.T) {
	t.Parallel()
	h, _ := written(t)
	release := hold(t, h.dirs.Database(), true)
	p := h.start("locked", "serve")
	wait := 2 * time.Second
	if os.Getenv(envLong) != "" {
		wait = 10 * time.Second
	}
	pause(wait)
	select {
	case <-p.ended:
		t.Fatalf("parley did not wait: %s", p.out)
	default:
	}
	release()
	if err := p.up(); err != nil {
		t.Fatal(err)
	}
	quit(t, p)
	if titles, problems := h.sessions(t); len(titles) != 1 || problems != "" {
		t.Errorf("then: %v, %s", titles, problems)
	}
	if os.Getenv(envLong) == "" {
		return
	}
	release = hold(t, h.dirs.Database(), true)
	wantWords(t, h.refused(t, "serve"), "locked", "Close that program")
	release()
	if titles, problems := h.sessions(t); len(titles) != 1 || problems != "" {
		t.Errorf("then: %v, %s", titles, problems)
	}
}

// Another program locks the record while a question waits: reading goes on, the
// answer waits for the lock, is taken and arrives.
func TestLockedInMidQuestion(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p, err := h.serve("locked")
	if err != nil {
		t.Fatal(err)
	}
	s := h.client()
	defer s.close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sc := &scene{socket: s, ledger: newLedger(), program: p, tape: newTape()}
	go sc.follow(ctx)
	id, turn, err := sc.begin(ctx, "Make me a page")
	if err != nil {
		t.Fatal(err)
	}
	in, err := sc.tape.asked(ctx, id, turn)
	if err != nil {
		t.Fatal(err)
	}
	release := hold(t, h.dirs.Database(), false)
	answered := make(chan error, 1)
	go func() {
		reply, err := sc.answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Text: "Moin"})
		if err == nil && (!reply.Accepted || reply.Late) {
			err = errors.New("the answer was not taken in time")
		}
		answered <- err
	}()
	wait := 2 * time.Second
	if os.Getenv(envLong) != "" {
		wait = 10 * time.Second
	}
	select {
	case err := <-answered:
		t.Fatalf("an answer went through the lock: %v", err)
	case <-time.After(wait): // the lock holds that long
	}
	if now, err := s.Interaction(ctx, in.ID); err != nil || now.Outcome != nil {
		t.Errorf("reading meanwhile: %+v, %v", now.Outcome, err)
	}
	release()
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
	if err := sc.tape.wait(ctx, func(e app.Event) bool { return e.Type == app.EventTurnCompleted && e.TurnID == turn }); err != nil {
		t.Fatal(err)
	}
	p.kill()
	if p, err = h.serve("locked"); err != nil {
		t.Fatal(err)
	}
	for _, f := range check(ctx, s, sc.ledger) {
		t.Errorf("%s: %s", f.kind, f.text)
	}
	quit(t, p)
}
