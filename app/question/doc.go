// Package question is the desk: the one place where interactions are recorded,
// timed and resolved. An interaction is resolved exactly once, by whoever takes
// it out of the map; the record is written before anyone sees it.
package question
