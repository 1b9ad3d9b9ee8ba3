//go:build linux

package desktop

import (
	"errors"
	"fmt"
	"html"
	"log/slog"
	"sync"

	"github.com/esiqveland/notify"
	"github.com/godbus/dbus/v5"
)

// notifier shows the one notice of Parley through the desktop's notification
// service, over a bus connection of its own so that clicks come back. A system
// without a session bus or service is normal: then it does nothing and says so
// once in the log. Its methods return at once: a service that hangs holds up a
// goroutine of its own, and meets the newest notice when it answers again.
type notifier struct {
	log  *slog.Logger
	open func(n notice) // called when the notice was clicked
	wake chan struct{}  // holds one when want has changed
	over chan struct{}  // closed by Close
	done chan struct{}  // closed when the goroutine has ended

	conn *dbus.Conn // nil without a bus
	svc  notify.Notifier

	mu   sync.Mutex // guards the fields below
	want *notice    // what should be up, nil for nothing
	id   uint32     // of the notice that is up, 0 when none is
	last notice     // what it says
}

func newNotifier(log *slog.Logger, open func(notice)) *notifier {
	n := &notifier{log: log, open: open, wake: make(chan struct{}, 1), over: make(chan struct{}), done: make(chan struct{})}
	if err := n.connect(); err != nil {
		log.Info("there are no system notices", "err", err)
		close(n.done)
		return n
	}
	go n.run()
	return n
}

// connect speaks to the bus alone, never to the service.
func (n *notifier) connect() error {
	conn, err := dbus.SessionBusPrivate()
	if err != nil {
		return fmt.Errorf("find the session bus: %w", err)
	}
	svc, err := func() (notify.Notifier, error) {
		if err := conn.Auth(nil); err != nil {
			return nil, err
		}
		if err := conn.Hello(); err != nil {
			return nil, err
		}
		return notify.New(conn, notify.WithOnAction(n.invoked), notify.WithOnClosed(n.closed))
	}()
	if err != nil {
		return fmt.Errorf("join the session bus: %w", errors.Join(err, conn.Close()))
	}
	n.conn, n.svc = conn, svc
	return nil
}

// Show puts the notice up in place of the one before.
func (n *notifier) Show(note notice) { n.set(&note) }

// Withdraw takes the notice down.
func (n *notifier) Withdraw() { n.set(nil) }

func (n *notifier) set(want *notice) {
	n.mu.Lock()
	n.want = want
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default: // it is awake already and looks at what is wanted then
	}
}

// Close ends the bus connection, and with it a call that waits for the service.
func (n *notifier) Close() {
	close(n.over)
	if n.conn != nil {
		n.conn.Close()
	}
	<-n.done
	if n.svc != nil {
		n.svc.Close()
	}
}

// run is the one goroutine that calls the service.
func (n *notifier) run() {
	defer close(n.done)
	for {
		select {
		case <-n.over:
			return
		case <-n.wake:
		}
		n.mu.Lock()
		want, id := n.want, n.id
		n.mu.Unlock()
		switch {
		case want != nil:
			n.show(*want, id)
		case id != 0:
			n.withdraw(id)
		}
	}
}

func (n *notifier) show(note notice, replaces uint32) {
	id, err := n.svc.SendNotification(notify.Notification{
		AppName:    "Parley",
		ReplacesID: replaces,
		Summary:    note.Title,
		// Services may read the body as markup, and the text is an agent's.
		Body:    html.EscapeString(note.Body),
		Actions: []notify.Action{{Key: "default", Label: "Open"}},
		Hints: map[string]dbus.Variant{
			"urgency":       dbus.MakeVariant(byte(notify.UrgencyNormal)),
			"desktop-entry": dbus.MakeVariant("parley"),
			// Only "Open" is offered: a permission is given where all of it is read.
			"suppress-sound": dbus.MakeVariant(note.Silent),
		},
		ExpireTimeout: notify.ExpireTimeoutNever,
	})
	if err != nil {
		n.log.Info("the notification service refused a notice", "err", err)
		return
	}
	n.mu.Lock()
	n.id, n.last = id, note
	n.mu.Unlock()
}

func (n *notifier) withdraw(id uint32) {
	n.mu.Lock()
	if n.id == id {
		n.id = 0
	}
	n.mu.Unlock()
	if _, err := n.svc.CloseNotification(id); err != nil {
		n.log.Debug("a notice was gone before it was withdrawn", "err", err)
	}
}

func (n *notifier) invoked(s *notify.ActionInvokedSignal) {
	n.mu.Lock()
	ours, note := s.ID == n.id && n.id != 0, n.last
	n.mu.Unlock()
	if ours {
		n.open(note)
	}
}

func (n *notifier) closed(s *notify.NotificationClosedSignal) {
	n.mu.Lock()
	if s.ID == n.id {
		n.id = 0
	}
	n.mu.Unlock()
}
