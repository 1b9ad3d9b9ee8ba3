// Package question is the desk: the one place where interactions are recorded,
// timed and resolved. It owns the clock of every open question and who may
// settle it. It knows no agent, no socket and no window: whoever asks waits in
// Ask, whoever answers calls Answer, and the record is an interface.
//
// The rules, in the order in which they hold:
//
//   - Recorded before shown. An interaction is stored, and told to clients,
//     before anyone can answer it.
//   - Resolved exactly once, by taking. Whoever wants to settle, extend or answer
//     an interaction takes its id first; while it is taken all others wait. The
//     taker stores the outcome (the store tells the clients), then wakes whoever
//     asked. When storing fails the interaction goes back as it was: no answer is
//     accepted that is not on disk, and none is lost.
//   - Absence is no consent. An end without an answer carries none, and says why.
//
// Concurrency: a mutex and a map, never held during I/O. The desk has no
// goroutine of its own: each Ask watches the time of its own question. All
// methods may be called from any goroutine.
package question
