//go:build unix

package proc

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// output is our end of a pipe that the tree writes to.
type output struct {
	file *os.File
	gone <-chan struct{}
}

// release lets a reader see the end even if someone outside the tree still
// holds the other end open. It is called once, after the tree has gone.
func (o *output) release() {
	// A deadline in the past wakes a Read that waits. It fails only for a file
	// that was closed, which has no reader.
	o.file.SetReadDeadline(time.Unix(1, 0))
}

// Read implements io.Reader. After the tree has gone it hands out what the pipe
// still holds and then ends.
func (o *output) Read(p []byte) (int, error) {
	n, err := o.file.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		n, err = o.readRest(p)
	}
	if err != nil {
		o.file.Close()
		return n, io.EOF // there is no other reason than the end
	}
	return n, nil
}

// readRest reads without waiting: an empty pipe is at its end.
func (o *output) readRest(p []byte) (n int, err error) {
	raw, err := o.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	controlErr := raw.Control(func(fd uintptr) {
		for {
			if n, err = unix.Read(int(fd), p); !errors.Is(err, unix.EINTR) {
				return
			}
		}
	})
	if err = errors.Join(err, controlErr); err != nil || n <= 0 {
		return 0, io.EOF
	}
	return n, nil
}
