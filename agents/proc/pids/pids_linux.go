package pids

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// ticksPerSecond is USER_HZ, which Linux has fixed at 100 on all systems that
// Go runs on.
const ticksPerSecond = 100

var pageSize = int64(os.Getpagesize())

// Lookup returns one process. Its error is fs.ErrNotExist when there is none.
func Lookup(pid int) (Process, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		if errors.Is(err, unix.ESRCH) { // it ended between open and read
			err = fs.ErrNotExist
		}
		return Process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	p, err := parseStat(stat)
	if err != nil {
		return Process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	return p, nil
}

// All returns the whole table. Processes that end while it reads are left out.
func All() ([]Process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("read process table: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("read process table: %w", err)
	}
	table := make([]Process, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := Lookup(pid); err == nil {
			table = append(table, p)
		}
	}
	return table, nil
}

// parseStat reads the line of /proc/PID/stat. The name stands in brackets and
// may hold anything, brackets too, so it ends at the last one.
func parseStat(line []byte) (Process, error) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 1 || end < open {
		return Process{}, errors.New("unknown form of stat")
	}
	// The fields after the name, so that the kernel's field n is at n-3.
	fields := strings.Fields(string(line[end+1:]))
	if len(fields) < 22 {
		return Process{}, errors.New("unknown form of stat")
	}
	pid, err1 := strconv.Atoi(strings.TrimSpace(string(line[:open])))
	parent, err2 := strconv.Atoi(fields[1])
	session, err3 := strconv.Atoi(fields[3])
	start, err4 := strconv.ParseUint(fields[19], 10, 64)
	pages, err5 := strconv.ParseInt(fields[21], 10, 64)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return Process{}, err
	}
	return Process{
		ID:      ID{PID: pid, Start: start},
		Parent:  parent,
		Session: session,
		Name:    string(line[open+1 : end]),
		RSS:     pages * pageSize,
		Age:     age(start),
		Zombie:  fields[0] == "Z" || fields[0] == "X",
	}, nil
}

// age is the time since a start in ticks after boot.
func age(start uint64) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return 0
	}
	return max(0, time.Duration(now.Nano())-time.Duration(start)*(time.Second/ticksPerSecond))
}

// Boot names this boot of this system and, beside it, the space in which
// process numbers are counted: a container's differs from its host's.
func Boot() (boot, space string, err error) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", "", fmt.Errorf("read boot id: %w", err)
	}
	space, err = os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "", "", fmt.Errorf("read process namespace: %w", err)
	}
	return strings.TrimSpace(string(id)), space, nil
}

// Freeze stops a process where it stands.
func (id ID) Freeze() error { return id.Signal(unix.SIGSTOP) }

// Kill ends a process that cannot object.
func (id ID) Kill() error { return id.Signal(unix.SIGKILL) }

// Signal sends a signal to this very process or to none: a handle to the
// number's present owner is opened first, and the owner's start is compared
// while the handle keeps it from changing. Its error is os.ErrProcessDone when
// the process is gone.
func (id ID) Signal(sig unix.Signal) error {
	fd, err := openHandle(id.PID)
	if err != nil {
		return err
	}
	if fd >= 0 {
		defer unix.Close(fd)
	}
	now, err := Lookup(id.PID)
	if errors.Is(err, fs.ErrNotExist) || err == nil && now.ID != id {
		return os.ErrProcessDone
	}
	if err != nil {
		return err
	}
	if fd >= 0 {
		err = unix.PidfdSendSignal(fd, sig, nil, 0)
	} else {
		err = unix.Kill(id.PID, sig)
	}
	if errors.Is(err, unix.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// handles says whether the system has process handles: Linux 5.3 and later,
// unless a sandbox forbids them.
var handles = sync.OnceValue(func() bool {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
})

// openHandle returns a handle to the process that has the number now, or -1
// where the system has none; then the moment between look and signal remains.
func openHandle(pid int) (int, error) {
	if !handles() {
		return -1, nil
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return -1, os.ErrProcessDone
	}
	return fd, err
}
