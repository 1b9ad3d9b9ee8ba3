package session_test

import (
	"context"
	"errors"
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
