package pids

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Lookup returns one process. Its error is fs.ErrNotExist when there is none.
func Lookup(pid int) (Process, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		if errors.Is(err, unix.EIO) { // an empty answer: no such process
			err = fs.ErrNotExist
		}
		return Process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	return fromKinfo(info), nil
}

// All returns the whole table.
func All() ([]Process, error) {
	infos, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("read process table: %w", err)
	}
	table := make([]Process, 0, len(infos))
	for i := range infos {
		table = append(table, fromKinfo(&infos[i]))
	}
	return table, nil
}

// zombie is SZOMB of sys/proc.h.
const zombie = 5

func fromKinfo(info *unix.KinfoProc) Process {
	pid := int(info.Proc.P_pid)
	start := time.Unix(info.Proc.P_starttime.Unix())
	session, err := unix.Getsid(pid)
	if err != nil {
		session = 0
	}
	return Process{
		ID:      ID{PID: pid, Start: uint64(start.UnixMicro())},
		Parent:  int(info.Eproc.Ppid),
		Session: session,
		Name:    unix.ByteSliceToString(info.Proc.P_comm[:]),
		Age:     max(0, time.Since(start)),
		Zombie:  info.Proc.P_stat == zombie,
	}
}

// Boot names this boot of this system. All process numbers are of one space.
func Boot() (boot, space string, err error) {
	boot, err = unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return "", "", fmt.Errorf("read boot id: %w", err)
	}
	return boot, "", nil
}

// Freeze stops a process where it stands.
func (id ID) Freeze() error { return id.Signal(unix.SIGSTOP) }

// Kill ends a process that cannot object.
func (id ID) Kill() error { return id.Signal(unix.SIGKILL) }

// Signal sends a signal to this process. macOS has no process handles, so a
// moment remains between the look at its start and the signal. Its error is
// os.ErrProcessDone when the process is gone.
func (id ID) Signal(sig unix.Signal) error {
	now, err := Lookup(id.PID)
	if errors.Is(err, fs.ErrNotExist) || err == nil && now.ID != id {
		return os.ErrProcessDone
	}
	if err != nil {
		return err
	}
	err = unix.Kill(id.PID, sig)
	if errors.Is(err, unix.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
