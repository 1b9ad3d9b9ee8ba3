// Package inject turns a catalogue of MCP servers into what each agent CLI
// takes, and spells our tools as each CLI shows them to its model. Catalogue
// in, bytes out: it starts nothing and touches no file. Everything in it is
// pure and may be called from any goroutine.
package inject
