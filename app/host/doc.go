// Package host is what Parley learns of the computer it runs on: the
// environment that the person has in a terminal, and what of it an agent may
// have. It starts the login shell through what it is handed, knows no agent
// beyond the marks they leave in an environment, and decides nothing about
// them.
//
// All functions and methods may be called from any goroutine.
package host
