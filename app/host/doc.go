// Package host is what Parley learns of the computer it runs on: the
// environment that the person has in a terminal, and what of it an agent may
// have. It decides nothing about agents.
//
// All functions may be called from any goroutine.
package host
