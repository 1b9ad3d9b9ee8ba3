package pids

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Lookup returns one process. Its error is fs.ErrNotExist when there is none.
func Lookup(pid int) (Process, error) {
	table, err := All()
	if err != nil {
		return Process{}, err
	}
	for _, p := range table {
		if p.PID == pid {
			return p, nil
		}
	}
	return Process{}, fmt.Errorf("read process %d: %w", pid, fs.ErrNotExist)
}

// All returns the whole table. The start of a process of another user may be
// unknown and is 0 then.
func All() ([]Process, error) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, fmt.Errorf("read process table: %w", err)
	}
	defer windows.CloseHandle(snapshot)
	var table []Process
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		p := Process{
			ID:     ID{PID: int(entry.ProcessID)},
			Parent: int(entry.ParentProcessID),
			Name:   windows.UTF16ToString(entry.ExeFile[:]),
		}
		if process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, entry.ProcessID); err == nil {
			if created, err := startOf(process); err == nil {
				p.Start = uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime)
				p.Age = max(0, time.Since(time.Unix(0, created.Nanoseconds())))
			}
			windows.CloseHandle(process)
		}
		table = append(table, p)
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, fmt.Errorf("read process table: %w", err)
	}
	return table, nil
}

func startOf(process windows.Handle) (windows.Filetime, error) {
	var created, exited, kernel, user windows.Filetime
	err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user)
	return created, err
}

// Boot cannot name the boot on Windows. What asks for it must then leave
// everything alone; job objects leave nothing behind there in any case.
func Boot() (boot, space string, err error) {
	return "", "", errors.New("read boot id: Windows names none")
}

// Freeze does nothing: Windows cannot stop a process of another program. A job
// object makes it needless for what this program started.
func (id ID) Freeze() error { return nil }

// Kill ends a process. An open handle keeps its number from being used again
// between the look at its start and the end. Its error is os.ErrProcessDone
// when the process is gone.
func (id ID) Kill() error {
	const access = windows.PROCESS_QUERY_LIMITED_INFORMATION | windows.PROCESS_TERMINATE
	process, err := windows.OpenProcess(access, false, uint32(id.PID))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return os.ErrProcessDone
	}
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	created, err := startOf(process)
	if err != nil {
		return err
	}
	if uint64(created.HighDateTime)<<32|uint64(created.LowDateTime) != id.Start {
		return os.ErrProcessDone
	}
	return windows.TerminateProcess(process, 1)
}
