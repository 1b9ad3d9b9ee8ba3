package codex

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/agents"
)

// serversLimit is how long the first message waits for MCP servers. By itself the
// CLI gives one that is not required a second, and then asks its model without
// the server's tools.
const serversLimit = 10 * time.Second

// server notes what has become of a server. Those of the person are known once
// they start; ours are expected from the beginning.
func (c *conversation) server(n serverNote) {
	c.mu.Lock()
	if n.Status == "starting" {
		c.starting[n.Name] = true
	} else {
		delete(c.starting, n.Name)
	}
	c.mu.Unlock()
	c.stirServers()
}

func (c *conversation) stirServers() {
	select {
	case c.served <- struct{}{}:
	default:
	}
}

// awaitServers waits until all servers are up or have failed. After the limit the
// conversation begins without the others, which is told.
func (c *conversation) awaitServers(ctx context.Context) error {
	limit := time.NewTimer(serversLimit)
	defer limit.Stop()
	for {
		c.mu.Lock()
		waiting, over := slices.Sorted(maps.Keys(c.starting)), c.over
		c.mu.Unlock()
		switch {
		case over:
			return agents.ErrClosed
		case len(waiting) == 0:
			return nil
		}
		select {
		case <-c.served:
		case <-limit.C:
			c.host.Emit(agents.Notice{Level: "warning", Code: "servers_late",
				Text: "These MCP servers have not started yet, so the agent may miss their tools at first: " + strings.Join(waiting, ", ") + "."})
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
