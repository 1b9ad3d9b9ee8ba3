package session_test

import (
	"context"
	"slices"
	"testing"

	"parley/app"
	"parley/app/session"
	"parley/mcp"
)

// Whoever decides the servers also decides whether the agent's own are left out,
// and the family hears of both.
func TestOwnServersAreLeftOut(t *testing.T) {
	for name, out := range map[string]bool{"kept": false, "left out": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(c *session.Config, _ *adapter) {
				c.Servers = func(_ context.Context, l session.ServerLaunch) (session.Servers, error) {
					return session.Servers{Catalog: mcp.Catalog{l.Ours}, Limits: l.Limits, LeaveOut: out, Own: []string{"docs"}}, nil
				}
			})
			s := w.create(app.NewSession{})
			w.ended(w.send(s.ID, "say m hello"))
			if got := w.ad.lastSpec(); got.OwnServers == out || !slices.Equal(got.Own, []string{"docs"}) {
				t.Errorf("own servers %v, named %q", got.OwnServers, got.Own)
			}
		})
	}
}
