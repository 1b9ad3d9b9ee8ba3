package session_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"parley/app"
	"parley/app/apptest"
	"parley/app/session"
)

// fullDisk is a record that can take nothing while full.
type fullDisk struct {
	session.Records
	full    atomic.Bool
	refused chan struct{}
}

var errFull = &app.Error{Code: app.CodeStorageFailed, Message: "The disk is full.", Err: errors.New("test")}

func (f *fullDisk) refuse() error {
	if !f.full.Load() {
		return nil
	}
	select {
	case f.refused <- struct{}{}:
	default:
	}
	return errFull
}

func (f *fullDisk) Append(ctx context.Context, id app.SessionID, facts ...app.Fact) (int64, error) {
	if err := f.refuse(); err != nil {
		return 0, err
	}
	return f.Records.Append(ctx, id, facts...)
}

func (f *fullDisk) EndTurn(ctx context.Context, id app.TurnID, end app.TurnEnded) error {
	if err := f.refuse(); err != nil {
		return err
	}
	return f.Records.EndTurn(ctx, id, end)
}

func (f *fullDisk) UpdateSession(ctx context.Context, id app.SessionID, change func(*app.Session)) (app.Session, error) {
	if err := f.refuse(); err != nil {
		return app.Session{}, err
	}
	return f.Records.UpdateSession(ctx, id, change)
}

// While the record cannot be written a turn goes on and ends; once it can, all
// that happened is there, in order, and the session is idle.
func TestNothingIsLostToAFullDisk(t *testing.T) {
	disk := &fullDisk{refused: make(chan struct{}, 3)}
	w := newWorld(t, func(c *session.Config, _ *adapter) {
		disk.Records = c.Records
		c.Records = disk
	})
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "tool t1\nnative n1\nsay m1 I am done\ntoolend t1 out")
	in := w.asked(turn)
	before := len(w.types(turn))
	disk.full.Store(true)
	w.answer(in.ID, "B")
	for range cap(disk.refused) { // what is refused is tried again
		select {
		case <-disk.refused:
		case <-time.After(apptest.Patience):
			t.Fatal("the record is not asked")
		}
	}
	if got := w.session(s.ID); got.State == app.StateIdle {
		t.Errorf("the record says %s, though it could not be written", got.State)
	}
	if got := w.texts(turn); len(got) != 0 {
		t.Errorf("recorded: %+v", got)
	}
	disk.full.Store(false)
	if end := w.ended(turn); end.Status != app.TurnCompleted {
		t.Errorf("ended %+v", end)
	}
	types := w.types(turn)[before:]
	if last := types[len(types)-1]; last != app.EventTurnCompleted {
		t.Errorf("the last event is %s", last)
	}
	if got := w.texts(turn); got["m1"].Text != "I am done" {
		t.Errorf("of what was said while the disk was full there is %+v", got)
	}
	if again := w.send(s.ID, "say m2 more"); w.ended(again).Status != app.TurnCompleted {
		t.Error("no further turn")
	}
}

// fillIn makes a world whose disk runs full in mid-turn, with things to record.
func fillIn(t *testing.T, record time.Duration) (w *world, disk *fullDisk, turn app.TurnID) {
	t.Helper()
	disk = &fullDisk{refused: make(chan struct{}, 1)}
	w = newWorld(t, func(c *session.Config, _ *adapter) {
		disk.Records = c.Records
		c.Records = disk
		c.Wait.Record = record
	})
	turn = w.send(w.create(app.NewSession{}).ID, "tool t1\nnative n1\nwait")
	in := w.asked(turn)
	disk.full.Store(true)
	w.answer(in.ID, "B")
	disk.refusal(t)
	return w, disk, turn
}

// refusal waits until the record refuses something from now on.
func (f *fullDisk) refusal(t *testing.T) {
	t.Helper()
	select {
	case <-f.refused: // from before
	default:
	}
	select {
	case <-f.refused:
	case <-time.After(apptest.Patience):
		t.Fatal("the record is not asked")
	}
}

// The disk has room again when Parley is quitting and every agent has gone: all
// that was owed is recorded.
func TestAQuitWaitsForTheDisk(t *testing.T) {
	w, disk, turn := fillIn(t, apptest.Patience)
	quit := make(chan error, 1)
	go func() { quit <- w.m.Shutdown(context.Background()) }()
	for late := time.Now().Add(apptest.Patience); ; time.Sleep(10 * time.Millisecond) {
		if left, err := os.ReadDir(w.cfg.RunDir); err == nil && len(left) == 0 {
			break // the agent has gone, and what it was given with it
		}
		if time.Now().After(late) {
			t.Fatal("the agent does not end")
		}
	}
	disk.refusal(t)
	disk.full.Store(false)
	if err := <-quit; err != nil {
		t.Error(err)
	}
	types := w.types(turn)
	if !slices.Contains(types, app.EventAgentExited) || types[len(types)-1] != app.EventTurnCompleted {
		t.Errorf("recorded %v", types)
	}
}

// It stays full: the quit ends all the same, and says how much is not recorded.
func TestAQuitSaysWhatTheDiskDidNotTake(t *testing.T) {
	w, disk, _ := fillIn(t, 10*time.Millisecond)
	err := w.m.Shutdown(context.Background())
	if app.ErrorCode(err) != app.CodeStorageFailed || !regexp.MustCompile(`so \d+ events of this run are not in it`).MatchString(app.ErrorMessage(err)) {
		t.Errorf("got %v", err)
	}
	disk.full.Store(false)
	w.m = nil
	w.open() // the next start finds a record that is whole
}
