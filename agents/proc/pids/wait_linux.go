package pids

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// waits says what a thread that sleeps in a function of the kernel waits for, by
// a part of the function's name. The order decides.
var waits = []struct {
	part string
	kind WaitFor
}{
	{"futex", WaitLock}, // before "do_wait", which its function's name holds too
	{"pipe_read", WaitRead}, {"pipe_write", WaitWrite},
	{"stream_read", WaitRead}, {"n_tty_read", WaitRead}, {"wait_for_more_packets", WaitRead}, {"stream_data_wait", WaitRead},
	{"sk_wait_data", WaitRead}, {"tcp_recvmsg", WaitRead}, {"skb_wait_for", WaitRead}, {"sock_alloc_send", WaitWrite},
	{"csk_accept", WaitRead}, {"inotify_read", WaitRead}, {"eventfd_read", WaitRead}, {"signalfd_read", WaitRead},
	{"do_wait", WaitChild},
	{"ep_poll", WaitEvent}, {"epoll_wait", WaitEvent}, {"do_poll", WaitEvent}, {"do_sys_poll", WaitEvent}, {"do_select", WaitEvent},
	{"poll_schedule", WaitEvent}, {"io_cqring_wait", WaitEvent},
	{"nanosleep", WaitTimer},
	{"flock", WaitLock}, {"fcntl_setlk", WaitLock}, {"locks_lock", WaitLock},
	{"sigtimedwait", WaitSignal}, {"sigsuspend", WaitSignal}, {"do_pause", WaitSignal}, {"sys_pause", WaitSignal},
}

// byCall says the same by the number of the system call, for kernels that don't
// tell their functions' names.
var byCall = map[int]WaitFor{
	unix.SYS_READ: WaitRead, unix.SYS_READV: WaitRead, unix.SYS_RECVFROM: WaitRead, unix.SYS_RECVMSG: WaitRead,
	unix.SYS_ACCEPT4: WaitRead, unix.SYS_WRITE: WaitWrite, unix.SYS_WRITEV: WaitWrite, unix.SYS_SENDTO: WaitWrite,
	unix.SYS_WAIT4: WaitChild, unix.SYS_WAITID: WaitChild,
	unix.SYS_EPOLL_PWAIT: WaitEvent, unix.SYS_EPOLL_PWAIT2: WaitEvent, unix.SYS_PPOLL: WaitEvent, unix.SYS_PSELECT6: WaitEvent,
	unix.SYS_NANOSLEEP: WaitTimer, unix.SYS_CLOCK_NANOSLEEP: WaitTimer,
	unix.SYS_FUTEX: WaitLock, unix.SYS_FLOCK: WaitLock,
	unix.SYS_RT_SIGTIMEDWAIT: WaitSignal, unix.SYS_RT_SIGSUSPEND: WaitSignal,
}

// maxThreads bounds how many threads of one process are looked at.
const maxThreads = 64

// Waiting tells what a process waits for. Of a program with several threads
// that is what its first thread waits for; when that only waits for another one,
// the most telling of the others decides.
func Waiting(pid int) Wait {
	proc := "/proc/" + strconv.Itoa(pid)
	first := waitOf(proc, filepath.Join(proc, "task", strconv.Itoa(pid)))
	if first.For != WaitLock {
		return first
	}
	threads, err := os.ReadDir(filepath.Join(proc, "task"))
	if err != nil {
		return first
	}
	best := first
	for _, t := range threads[:min(len(threads), maxThreads)] {
		switch w := waitOf(proc, filepath.Join(proc, "task", t.Name())); w.For {
		case WaitNothing:
			return w
		case WaitRead, WaitWrite, WaitChild:
			best = w
		case WaitEvent:
			if best.For == WaitLock {
				best = w
			}
		}
	}
	return best
}

// waitOf tells what one thread waits for. One that is gone is unknown.
func waitOf(proc, thread string) Wait {
	stat, err := os.ReadFile(filepath.Join(thread, "stat"))
	if err != nil {
		return Wait{For: WaitUnknown, FD: -1, Seen: "it can't be looked at"}
	}
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	state, _, _ := strings.Cut(rest, " ")
	w := Wait{FD: -1, Seen: "state " + state}
	switch state {
	case "R":
		return w
	case "T", "t":
		w.For = WaitStopped
		return w
	case "D":
		w.For = WaitDisk
	default:
		w.For = WaitUnknown
	}
	if name, err := os.ReadFile(filepath.Join(thread, "wchan")); err == nil && string(name) != "0" {
		w.Seen += ", kernel function " + string(name)
		for _, k := range waits {
			if w.For == WaitUnknown && strings.Contains(string(name), k.part) {
				w.For = k.kind
			}
		}
	}
	call, err := os.ReadFile(filepath.Join(thread, "syscall"))
	fields := strings.Fields(string(call))
	if err != nil || len(fields) < 2 {
		return w // it is not in a system call, or we may not know
	}
	number, err := strconv.Atoi(fields[0])
	if err != nil {
		return w
	}
	if w.For == WaitUnknown {
		if kind, ok := byCall[number]; ok {
			w.For = kind
			w.Seen += fmt.Sprintf(", system call %d", number)
		}
	}
	if kind := byCall[number]; kind != WaitRead && kind != WaitWrite {
		return w
	}
	fd, err := strconv.ParseUint(fields[1], 0, 64)
	if err != nil || fd > 1<<20 {
		return w
	}
	w.FD = int(fd)
	w.Seen += fmt.Sprintf(", descriptor %d", fd)
	if file, err := os.Readlink(filepath.Join(proc, "fd", strconv.Itoa(w.FD))); err == nil {
		w.File = file
	}
	return w
}

// Holds reports whether a process holds the end of a pipe, named as in
// Wait.File, that it writes to, or else the one that it reads from.
func Holds(pid int, pipe string, writing bool) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	fds, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return false
	}
	for _, fd := range fds {
		if file, err := os.Readlink(filepath.Join(dir, "fd", fd.Name())); err != nil || file != pipe {
			continue
		}
		info, err := os.ReadFile(filepath.Join(dir, "fdinfo", fd.Name()))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(info)) {
			if text, ok := strings.CutPrefix(line, "flags:"); ok {
				flags, err := strconv.ParseInt(strings.TrimSpace(text), 8, 64)
				if mode := flags & unix.O_ACCMODE; err == nil && (mode == unix.O_RDWR || (mode == unix.O_WRONLY) == writing) {
					return true
				}
			}
		}
	}
	return false
}
