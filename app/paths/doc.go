// Package paths knows every folder of Parley in one place. PARLEY_HOME puts
// all of them into one folder; without it they are the system's usual ones. It
// must not know what lies in them. Its functions may be called from any
// goroutine; they create folders and change nothing else.
package paths
