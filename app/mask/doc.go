// Package mask hides secrets in texts that Parley writes down, shows beside the
// conversation or passes on. A secret is known by its value (what was put into
// an agent's environment, what a keyring held) or by its shape (sk-…, ghp_…,
// Bearer …, a password in an address). The package must not know what the texts
// are for: who writes them decides what goes through it. docs/security.md says
// what does and what doesn't. Secrets may be used from any goroutine.
package mask
