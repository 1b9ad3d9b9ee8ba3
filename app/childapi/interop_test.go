//go:build unix

package childapi_test

import (
	"context"
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/app"
	"parley/mcp"
)

// TestOfficialClientSpeaksWithTheProgram: a second implementation of the
// protocol, over the pipes of the real program, against a real socket.
func TestOfficialClientSpeaksWithTheProgram(t *testing.T) {
	r := serve(t, nil)
	notes := make(chan *sdk.ProgressNotificationParams, 100)
	client := sdk.NewClient(&sdk.Implementation{Name: "official", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, n *sdk.ProgressNotificationClientRequest) { notes <- n.Params },
	})
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: command(t, r.path, token)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	hints := map[string][4]bool{}
	for _, tool := range list.Tools {
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil || tool.Meta["anthropic/alwaysLoad"] != true {
			t.Fatalf("%s: annotations %+v, meta %v", tool.Name, a, tool.Meta)
		}
		hints[tool.Name] = [4]bool{a.ReadOnlyHint, *a.DestructiveHint, a.IdempotentHint, *a.OpenWorldHint}
	}
	if len(hints) != 3 || hints[mcp.ToolClarify] != [4]bool{} || hints[mcp.ToolForm] != [4]bool{} || hints[mcp.ToolUpdatePlan] != [4]bool{2: true} {
		t.Errorf("annotations %v", hints)
	}

	type called struct {
		result *sdk.CallToolResult
		err    error
	}
	ask := func(ctx context.Context) <-chan called {
		done := make(chan called, 1)
		params := &sdk.CallToolParams{Name: mcp.ToolClarify, Arguments: map[string]any{"context_id": "pctx_1", "question": "Which?", "choices": []string{"Hello", "Ahoy"}}}
		params.SetProgressToken("token-1")
		go func() {
			res, err := session.CallTool(ctx, params)
			done <- called{res, err}
		}()
		return done
	}
	call := ask(t.Context())
	a := r.question(t)
	if n := within(t, "progress", notes); n.ProgressToken != "token-1" {
		t.Errorf("progress %+v", n)
	}
	a.answer <- app.Outcome{Reason: app.ReasonResponse, Response: "Ahoy", Selected: []string{"Ahoy"}}
	got := within(t, "the answer", call)
	if got.err != nil || got.result.IsError {
		t.Fatalf("call: %+v, %v", got.result, got.err)
	}
	var text, structured map[string]any
	data, err := json.Marshal(got.result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, &structured)
	}
	if err == nil {
		err = json.Unmarshal([]byte(got.result.Content[0].(*sdk.TextContent).Text), &text)
	}
	if err != nil || text["response"] != "Ahoy" || structured["response"] != "Ahoy" {
		t.Errorf("text %v, structured %v, %v", text, structured, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	call = ask(ctx)
	a = r.question(t)
	cancel()
	if cause := within(t, "the withdrawal", a.withdrawn); cause != app.CauseMCPCancelled {
		t.Errorf("the app was told %s", cause)
	}
	within(t, "the end of the call", call)

	refused, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: mcp.ToolClarify, Arguments: map[string]any{"question": 7}})
	if err != nil || !refused.IsError {
		t.Errorf("wrong arguments: %+v, %v; want a result that is an error", refused, err)
	}
	if err := session.Ping(t.Context(), nil); err != nil {
		t.Errorf("ping: %v", err)
	}
}
