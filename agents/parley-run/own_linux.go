package main

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley/agents/proc/pids"
)

// adopt makes every process below us ours when its parent ends, whatever
// session or group it has moved to. So nothing can leave the tree, and having
// no child means that nothing is left.
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become subreaper: %w", err)
	}
	return nil
}

// agentAttr gives the agent a group of its own and lets it die with us. The
// latter covers the one end that we cannot act on, our own kill -9, and reaches
// the agent alone: Parley looks after the rest then.
func agentAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func dup(from, to int) error { return unix.Dup3(from, to, 0) }

// watch needs to remember nothing on Linux: the tree holds together.
type watch struct{}

func newWatch() watch { return watch{} }

func (watch) tick() <-chan time.Time { return nil }
func (watch) look()                  {}

// empty reports whether nothing is left, once we have no children.
func (watch) empty() bool { return true }

// rest returns what is left of the tree. What has ended and waits to be
// collected is a part of it: its parent, or at last we, will do that.
func (watch) rest() ([]pids.Process, error) {
	table, err := pids.All()
	if err != nil {
		return nil, err
	}
	return pids.Descendants(table, os.Getpid()), nil
}
