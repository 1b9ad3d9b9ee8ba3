//go:build unix

package proc

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// pass hands the shim its pipes and gives it a session of its own. So no key
// pressed in our terminal reaches the agent, the agent cannot ask in our
// terminal, and everything that stays in the session can be found by it.
func pass(cmd *exec.Cmd, life, report *os.File) error {
	cmd.ExtraFiles = []*os.File{life, report}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return nil
}

func signalName(n int) string {
	if name := unix.SignalName(syscall.Signal(n)); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", n)
}
