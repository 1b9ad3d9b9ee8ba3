package torture_test

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"parley/app"
	"parley/app/apptest"
)

// TestStoppedInMidQuestion stops the back end (SIGSTOP, as a computer that
// sleeps does to it) while two questions wait. What remains of their time is
// right when it goes on: one whose time is over ends once, as timed out, and can
// be answered late; the other can be answered and the answer arrives.
func TestStoppedInMidQuestion(t *testing.T) {
	t.Parallel()
	stop, deadline := 2*time.Second, 300*time.Second
	long := os.Getenv(envLong) != ""
	if long {
		stop, deadline = 10*time.Minute, 15*time.Minute
	}
	h := newHome(t)
	p, err := h.serve("stopped")
	if err != nil {
		t.Fatal(err)
	}
	s := h.client()
	defer s.close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sc := &scene{socket: s, ledger: newLedger(), program: p, tape: newTape()}
	go sc.follow(ctx)
	ask := func(deadline time.Duration) app.Interaction {
		t.Helper()
		var settings app.Settings
		if err := s.call(ctx, "GET", "/api/settings", nil, &settings); err != nil {
			t.Fatal(err)
		}
		settings.DeadlineSeconds = int(deadline.Seconds())
		if err := s.call(ctx, "PUT", "/api/settings", settings, nil); err != nil {
			t.Fatal(err)
		}
		id, turn, err := sc.begin(ctx, "Make me a page")
		if err != nil {
			t.Fatal(err)
		}
		in, err := sc.tape.asked(ctx, id, turn)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	short, patient := ask(300*time.Second), ask(deadline)
	began := time.UnixMilli(patient.RequestedAt)
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	pause(stop)
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	now, err := s.Interaction(ctx, patient.ID)
	if err != nil {
		t.Fatal(err)
	}
	// The clock of this process and that of the back end are the same here.
	want := deadline - time.Since(began)
	got := time.Duration(now.RemainingTimeoutMS) * time.Millisecond
	t.Logf("stopped for %v; %v are left, %v by the clock here", stop, got, want.Round(time.Millisecond))
	if off := (got - want).Abs(); off > 2*time.Second || now.Outcome != nil {
		t.Errorf("%v off; %+v", off, now)
	}
	if _, err := s.Answer(ctx, app.Answer{InteractionID: patient.ID, Status: app.StatusAnswered, Text: "after the stop"}); err != nil {
		t.Fatal(err)
	}
	if err := sc.tape.wait(ctx, func(e app.Event) bool {
		d, ok := apptest.Data[app.InteractionDelivered](e)
		return ok && d.InteractionID == patient.ID
	}); err != nil {
		t.Fatal(err)
	}
	if long {
		over(t, sc, short)
	}
	if code, err := p.quit(); err != nil || code != 0 {
		t.Errorf("quit: %d, %v", code, err)
	}
	if _, err := p.gone(); err != nil {
		t.Error(err)
	}
}

// over checks that a question has timed out, once, and takes a late answer.
func over(t *testing.T, sc *scene, in app.Interaction) {
	t.Helper()
	ctx := context.Background()
	if err := sc.tape.wait(ctx, func(e app.Event) bool {
		d, ok := apptest.Data[app.InteractionResolved](e)
		return ok && d.InteractionID == in.ID && d.Reason == app.ReasonTimeout
	}); err != nil {
		t.Fatal(err)
	}
	reply, err := sc.Answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Text: "late, after the stop"})
	if err != nil || !reply.Late {
		t.Errorf("the late answer: %+v, %v", reply, err)
	}
	ends := 0
	if err := sc.EachEvent(ctx, in.SessionID, func(e app.Event) error {
		if d, ok := apptest.Data[app.InteractionResolved](e); ok && d.InteractionID == in.ID {
			ends++
		}
		return nil
	}); err != nil || ends != 1 {
		t.Errorf("%d ends, %v", ends, err)
	}
}
