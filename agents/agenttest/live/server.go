package live

import (
	"context"
	"os"
	"testing"
	"time"

	mcptypes "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"parley/mcp"
)

// serverEnv makes the test program an MCP server.
const serverEnv = "PARLEY_TEST_MCP_SERVER"

// serve is a real MCP server with the tools that these tests need. It runs in a
// process of its own, started by the CLI.
func serve() int {
	s := server.NewMCPServer("rig", "1", server.WithElicitation())
	s.AddTool(mcptypes.NewTool(mcp.ToolClarify, mcptypes.WithDescription("Ask the person.")),
		func(context.Context, mcptypes.CallToolRequest) (*mcptypes.CallToolResult, error) {
			return mcptypes.NewToolResultText("the person said BLUE-42"), nil
		})
	s.AddTool(mcptypes.NewTool("echo", mcptypes.WithDescription("Say it again."), mcptypes.WithString("variable")),
		func(_ context.Context, r mcptypes.CallToolRequest) (*mcptypes.CallToolResult, error) {
			return mcptypes.NewToolResultText("echoed" + os.Getenv(r.GetString("variable", ""))), nil
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

// Server is a person's MCP server, the test program itself, with the tools echo,
// which says a variable of its environment where it is asked for one, and elicit. Main must be the package's TestMain.
func Server(t *testing.T, name string) mcp.Spec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcp.Spec{
		Name: name, Transport: mcp.Stdio, Command: self, Timeout: time.Hour, AlwaysLoad: true,
		Env: map[string]string{serverEnv: "1"},
	}
}

// Ours is such a server in the place of Parley's own, with the tool
// parley_clarify.
func Ours(t *testing.T) mcp.Spec {
	t.Helper()
	s := Server(t, mcp.InteractionServer)
	s.Managed = true
	s.AutoAllow = []string{mcp.ToolClarify}
	return s
}
