// Package main is parley-mcp, the stdio MCP server that an agent CLI starts to
// reach the person through Parley: "parley-mcp interaction". It reads its
// environment and credential file and hands over to mcp/server. It must start
// in milliseconds and stay small, so it knows the app by the wire alone.
// Standard output carries the protocol and nothing else. "parley-mcp start FILE"
// becomes a server of the person's own, as the file says.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"parley/app"
	"parley/mcp"
	"parley/mcp/bridge"
	"parley/mcp/server"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "start" {
		os.Exit(start(os.Args[2], os.Stderr)) // with signals as it found them: the server inherits them
	}
	// A CLI that stopped reading must not end us before the app has heard that
	// its questions are over.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr))
}

// Exit codes.
const (
	exitDone  = 0
	exitInput = 1 // the CLI sent what cannot be gone on with
	exitUsage = 2
)

const usage = `usage: parley-mcp interaction
       parley-mcp start FILE

The MCP server through which an agent asks the person at Parley. Parley hands it
to the agents it starts; it is of no use by hand. start becomes the server that a
file of Parley's describes.
`

func run(ctx context.Context, args []string, getenv func(string) string, in io.Reader, out, errs io.Writer) int {
	toolset := getenv(mcp.EnvToolset)
	switch {
	case len(args) > 1:
		toolset = ""
	case len(args) == 1:
		toolset = args[0]
	}
	switch toolset {
	case "interaction", "plan": // the second is its older name
	case "--version", "version":
		fmt.Fprintln(out, "parley-mcp", app.Version)
		return exitDone
	default:
		fmt.Fprint(errs, usage)
		return exitUsage
	}

	log := slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s := server.New(config(getenv, log))
	if err := s.Serve(ctx, in, out); err != nil {
		log.Error("parley-mcp ends", slog.Any("error", err))
		return exitInput
	}
	return exitDone
}

// config reads the environment and the credential file. A credential that
// cannot be used is no reason to fail: the CLI would hang or hide the cause,
// while a refused call says it.
func config(getenv func(string) string, log *slog.Logger) server.Config {
	c := server.Config{Offer: mcp.OfferFromEnv(getenv), Version: app.Version, Log: log}
	credential, err := bridge.LoadCredential(getenv(mcp.EnvRunCredential))
	if err != nil {
		log.Warn("no usable credential", slog.Any("error", err))
		c.App = server.Refuse(err)
		return c
	}
	c.App = bridge.NewClient(credential)
	c.Offer.Prefix = credential.ToolPrefix
	return c
}
