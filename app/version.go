package app

// Version of the programs, set when they are built (-ldflags -X).
var Version = "dev"
