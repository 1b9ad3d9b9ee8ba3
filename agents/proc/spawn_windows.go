package proc

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// pass hands the shim its pipes as handles that it is told of, and gives it a
// hidden console of its own, so that no window flashes up and a break reaches
// the agent alone.
func pass(cmd *exec.Cmd, life, report *os.File) error {
	handles := []syscall.Handle{syscall.Handle(life.Fd()), syscall.Handle(report.Fd())}
	for _, h := range handles {
		if err := windows.SetHandleInformation(windows.Handle(h), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
			return fmt.Errorf("pass a pipe: %w", err)
		}
	}
	cmd.Args = append(cmd.Args, fmt.Sprintf("-life=%d", handles[0]), fmt.Sprintf("-report=%d", handles[1]))
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:                 true,
		CreationFlags:              windows.CREATE_NO_WINDOW,
		AdditionalInheritedHandles: handles,
	}
	return nil
}

func signalName(n int) string { return fmt.Sprintf("signal %d", n) }
