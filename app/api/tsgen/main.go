// Command tsgen writes the page's TypeScript types from the Go types of packages app
// and app/api, so that no shape on the wire is written twice. It owns the
// mapping from Go to TypeScript and nothing else; it reads source files, which
// is how comments and constants come along, and runs on one goroutine.
//
// Usage: tsgen APP_DIR OUT_FILE
package main

import (
	"bytes"
	"fmt"
	"os"
)

func main() { os.Exit(run(os.Args[1:])) }

// run writes the file only when it differs, so that a watching build tool is
// not woken for nothing.
func run(args []string) int {
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tsgen APP_DIR OUT_FILE")
		return 2
	}
	text, err := Generate(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "tsgen:", err)
		return 1
	}
	if old, err := os.ReadFile(args[1]); err == nil && bytes.Equal(old, text) {
		return 0
	}
	if err := os.WriteFile(args[1], text, 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "tsgen:", err)
		return 1
	}
	return 0
}
