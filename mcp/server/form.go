package server

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"parley/mcp"
	"parley/mcp/bridge"
)

//go:embed form.md
var formText string

// formSchema is loose: some CLIs (Pi) hold a call against it by themselves, and
// refuse spellings that we would take for what they mean.
//
//go:embed form.schema.json
var formSchema string

var formTool = tool{
	name:        mcp.ToolForm,
	title:       "Show the person a form",
	description: formText,
	schema:      formSchema,
	hints: hints{
		// It ends the run: what stands beside it in the same message must not run
		// side by side with it, as read-only tools do.
		readOnly: false,
		// Nothing is deleted or overwritten. Codex lets a tool run without
		// approval only if this and openWorld are false.
		destructive: false,
		// A second form bothers a person twice, and is refused in the same run.
		idempotent: false,
		// It talks to the program on this computer and to nobody else.
		openWorld: false,
	},
	offered: func(o mcp.Offer) bool { return o.Ask },
	call:    form,
}

// form hands the arguments on as they came: the app reads them, since it shows
// the form. The call is open until the run has ended for it, so that the CLI
// has no result to ask its model about.
func form(ctx context.Context, s *Server, c *call, args arguments) (any, error) {
	if err := args.problem(); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(args.fields)
	if err != nil {
		return nil, fmt.Errorf("encode arguments: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.input, func() { cancel(errInputEnded) })()
	if _, err := s.greet(ctx); err != nil {
		return nil, err
	}
	reply, err := s.app.Form(ctx, bridge.FormRequest{Call: bridge.Call{Meta: string(c.meta)}, Arguments: raw})
	switch {
	case err != nil:
		return nil, err
	case reply.Answer != nil:
		return formAnswer(reply), nil
	}
	return deferredForm{Deferred: true, Success: true, Status: "waiting_for_user_response", AskID: reply.AskID}, nil
}

// deferredForm is what a client that still listens is told. A form counts as
// deferred with the first three only.
type deferredForm struct {
	Deferred bool   `json:"__deferred_user_input__"`
	Success  bool   `json:"success"`
	Status   string `json:"status"`
	AskID    string `json:"ask_id"`
}

// formAnswer is the result of a call that the CLI made again after the answer.
type formAnswer bridge.FormReply

// result is the answer alone in the first text, so that it is JSON and nothing
// else, and what there is to say of it in a second. Structured content would
// hide the second from some CLIs.
func (f formAnswer) result() *mcpgo.CallToolResult {
	r := mcpgo.NewToolResultText(string(f.Answer))
	if f.Note != "" {
		r.Content = append(r.Content, mcpgo.NewTextContent(f.Note))
	}
	return r
}
