package server

import (
	"context"
	_ "embed"

	"parley/mcp"
	"parley/mcp/bridge"
)

//go:embed plan.md
var planText string

//go:embed plan.schema.json
var planSchema string

var planTool = tool{
	name:        mcp.ToolUpdatePlan,
	title:       "Update the plan",
	description: planText,
	schema:      planSchema,
	hints: hints{
		// A later plan replaces an earlier one, so two of one message must run
		// in order; read-only tools run in parallel.
		readOnly: false,
		// It replaces the agent's own plan and nothing of the person's.
		destructive: false,
		// The same plan sent twice shows the same card.
		idempotent: true,
		// It talks to the program on this computer and to nobody else.
		openWorld: false,
	},
	offered: func(o mcp.Offer) bool { return o.Plan },
	call:    updatePlan,
}

func updatePlan(ctx context.Context, s *Server, c *call, args arguments) (any, error) {
	p, err := plan(args)
	if err != nil {
		return nil, err
	}
	p.Meta = string(c.meta)
	if _, err := s.greet(ctx); err != nil {
		return nil, err
	}
	return s.app.Plan(ctx, p)
}

// plan reads and checks the arguments.
func plan(args arguments) (bridge.PlanRequest, error) {
	p := bridge.PlanRequest{
		ContextID:   args.required("context_id"),
		Explanation: args.text("explanation"),
	}
	if !args.has("plan") {
		args.refuse("plan", "given", "nothing")
	}
	for _, step := range args.objects("plan") {
		p.Plan = append(p.Plan, bridge.PlanStep{
			ID:     step.required("id"),
			Step:   step.required("step"),
			Status: step.required("status"),
		})
	}
	if err := args.problem(); err != nil {
		return bridge.PlanRequest{}, err
	}
	return p.Checked()
}
