//go:build !darwin && !windows

package secrets

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	secretService = "org.freedesktop.secrets"
	lookLimit     = 3 * time.Second // for a bus to say what is on it
)

// there reports whether a Secret Service runs in the person's session, or would
// come up when called. It asks nothing of it, so nobody is asked to unlock it.
// Without a bus nothing is called: the library would start one.
func (r *ring) there(ctx context.Context) bool {
	address := r.getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" {
		path := filepath.Join(r.getenv("XDG_RUNTIME_DIR"), "bus")
		if _, err := os.Stat(path); err != nil || !filepath.IsAbs(path) {
			return false
		}
		address = "unix:path=" + path
	}
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	bus, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return false
	}
	defer bus.Close()
	for _, method := range []string{"ListNames", "ListActivatableNames"} {
		var names []string
		call := bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus."+method, 0)
		if call.Store(&names) == nil && slices.Contains(names, secretService) {
			return true
		}
	}
	return false
}
