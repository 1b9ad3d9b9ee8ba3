// Package core builds the back end in order and closes it in reverse; the
// window and the headless program use the same one. It owns the lock of the
// data folder, the log file and the tree of services, and knows every mechanism
// of the product; no mechanism knows it. It has no logic of its own: what it
// holds beside the wiring are small adapters between two packages that must not
// know each other.
package core
