package childapi

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

var errNoPeer = errors.New("the system does not tell who is at the other end")

// credentials reads who connected.
func credentials(c *net.UnixConn) (pid, uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, -1, fmt.Errorf("read the peer's credentials: %w", err)
	}
	var cred *unix.Xucred
	var credErr, pidErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		pid, pidErr = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	}); err != nil {
		return 0, -1, fmt.Errorf("read the peer's credentials: %w", err)
	}
	if err := errors.Join(credErr, pidErr); err != nil {
		return 0, -1, fmt.Errorf("read the peer's credentials: %w", err)
	}
	return pid, int(cred.Uid), nil
}
