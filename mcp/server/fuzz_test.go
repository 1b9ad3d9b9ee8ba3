package server_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"parley/mcp/bridge"
)

// FuzzInput: whatever comes in on standard input, all that goes out is JSON-RPC,
// and the server still answers afterwards, or has ended because its input did.
func FuzzInput(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	f.Add(`{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{"protocolVersion":"2026-07-28"}}` + "\n" + `{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen"}`)
	f.Add(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"parley_clarify","arguments":` + ask + `,"_meta":{"progressToken":1}}}` +
		"\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
	f.Add(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
	f.Add("\x00\xff{\n}{\r\n\"\\u")
	f.Add(`{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list","params":[]}`)
	f.Add(`{"jsonrpc":"2.0","result":{}}`)
	f.Fuzz(func(t *testing.T, said string) {
		if strings.Contains(said, `"fuzz-end"`) {
			t.Skip("it uses the id by which the end is known")
		}
		synctest.Test(t, func(t *testing.T) { // which lets no goroutine stay
			app := newFakeApp()
			c := startWith(t, t.Context(), everything, app, app)
			go func() { // whatever is asked is answered
				for {
					select {
					case a := <-c.app.asked:
						a.end <- reply{result: bridge.ClarifyResult{Reason: "dismissed"}}
					case <-c.app.plans:
					case <-c.app.ready:
					case <-c.ended:
						return
					}
				}
			}()
			go func() {
				if _, err := io.WriteString(c.in, said+"\n"+`{"jsonrpc":"2.0","id":"fuzz-end","method":"ping"}`+"\n"); err != nil {
					_ = c.in.Close()
				}
			}()
			for {
				line, ok := within(t, "an answer", c.lines)
				if !ok {
					t.Fatal("the server ended")
				}
				var m struct {
					Version string          `json:"jsonrpc"`
					ID      json.RawMessage `json:"id"`
				}
				if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" {
					t.Fatalf("the server wrote %q", line)
				}
				if string(m.ID) == `"fuzz-end"` {
					return
				}
			}
		})
	})
}
