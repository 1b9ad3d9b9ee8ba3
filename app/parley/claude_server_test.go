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

// ownServer serves the tools echo, order and ask over standard input and output,
// in the protocol of 2025-11-25; order asks the person by elicitation, ask does so
// with each of the requests that it is given, one after the other. It knows
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
	// elicit asks the person and returns what came back, whole.
	elicit := func(id, params string) (result json.RawMessage, ok bool) {
		quoted, _ := json.Marshal(id)
		write(rpc{ID: quoted, Method: "elicitation/create", Params: json.RawMessage(params)})
		for {
			m, ok := read()
			if !ok || m.Method == "" && string(m.ID) == string(quoted) {
				return m.Result, ok
			}
		}
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
				{"name":"ask","description":"Asks all of it.","inputSchema":{"type":"object","properties":{"requests":{"type":"string"}}}},
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
			if call.Name == "ask" {
				var requests []json.RawMessage
				_ = json.Unmarshal([]byte(call.Arguments["requests"]), &requests)
				var got []json.RawMessage
				for i, params := range requests {
					result, ok := elicit(fmt.Sprint("ask-", i), string(params))
					if !ok {
						return 0
					}
					got = append(got, result)
				}
				text, _ := json.Marshal(got)
				answer(m.ID, said(string(text)))
				continue
			}
			result, ok := elicit("order", `{"message":"Which shirt?","requestedSchema":{
				"type":"object","required":["size"],"properties":{"size":{"type":"integer","title":"Size"},"colour":{"type":"string","enum":["red","blue"]}}}}`)
			if !ok {
				return 0
			}
			answer(m.ID, said("ordered: "+string(result)))
		case len(m.ID) > 0 && m.Method != "":
			write(rpc{ID: m.ID, Error: map[string]any{"code": -32601, "message": "method not found"}})
		}
	}
}
