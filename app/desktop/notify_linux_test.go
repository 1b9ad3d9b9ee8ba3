//go:build linux

package desktop

import (
	"bufio"
	"log/slog"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"parley/app/apptest"
)

// service is a notification service that answers a call only when it is let.
type service struct {
	called  chan string   // the titles of calls that came in
	answers chan struct{} // one for each call that may return
	closed  chan uint32
}

func (s *service) Notify(_ string, _ uint32, _, title, _ string, _ []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	s.called <- title
	<-s.answers
	return 7, nil
}

func (s *service) CloseNotification(id uint32) *dbus.Error {
	s.closed <- id
	return nil
}

// newService puts a notification service on a bus of its own, which is the
// session bus for the test.
func newService(t *testing.T) *service {
	t.Helper()
	bus := exec.Command("dbus-daemon", "--session", "--nofork", "--print-address")
	out, err := bus.StdoutPipe()
	if err == nil {
		err = bus.Start()
	}
	if err != nil {
		t.Skipf("no dbus-daemon here: %v", err)
	}
	t.Cleanup(func() { bus.Process.Kill(); bus.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(address))
	conn, err := dbus.Connect(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	s := &service{called: make(chan string, 8), answers: make(chan struct{}, 8), closed: make(chan uint32, 8)}
	if err := conn.Export(s, "/org/freedesktop/Notifications", "org.freedesktop.Notifications"); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName("org.freedesktop.Notifications", 0); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(reply, err)
	}
	return s
}

// within returns what comes over a channel.
func within[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(apptest.Patience):
		t.Fatal("in vain waited for " + what)
	}
	return v
}

// TestAHangingServiceHoldsUpNobody has the service take a notice and not answer:
// whoever shows and withdraws goes on at once, and the service gets the newest
// when it is back, and nothing of what was overtaken.
func TestAHangingServiceHoldsUpNobody(t *testing.T) {
	s := newService(t)
	n := newNotifier(slog.New(slog.DiscardHandler), func(notice) {})
	went := make(chan struct{})
	go func() {
		defer close(went)
		n.Show(notice{Title: "first"})
		within(t, "the first call", s.called)
		for _, title := range []string{"second", "third"} {
			n.Show(notice{Title: title})
		}
		n.Withdraw()
		n.Show(notice{Title: "fourth"})
	}()
	within(t, "the caller", went)
	s.answers <- struct{}{}
	if got := within(t, "the newest", s.called); got != "fourth" {
		t.Errorf("after its answer the service is told of %q, want the newest", got)
	}
	s.answers <- struct{}{}
	n.Withdraw()
	if id := within(t, "the withdrawal", s.closed); id != 7 {
		t.Errorf("notice %d is withdrawn, want 7", id)
	}

	n.Show(notice{Title: "last"})
	within(t, "the last call", s.called)
	ended := make(chan struct{})
	go func() { defer close(ended); n.Close() }()
	within(t, "the end, though the service never answers", ended)
}
