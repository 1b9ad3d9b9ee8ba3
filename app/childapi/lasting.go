package childapi

import (
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// socketLook is how often it is looked whether the socket can still be found.
const socketLook = time.Second

// lasting is the control socket for as long as Parley runs. Systems clear runtime
// folders away, at a logout for instance, under a program that goes on; then
// nobody could ask or answer any more. So it listens anew where it was, as soon
// as that can be done.
type lasting struct {
	path string
	log  *slog.Logger
	done chan struct{} // closed by settle
	over sync.Once
	left chan struct{} // closed when nothing looks any more

	mu sync.Mutex // guards ln
	ln *net.UnixListener
}

func keepListening(ln *net.UnixListener, log *slog.Logger) *lasting {
	l := &lasting{path: ln.Addr().String(), log: log, ln: ln, done: make(chan struct{}), left: make(chan struct{})}
	go l.watch()
	return l
}

func (l *lasting) watch() {
	defer close(l.left)
	tick := time.NewTicker(socketLook)
	defer tick.Stop()
	for missed := false; ; {
		select {
		case <-tick.C:
		case <-l.done:
			return
		}
		if _, err := os.Lstat(l.path); !errors.Is(err, fs.ErrNotExist) {
			missed = false
			continue
		}
		err := l.anew()
		if !missed || err == nil {
			l.log.Warn("the control socket was taken away", "socket", l.path, "listens again", err == nil, "err", err)
		}
		missed = true
	}
}

// anew puts another listener in the place of the one that nobody finds.
func (l *lasting) anew() error {
	ln, err := Listen(l.path)
	if err != nil {
		return err
	}
	l.mu.Lock()
	old := l.ln
	l.ln = ln.(*net.UnixListener)
	l.mu.Unlock()
	old.SetUnlinkOnClose(false) // the path is the new one's
	return old.Close()
}

func (l *lasting) current() *net.UnixListener {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ln
}

// settle ends the looking and returns the listener that stays.
func (l *lasting) settle() *net.UnixListener {
	l.over.Do(func() { close(l.done) })
	<-l.left
	return l.current()
}

// Accept implements net.Listener.
func (l *lasting) Accept() (net.Conn, error) {
	for {
		ln := l.current()
		c, err := ln.Accept()
		if err == nil || ln == l.current() {
			return c, err
		}
	}
}

// Close implements net.Listener.
func (l *lasting) Close() error { return l.settle().Close() }

// Addr implements net.Listener.
func (l *lasting) Addr() net.Addr { return l.current().Addr() }
