// Package app holds the nouns and rules of Parley: sessions, turns,
// interactions, events, errors. It does no I/O, starts no goroutine and knows
// no database, socket or window; every mechanism lives in a package below it.
//
// All times that cross a wire or rest in the store are Unix milliseconds; all
// identifiers are UUIDv7 texts.
package app
