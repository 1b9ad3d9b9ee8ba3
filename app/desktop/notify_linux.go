//go:build linux

package desktop

import (
	"html"
	"log/slog"
	"sync"

	"github.com/esiqveland/notify"
	"github.com/godbus/dbus/v5"
)

// notifier shows the one notice of Parley through the desktop's notification
// service, over a bus connection of its own so that clicks come back. A system
// without a session bus or service is normal: then it does nothing and says so
// once in the log.
type notifier struct {
	log  *slog.Logger
	open func(n notice) // called when the notice was clicked

	conn *dbus.Conn
	svc  notify.Notifier

	mu   sync.Mutex // guards the fields below
	id   uint32     // of the notice that is up, 0 when none is
	last notice
}

func newNotifier(log *slog.Logger, open func(notice)) *notifier {
	n := &notifier{log: log, open: open}
	conn, err := dbus.SessionBusPrivate()
	if err == nil {
		if err = conn.Auth(nil); err == nil {
			err = conn.Hello()
		}
	}
	if err != nil {
		log.Info("no session bus, so there are no system notices", "err", err)
		return n
	}
	svc, err := notify.New(conn, notify.WithOnAction(n.invoked), notify.WithOnClosed(n.closed))
	if err != nil {
		log.Info("no notification service, so there are no system notices", "err", err)
		conn.Close()
		return n
	}
	n.conn, n.svc = conn, svc
	return n
}

// Show puts the notice up in place of the one before.
func (n *notifier) Show(note notice) {
	if n.svc == nil {
		return
	}
	n.mu.Lock()
	replaces := n.id
	n.mu.Unlock()
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

// Withdraw takes the notice down.
func (n *notifier) Withdraw() {
	n.mu.Lock()
	id := n.id
	n.id = 0
	n.mu.Unlock()
	if n.svc != nil && id != 0 {
		if _, err := n.svc.CloseNotification(id); err != nil {
			n.log.Debug("a notice was gone before it was withdrawn", "err", err)
		}
	}
}

// Close ends the bus connection.
func (n *notifier) Close() {
	if n.svc != nil {
		n.svc.Close()
		n.conn.Close()
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
