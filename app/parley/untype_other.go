//go:build !linux

package main

import "os"

// untype does nothing here: what was typed for one question may reach the next.
func untype(*os.File) {}
