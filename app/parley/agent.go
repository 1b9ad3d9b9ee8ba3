package main

import (
	"context"

	"parley/agents/demo"
)

// agent runs one of our own agents as the process that a back end starts.
// Standard output is its protocol.
func (p *program) agent(ctx context.Context, args []string) (int, error) {
	switch {
	case len(args) == 1 && (args[0] == "-h" || args[0] == "--help"):
		return 0, errHelp
	case len(args) == 0 || args[0] != "demo":
		return 0, usagef("parley agent wants the name of an agent of ours: demo.")
	}
	return demo.Run(ctx, p.In, p.Out, p.Err, args[1:]), nil
}
