package pi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/jsonl"
	"parley/agents/pi"
)

// FuzzTurn lets the CLI say anything in the midst of a turn, then end it and go.
// Nothing breaks: the turn has an end and the conversation closes. The seeds are
// conversations that were recorded from Pi 1.6.0.
func FuzzTurn(f *testing.F) {
	recorded, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(recorded) == 0 {
		f.Fatalf("no recorded lines: %v", err)
	}
	for _, path := range recorded {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		var received []string
		for line := range strings.Lines(string(data)) {
			var entry struct {
				Received json.RawMessage `json:"recv"`
			}
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Received != nil {
				received = append(received, string(entry.Received))
			}
		}
		f.Add(strings.Join(received, "\n"))
	}
	f.Add(`{"type":"message_update","assistantMessageEvent":{"type":"text_end","contentIndex":-1}}` + "\n" + `{"type":"agent_settled"}`)
	f.Add(`{"type":"tool_execution_start","toolCallId":"e","toolName":"edit","args":{"path":7}}` + "\n" + `{"type":"tool_execution_end","toolCallId":"e","result":null}`)
	f.Add(`{"type":"extension_ui_request","id":"i","method":"input","title":"{\"parley\":\"permission\",\"tool\":\"edit\",\"input\":[]}"}`)
	f.Fuzz(func(t *testing.T, said string) {
		agenttest.HoldInBubble(t, pi.New(), agents.SessionSpec{Cwd: t.TempDir()}, func(client *jsonl.Reader, out io.Writer) {
			play(client, out, said)
		})
	})
}

// play answers until the turn begins, says what is to be said, and ends.
func play(client *jsonl.Reader, out io.Writer, said string) {
	for {
		line, err := client.Next()
		if err != nil {
			return
		}
		var c struct{ ID, Type string }
		if json.Unmarshal(line.Data, &c) != nil || c.ID == "" {
			continue
		}
		switch c.Type {
		case "get_state":
			fmt.Fprintf(out, `{"type":"response","id":%q,"success":true,"data":{"sessionId":"s","model":{"id":"m","provider":"p"}}}`+"\n", c.ID)
		case "prompt":
			fmt.Fprintf(out, `{"type":"response","id":%q,"success":true,"data":{"disposition":"started"}}`+"\n%s\n", c.ID, said)
			return
		}
	}
}
