package childapi

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"time"
)

// drainLimit is how long the callers in the queue may take to be let in.
const drainLimit = 2 * time.Second

// drain takes a socket out of reach and returns when everybody who had reached
// it was let in, to be answered. A listener that is just closed resets those
// who wait in its queue, and they could not tell what became of their call.
//
// The socket gets another name, so that nobody new finds it, and is called by
// that once: the queue is served in order, so who came before has been let in
// when that call is answered. It does what it can; the listener is closed next.
func drain(ln net.Listener) {
	l, ok := ln.(*lasting)
	if !ok {
		return
	}
	socket := l.settle()
	path := socket.Addr().String()
	aside := filepath.Join(filepath.Dir(path), "old") // shorter than path: its length is limited
	if os.Rename(path, aside) != nil {
		return // some system's sockets can't be renamed
	}
	defer os.Remove(aside)
	socket.SetUnlinkOnClose(false) // the path may be another's by then
	last, err := net.DialTimeout("unix", aside, drainLimit)
	if err != nil {
		return
	}
	defer last.Close()
	last.SetDeadline(time.Now().Add(drainLimit))
	if _, err := io.WriteString(last, "GET / HTTP/1.1\r\nHost: parley\r\nConnection: close\r\n\r\n"); err == nil {
		io.Copy(io.Discard, last) // its error is the limit
	}
}
