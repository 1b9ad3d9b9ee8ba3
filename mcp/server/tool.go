package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"parley/mcp"
	"parley/mcp/bridge"
)

// tool is one tool: its text and schema lie in files of their own, since they
// are read by models and reviewed as prose.
type tool struct {
	name        string
	title       string
	description string
	schema      string
	hints       hints
	offered     func(mcp.Offer) bool
	// call validates and carries out one call. Its result is marshalled as text
	// and as structured content, unless it has a shape of its own; a
	// *bridge.Error becomes an error result.
	call func(ctx context.Context, s *Server, c *call, args arguments) (any, error)
}

// hints are the four annotations. All are written out, because mcp-go fills in
// destructive and open-world for what is left unset, and CLIs act on them.
type hints struct{ readOnly, destructive, idempotent, openWorld bool }

// tools are all tools of the interaction toolset, offered or not.
var tools = []tool{planTool, clarifyTool, formTool}

// register adds every tool. One that is not offered is kept from the list but
// stays callable, so that a direct call gets a refusal it can understand
// instead of "not found".
func (s *Server) register() {
	for _, t := range tools {
		def := mcpgo.NewToolWithRawSchema(t.name, t.description, json.RawMessage(t.schema))
		def.Title = t.title
		def.Annotations = mcpgo.ToolAnnotation{
			Title:           t.title,
			ReadOnlyHint:    &t.hints.readOnly,
			DestructiveHint: &t.hints.destructive,
			IdempotentHint:  &t.hints.idempotent,
			OpenWorldHint:   &t.hints.openWorld,
		}
		// Claude Code hides tools behind a search unless told otherwise.
		def.Meta = mcpgo.NewMetaFromMap(map[string]any{"anthropic/alwaysLoad": true})
		s.rpc.AddTool(def, func(ctx context.Context, r mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
			return s.run(ctx, t, r)
		})
	}
}

// onlyOffered keeps tools that are not offered from the list. mcp-go asks the
// same filter at a call, where all pass: see register.
func (s *Server) onlyOffered(ctx context.Context, list []mcpgo.Tool) []mcpgo.Tool {
	if callOf(ctx) != nil {
		return list
	}
	kept := make([]mcpgo.Tool, 0, len(list))
	for _, def := range list {
		for _, t := range tools {
			if t.name == def.Name && t.offered(s.offer) {
				kept = append(kept, def)
			}
		}
	}
	return kept
}

func (s *Server) run(ctx context.Context, t tool, r mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
	if !t.offered(s.offer) {
		return errorResult(&bridge.Error{
			Code:    bridge.CodeForbidden,
			Message: t.name + " is not available in this session. Go on without it; say in your answer what you would have needed.",
		}), nil
	}
	c := callOf(ctx)
	if c == nil {
		return nil, errors.New("a tool was called outside a connection")
	}
	out, err := t.call(ctx, s, c, newArguments(r.Params.Arguments))
	if err != nil {
		return errorResult(s.refusal(t, err)), nil
	}
	if shaped, ok := out.(interface{ result() *mcpgo.CallToolResult }); ok {
		return shaped.result(), nil
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	result := mcpgo.NewToolResultStructured(out, string(text))
	if more, ok := out.(interface{ content() []mcpgo.Content }); ok {
		result.Content = append(result.Content, more.content()...)
	}
	return result, nil
}

// refusal is the error object for a model: the app's as it came. Anything else
// is the connection's fault and goes to the log.
func (s *Server) refusal(t tool, err error) *bridge.Error {
	if refused, ok := errors.AsType[*bridge.Error](err); ok {
		return refused
	}
	if !errors.Is(err, bridge.ErrWithdrawn) { // then nobody reads the answer
		s.log.Warn("tool call", slog.String("tool", t.name), slog.Any("error", err))
	}
	return &bridge.Error{
		Code:    bridge.CodeUnavailable,
		Message: "Parley went away during the call. Nothing was approved or chosen. Go on without what depends on it, and say so.",
	}
}

func errorResult(e *bridge.Error) *mcpgo.CallToolResult {
	r := mcpgo.NewToolResultStructured(e, e.Message)
	r.IsError = true
	return r
}
