package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	acp "github.com/coder/acp-go-sdk"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// startLimit is how long the MCP server may take to come up.
const startLimit = 10 * time.Second

// tools is a running MCP server, a child of this process. A nil *tools offers
// nothing.
type tools struct {
	client *client.Client
	names  []string
}

// connect starts the server in the session's folder and lists its tools.
func connect(ctx context.Context, server *acp.McpServerStdio, cwd string, stderr io.Writer) (*tools, error) {
	start := func(_ context.Context, command string, env, args []string) (*exec.Cmd, error) {
		cmd := exec.Command(command, args...) // it lives as long as the session, not as long as this call
		cmd.Env = append(os.Environ(), env...)
		cmd.Dir = cwd
		cmd.Stderr = stderr
		return cmd, nil
	}
	var env []string
	for _, v := range server.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	c, err := client.NewStdioMCPClientWithOptions(server.Command, env, server.Args, transport.WithCommandFunc(start))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	hello := mcpgo.InitializeRequest{}
	hello.Params.ProtocolVersion = mcpgo.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcpgo.Implementation{Name: "parley-demo", Version: version}
	if _, err := c.Initialize(ctx, hello); err != nil {
		c.Close()
		return nil, fmt.Errorf("greet: %w", err)
	}
	list, err := c.ListTools(ctx, mcpgo.ListToolsRequest{})
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("list tools: %w", err)
	}
	t := &tools{client: c}
	for _, tool := range list.Tools {
		t.names = append(t.names, tool.Name)
	}
	return t, nil
}

// offers reports whether the server has a tool.
func (t *tools) offers(name string) bool { return t != nil && slices.Contains(t.names, name) }

// call calls a tool and waits for its result, however long that takes. id is
// that of the call in the agent's own stream, which tells the server what it
// belongs to. When ctx ends, the server is told that the call is cancelled.
// failed says that the server refused the call; text is then its reason.
func (t *tools) call(ctx context.Context, id, name string, args any) (text string, structured json.RawMessage, failed bool, err error) {
	req := mcpgo.CallToolRequest{}
	req.Params.Name, req.Params.Arguments = name, args
	req.Params.Meta = &mcpgo.Meta{AdditionalFields: map[string]any{"callId": id}}
	result, err := t.client.CallTool(ctx, req)
	if err != nil {
		return "", nil, false, fmt.Errorf("call %s: %w", name, err)
	}
	for _, c := range result.Content {
		if block, ok := c.(mcpgo.TextContent); ok {
			text += block.Text
		}
	}
	if result.StructuredContent != nil {
		if structured, err = json.Marshal(result.StructuredContent); err != nil {
			return "", nil, false, fmt.Errorf("result of %s: %w", name, err)
		}
	}
	return text, structured, result.IsError, nil
}

// close ends the server: its input ends, and a server that does not heed that
// is killed.
func (t *tools) close() {
	if t != nil {
		_ = t.client.Close() // how it ended is of no use any more
	}
}
