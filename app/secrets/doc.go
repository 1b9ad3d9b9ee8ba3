// Package secrets keeps what a person's agents need and nobody else may read:
// API keys and the like, each for one agent and profile, each a variable of that
// agent's environment. They rest in the system's keyring; where there is none,
// in a file that only the person may read, and every secret says which. A
// keyring that is there and refuses is an error, never a reason to fall back. The
// package must not know who starts agents or who shows the list. A Store may be
// used from any goroutine; one program at a time may open one file.
package secrets
