package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// untype throws away what was typed at a terminal and nobody has read, a line
// without its end as well.
func untype(tty *os.File) {
	_ = unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH) // one that can't keeps what it has
}
