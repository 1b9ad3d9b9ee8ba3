//go:build unix

package core_test

import (
	"os"
	"syscall"
	"testing"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
)

// descriptors counts the open descriptors of this process.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("open descriptors are counted in /proc, which this system does not have")
	}
	return len(list)
}

// An agent costs the back end few descriptors, so that twenty fit into the 256
// that some desktops give a program, and all of them are given back.
func TestAgentsCostFewDescriptorsAndGiveThemBack(t *testing.T) {
	const most = 9 // five pipes, the socket of a question, a few in passing
	dirs := apptest.Home(t)
	backend.Open(t, dirs).Close() // what the runtime opens once is open now
	before := descriptors(t)
	b := backend.Open(t, dirs)
	tape := apptest.Follow(t, b.Client)
	idle := descriptors(t)
	const agents = 3
	for range agents {
		tape.Asked(send(t, b.Client, create(t, b.Client, api.NewSession{}).ID, "Make me a page"), app.KindClarify)
	}
	if n := descriptors(t) - idle; n > agents*most || idle+20*most > 256 {
		t.Errorf("%d agents cost %d descriptors beside the %d of an idle back end", agents, n, idle)
	}
	b.Close()
	// The test's own stream is one that may still be on its way down.
	if after := descriptors(t); after > before+1 {
		t.Errorf("%d descriptors were open before, %d are after", before, after)
	}
}

// Somebody kills our server in mid-question, as agents do that end processes by
// name: the card closes with the reason, nothing hangs, and the session goes on.
func TestOurServerIsKilledInMidQuestion(t *testing.T) {
	needsProc(t)
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s := create(t, b.Client, api.NewSession{})
	turn := send(t, b.Client, s.ID, "Make me a page")
	in := tape.Asked(turn, app.KindClarify)
	list, err := b.Client.Processes(ctx, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, p := range list {
		if p.Name == "parley-mcp" && syscall.Kill(p.PID, syscall.SIGKILL) == nil {
			killed++
		}
	}
	if killed != 1 {
		t.Fatalf("killed %d of %+v", killed, list)
	}
	e := tape.Wait("the end of the question", func(e app.Event) bool {
		d, ok := apptest.Data[app.InteractionResolved](e)
		return ok && d.InteractionID == in.ID
	})
	if d, _ := apptest.Data[app.InteractionResolved](e); d.Reason != app.ReasonCancelled || d.Cause != app.CauseConnectionClosed || d.Response != "" {
		t.Errorf("ended as %+v", d)
	}
	tape.Ended(turn)
	if got, err := b.Client.Session(ctx, s.ID); err != nil || got.State != app.StateIdle || got.WaitingFor != 0 {
		t.Errorf("session %+v, %v", got, err)
	}
	if end := tape.Ended(send(t, b.Client, s.ID, "say it goes on")); end.Status != app.TurnCompleted {
		t.Errorf("the next turn ended as %s with %+v", end.Status, end.Problem)
	}
}
