package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"parley/agents/agenttest/leaks"
)

func TestMain(m *testing.M) {
	if os.Getenv(ownServerVar) != "" {
		os.Exit(ownServer())
	}
	os.Exit(leaks.Run(m))
}

// ownServerVar makes this test binary an MCP server of the person's own.
const ownServerVar = "PARLEY_TEST_OWN_SERVER"

// ownServerEntry is the server as a person writes it into a file of their CLI.
func ownServerEntry(t *testing.T) map[string]any {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"type": "stdio", "command": self, "args": []string{}, "env": map[string]string{ownServerVar: "1"}}
}

// rpc is a message of JSON-RPC, whoever sent it.
type rpc struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

// ownServer serves the tools echo and order over standard input and output, in
// the protocol of 2025-11-25; order asks the person by elicitation. It knows
// nothing of Parley. Its one goroutine serves one call after another.
func ownServer() int {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	read := func() (m rpc, ok bool) {
		line, err := in.ReadBytes('\n')
		return m, err == nil && json.Unmarshal(line, &m) == nil
	}
	write := func(m rpc) {
		m.Version = "2.0"
		line, err := json.Marshal(m)
		if err != nil {
			panic(err) // only texts and maps are in there
		}
		fmt.Printf("%s\n", line)
	}
	answer := func(id json.RawMessage, result string) { write(rpc{ID: id, Result: json.RawMessage(result)}) }
	said := func(text string) string {
		quoted, _ := json.Marshal(text)
		return `{"content":[{"type":"text","text":` + string(quoted) + `}]}`
	}
	for {
		m, ok := read()
		switch {
		case !ok:
			return 0
		case m.Method == "initialize":
			answer(m.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"own","version":"1"}}`)
		case m.Method == "tools/list":
			answer(m.ID, `{"tools":[
				{"name":"echo","description":"Says it again.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}},
				{"name":"order","description":"Orders a shirt.","inputSchema":{"type":"object"}}]}`)
		case m.Method == "tools/call":
			var call struct {
				Name      string            `json:"name"`
				Arguments map[string]string `json:"arguments"`
			}
			_ = json.Unmarshal(m.Params, &call) // a test sends what fits
			if call.Name == "echo" {
				answer(m.ID, said("echo: "+call.Arguments["text"]))
				continue
			}
			write(rpc{ID: json.RawMessage(`"ask"`), Method: "elicitation/create", Params: json.RawMessage(`{"message":"Which shirt?","requestedSchema":{
				"type":"object","required":["size"],"properties":{"size":{"type":"integer","title":"Size"},"colour":{"type":"string","enum":["red","blue"]}}}}`)})
			got, ok := read()
			if !ok {
				return 0
			}
			answer(m.ID, said("ordered: "+string(got.Result)))
		case len(m.ID) > 0 && m.Method != "":
			write(rpc{ID: m.ID, Error: map[string]any{"code": -32601, "message": "method not found"}})
		}
	}
}
