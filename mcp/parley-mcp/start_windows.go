package main

import (
	"errors"
	"os"
	"os/exec"
)

// become runs another program in this one's place and returns its exit code:
// Windows has no way to go on as it.
func become(program string, argv []string) (int, error) {
	cmd := exec.Command(program, argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}
