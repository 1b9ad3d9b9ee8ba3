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
	var cred *unix.Ucred
	var sysErr error
	if err := raw.Control(func(fd uintptr) {
		cred, sysErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return 0, -1, fmt.Errorf("read the peer's credentials: %w", err)
	}
	if sysErr != nil {
		return 0, -1, fmt.Errorf("read the peer's credentials: %w", sysErr)
	}
	return int(cred.Pid), int(cred.Uid), nil
}
