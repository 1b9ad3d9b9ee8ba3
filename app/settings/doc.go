// Package settings keeps the person's preferences in one JSON file: one writer,
// a change is verified as a whole before any of it is taken, the file is
// replaced atomically. A file that cannot be read is never replaced silently:
// defaults are in force, Problem says why, and the next change puts the broken
// file aside. The package must not know what the preferences are for. All
// methods may be called from any goroutine.
package settings
