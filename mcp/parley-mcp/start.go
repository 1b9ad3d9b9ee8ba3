package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"parley/mcp"
)

// start becomes the server that a file describes, for a CLI that cannot hand it an
// environment in secret. It returns where that fails.
func start(path string, errs io.Writer) int {
	failed := func(err error) int {
		fmt.Fprintf(errs, "parley-mcp: start the server of %s: %v\n", path, err)
		return exitInput
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return failed(err)
	}
	var s mcp.Start
	if err := json.Unmarshal(text, &s); err != nil {
		return failed(err)
	}
	for name, value := range s.Env {
		if err := os.Setenv(name, value); err != nil {
			return failed(fmt.Errorf("set the variable %q: %w", name, err))
		}
	}
	program, err := exec.LookPath(s.Command)
	if err != nil {
		return failed(err)
	}
	code, err := become(program, append([]string{s.Command}, s.Args...))
	if err != nil {
		return failed(err)
	}
	return code
}
