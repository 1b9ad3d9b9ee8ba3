//go:build unix

package main

import (
	"os"
	"syscall"
)

// become goes on as another program, in this process: it returns where that fails.
func become(program string, argv []string) (int, error) {
	return 0, syscall.Exec(program, argv, os.Environ())
}
