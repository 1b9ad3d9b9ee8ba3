package codex_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/codex"
	"parley/agents/jsonl"
)

const fuzzThread = "01a22c87-c362-75b0-941b-ac29f4aac40c"

// FuzzTurn lets the CLI say anything in the midst of a turn, then end it and go.
// Nothing breaks: the turn has an end and the conversation closes.
func FuzzTurn(f *testing.F) {
	recorded, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(recorded) == 0 {
		f.Fatalf("no recorded lines: %v", err)
	}
	thread := regexp.MustCompile(`"threadId":"[0-9a-f-]{36}"`)
	for _, path := range recorded {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		var received []string
		for line := range strings.Lines(string(data)) {
			if line, ok := strings.CutPrefix(strings.TrimSpace(line), `{"recv":`); ok && strings.Contains(line, `"method"`) {
				received = append(received, thread.ReplaceAllString(strings.TrimSuffix(line, "}"), `"threadId":"`+fuzzThread+`"`))
			}
		}
		f.Add(strings.Join(received, "\n"))
	}
	f.Add(`{"method":"item/completed","params":{"threadId":"other","item":{"type":"fileChange","id":"f","changes":[{"path":"/a","kind":{"type":"delete"},"diff":"x"}],"status":"completed"}}}`)
	f.Add(`{"method":"mcpServer/elicitation/request","id":"x","params":{"threadId":"` + fuzzThread + `","mode":"form","requestedSchema":{"properties":[]}}}`)
	f.Add(`{"method":"item/tool/requestUserInput","id":7,"params":{"questions":[]}}` + "\n" + `{"method":"error","params":{"error":{"codexErrorInfo":[1]}}}`)
	f.Fuzz(func(t *testing.T, said string) {
		agenttest.HoldInBubble(t, codex.New("test"), agents.SessionSpec{Cwd: "/w"}, func(client *jsonl.Reader, out io.Writer) {
			play(client, out, said)
		})
	})
}

// play answers until the turn begins, says what is to be said, and ends the turn.
func play(client *jsonl.Reader, out io.Writer, said string) {
	for {
		line, err := client.Next()
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(line.Data, &m) != nil || m.ID == nil {
			continue
		}
		switch m.Method {
		case "thread/start":
			fmt.Fprintf(out, `{"id":%s,"result":{"thread":{"id":%q}}}`+"\n", m.ID, fuzzThread)
		case "turn/start":
			fmt.Fprintf(out, "%s\n"+`{"id":%s,"result":{"turn":{"id":"T"}}}`+"\n", said, m.ID)
			fmt.Fprintf(out, `{"method":"turn/completed","params":{"threadId":%q,"turn":{"id":"T","status":"completed"}}}`+"\n", fuzzThread)
			return
		default:
			fmt.Fprintf(out, `{"id":%s,"result":{}}`+"\n", m.ID)
		}
	}
}
