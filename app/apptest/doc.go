// Package apptest is scaffolding for tests of the product: a home of its own
// for every test, the real programs, and waits that are bounded. It must not
// hold what only one package's tests need. Its functions may be called from
// the goroutine of the test they are given.
package apptest
