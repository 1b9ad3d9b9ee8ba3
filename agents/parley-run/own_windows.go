package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// pipeFlags returns what opens the pipes, whose handles Parley names.
func pipeFlags(flags *flag.FlagSet) func() (life, report *os.File, err error) {
	lifeHandle := flags.Uint64("life", 0, "handle of the life pipe")
	reportHandle := flags.Uint64("report", 0, "handle of the report pipe")
	return func() (life, report *os.File, err error) {
		for _, h := range []uint64{*lifeHandle, *reportHandle} {
			kind, err := windows.GetFileType(windows.Handle(h))
			if err != nil || kind != windows.FILE_TYPE_PIPE {
				return nil, nil, fmt.Errorf("handle %d is no pipe", h)
			}
			// Not the agent's.
			if err := windows.SetHandleInformation(windows.Handle(h), windows.HANDLE_FLAG_INHERIT, 0); err != nil {
				return nil, nil, fmt.Errorf("keep handle %d: %w", h, err)
			}
		}
		return os.NewFile(uintptr(*lifeHandle), "life"), os.NewFile(uintptr(*reportHandle), "report"), nil
	}
}

// own starts the agent and returns when nothing of it is left.
//
// We put ourselves into a job that ends with its last handle, before the agent
// is started: so everything is in the job from its first instruction, nothing
// can leave it, and our own end, however it comes, ends all of it.
func own(argv []string, life *os.File, report reporter, grace time.Duration) int {
	job, err := enterJob()
	if err != nil {
		report.line("failed %d", errno(err))
		return 1
	}
	pid, handle, err := syscall.StartProcess(argv[0], argv, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{os.Stdin.Fd(), os.Stdout.Fd(), os.Stderr.Fd()},
		// A group of its own can be sent a break; the console is the hidden one
		// that Parley gave us.
		Sys: &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP},
	})
	if err != nil {
		report.line("failed %d", errno(err))
		return 1
	}
	os.Stdin.Close()
	os.Stdout.Close()
	os.Stderr.Close()
	report.line("started %d %d", pid, startOf(windows.Handle(handle)))

	exited := make(chan uint32, 1)
	go func() {
		code := ^uint32(0)
		if _, err := windows.WaitForSingleObject(windows.Handle(handle), windows.INFINITE); err == nil {
			windows.GetExitCodeProcess(windows.Handle(handle), &code)
		}
		exited <- code
	}()
	cmds := commands(life)
	var deadline <-chan time.Time // nil until the agent has ended
	for {
		select {
		case code := <-exited:
			report.line("exited %d 0", int32(code))
			deadline = time.After(grace)
		case cmd, ok := <-cmds:
			if !ok || cmd == commandKill {
				return end(job, report)
			}
			if cmd == commandTerm {
				windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(pid))
			}
		case <-deadline:
			return end(job, report)
		}
	}
}

// enterJob puts this process into a new job that ends with its last handle.
func enterJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("create job: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return 0, fmt.Errorf("limit job: %w", err)
	}
	if err := windows.AssignProcessToJobObject(job, windows.CurrentProcess()); err != nil {
		return 0, fmt.Errorf("enter job: %w", err)
	}
	return job, nil
}

// end ends the job. We are in it, so it does not return: the report comes
// first, and what it says holds as soon as the pipe is closed.
func end(job windows.Handle, report reporter) int {
	report.line("gone")
	if err := windows.TerminateJobObject(job, 0); err != nil {
		return 1 // our end closes the last handle, which ends the job too
	}
	return 0
}

// startOf returns when a process started.
func startOf(process windows.Handle) uint64 {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0
	}
	return uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime)
}

func errno(err error) int {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return int(e)
	}
	return int(windows.ERROR_INVALID_PARAMETER)
}
