package childapi

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
)

// peer is who is at the other end of a connection, as the system says. It is
// read once, when the connection is made: a process cannot change its ancestors
// afterwards to look like somebody else's.
type peer struct {
	pid, uid int
	chain    []int // the process and its ancestors
	err      error // why it is not known, or nil
}

type peerKey struct{}

func peerOf(ctx context.Context) peer {
	p, ok := ctx.Value(peerKey{}).(peer)
	if !ok {
		return peer{uid: -1, err: errNoPeer}
	}
	return p
}

// identify notes who has connected.
func (s *Server) identify(ctx context.Context, c net.Conn) context.Context {
	p := peer{uid: -1}
	conn, ok := c.(*net.UnixConn)
	if !ok {
		p.err = errNoPeer
		return context.WithValue(ctx, peerKey{}, p)
	}
	p.pid, p.uid, p.err = credentials(conn)
	if p.err == nil && p.pid <= 0 {
		p.err = errNoPeer // of another process namespace
	}
	if p.err == nil {
		var above []int
		above, p.err = s.cfg.Ancestors(p.pid)
		p.chain = append([]int{p.pid}, above...)
	}
	return context.WithValue(ctx, peerKey{}, p)
}

// stranger says why the peer isn't the person, or "".
func (p peer) stranger() string {
	if p.uid != os.Getuid() {
		return fmt.Sprintf("user %d is not the person", p.uid)
	}
	return ""
}

// belowAny says why the peer may not use the API, or "". Who can't be placed
// is kept out: an agent whose helper has just ended must not pass for the
// person. So is whoever this program started itself: those are agents and
// nothing else, also in the moment before they are known to be supervised.
func (p peer) belowAny(supervised []int) string {
	if p.err != nil {
		return "its ancestors are unknown: " + p.err.Error()
	}
	for i, pid := range p.chain {
		switch {
		case slices.Contains(supervised, pid):
			return fmt.Sprintf("it belongs to the agent of process %d", pid)
		case i > 0 && pid == os.Getpid():
			return "Parley started it"
		}
	}
	return ""
}
