// Command parley-desktop is Parley's window.
package main

import (
	"context"
	_ "embed"
	"os"

	"parley/app/desktop"
	"parley/frontend"
)

//go:embed build/appicon.png
var icon []byte

func main() {
	os.Exit(desktop.Run(context.Background(), os.Args[1:], desktop.Look{Page: frontend.Dist(), Icon: icon}, os.Stderr))
}
