// Package session runs conversations: one goroutine per live session owns its
// agent, its queue and its state. The manager finds the owner; it holds no lock
// while anything waits.
package session
