package codex_test

import (
	"context"
	"os"
	"testing"
	"time"

	mcptypes "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"parley/mcp"
)

// serveMCP is a real MCP server with the tools that these tests need. It runs
// in a process of its own, started by the CLI.
func serveMCP() int {
	s := server.NewMCPServer("rig", "1", server.WithElicitation())
	s.AddTool(mcptypes.NewTool("parley_clarify", mcptypes.WithDescription("Ask the person.")),
		func(context.Context, mcptypes.CallToolRequest) (*mcptypes.CallToolResult, error) {
			return mcptypes.NewToolResultText("the person said BLUE-42"), nil
		})
	s.AddTool(mcptypes.NewTool("echo", mcptypes.WithDescription("Say it again.")),
		func(context.Context, mcptypes.CallToolRequest) (*mcptypes.CallToolResult, error) {
			return mcptypes.NewToolResultText("echoed"), nil
		})
	s.AddTool(mcptypes.NewTool("elicit", mcptypes.WithDescription("Ask by a form.")),
		func(ctx context.Context, _ mcptypes.CallToolRequest) (*mcptypes.CallToolResult, error) {
			answer, err := s.RequestElicitation(ctx, mcptypes.ElicitationRequest{Params: mcptypes.ElicitationParams{
				Message: "Your colour?",
				RequestedSchema: map[string]any{"type": "object", "required": []string{"size"}, "properties": map[string]any{
					"size":   map[string]any{"type": "integer", "title": "Size"},
					"colour": map[string]any{"type": "string", "enum": []string{"red", "blue"}},
				}},
			}})
			if err != nil {
				return mcptypes.NewToolResultError(err.Error()), nil
			}
			return mcptypes.NewToolResultStructured(answer, "elicited "+string(answer.Action)), nil
		})
	if err := server.NewStdioServer(s).Listen(context.Background(), os.Stdin, os.Stdout); err != nil {
		return 1
	}
	return 0
}

// rig is serveMCP as an entry of a catalogue.
func rig(t *testing.T, name string) mcp.Spec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcp.Spec{
		Name: name, Transport: mcp.Stdio, Command: self, Timeout: time.Hour, AlwaysLoad: true,
		Env: map[string]string{roleVar: "mcp"},
	}
}

// ours is the rig in the place of the managed server.
func ours(t *testing.T) mcp.Spec {
	s := rig(t, mcp.InteractionServer)
	s.Managed = true
	s.AutoAllow = []string{mcp.ToolClarify}
	return s
}
