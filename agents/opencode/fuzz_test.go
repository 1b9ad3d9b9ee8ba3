package opencode_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/opencode"
)

// opening is a tape until the first message was taken, and closing one from the
// end of its turn.
const (
	opening = `{"send":"GET /global/health"}
{"answer":"GET /global/health","status":200,"body":{"version":"1"}}
{"send":"GET /config"}
{"answer":"GET /config","status":200,"body":{}}
{"send":"GET /agent"}
{"answer":"GET /agent","status":200,"body":[]}
{"send":"GET /command"}
{"answer":"GET /command","status":200,"body":[]}
{"send":"GET /config/providers"}
{"answer":"GET /config/providers","status":200,"body":{}}
{"send":"GET /event"}
{"answer":"GET /event","status":200}
{"event":{"type":"server.connected","properties":{}}}
{"send":"POST /session"}
{"answer":"POST /session","status":200,"body":{"id":"ses_1"}}
{"send":"GET /mcp"}
{"answer":"GET /mcp","status":200,"body":{}}
{"send":"POST /session/ses_1/prompt_async"}
{"answer":"POST /session/ses_1/prompt_async","status":204}
{"event":{"type":"session.status","properties":{"sessionID":"ses_1","status":{"type":"busy"}}}}
`
	closing = `{"event":{"type":"session.idle","properties":{"sessionID":"ses_1"}}}
{"event":{"type":"session.idle","properties":{"sessionID":"ses_1"}}}
`
)

// FuzzEvents lets the server say anything in the midst of a turn, then end it and
// go. Nothing breaks: the turn has an end and the conversation closes.
func FuzzEvents(f *testing.F) {
	recorded, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(recorded) == 0 {
		f.Fatalf("no recorded events: %v", err)
	}
	for _, path := range recorded {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		root := ""
		var said []string
		for line := range bytes.Lines(data) {
			var e entry
			if err := json.Unmarshal(line, &e); err != nil {
				f.Fatal(err)
			}
			if e.Answer == "POST /session" {
				var s struct{ ID string }
				if err := json.Unmarshal(e.Body, &s); err != nil {
					f.Fatal(err)
				}
				root = s.ID
			}
			if len(e.Event) > 0 {
				said = append(said, strings.ReplaceAll(string(e.Event), root, "ses_1"))
			}
		}
		f.Add(strings.Join(said, "\n"))
	}
	f.Add(`{"type":"message.part.updated","properties":{"part":{"id":"p","sessionID":"ses_1","type":"tool","tool":"task","callID":"c","state":{"status":"completed","metadata":{"sessionId":"ses_1"}}}}}`)
	f.Add(`{"type":"question.asked","properties":{"id":"q","sessionID":"ses_1","questions":[]}}` + "\n" + `{"type":"session.error","properties":{}}` + "\n[]\n{\"type\":7}")
	f.Fuzz(func(t *testing.T, said string) {
		tape := bytes.NewBufferString(opening)
		for line := range strings.Lines(said) {
			line = strings.TrimSpace(line)
			if !json.Valid([]byte(line)) {
				continue // what is no JSON is tried where lines are read
			}
			raw, err := json.Marshal(entry{Event: json.RawMessage(line)})
			if err != nil {
				t.Fatal(err)
			}
			tape.Write(append(raw, '\n'))
		}
		tape.WriteString(closing)
		// What it asks waits for a person until the turn or the program ends.
		holdTape(t, tape.Bytes(), func(*agenttest.Host) {})
	})
}

// holdTape holds the one turn of a tape and closes the conversation. during runs
// once the message was taken. The host is returned, with all that it was asked and
// told.
func holdTape(t *testing.T, tape []byte, during func(*agenttest.Host)) *agenttest.Host {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	if err := os.WriteFile(path, tape, 0o600); err != nil {
		t.Fatal(err)
	}
	conn, run, _ := play(t, path)
	host := agenttest.NewHost(t)
	agent, err := opencode.New().Open(t.Context(), conn, agents.SessionSpec{Cwd: "/w", RunDir: run, OwnServers: true}, host)
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.Prompt(t.Context(), agents.Turn{ID: "1", Text: ""}); err != nil {
		t.Fatal(err)
	}
	during(host)
	host.Until("end of the turn", agenttest.Saw[agents.Ended])
	<-conn.Done
	if err := agent.Close(t.Context()); err != nil {
		t.Error(err)
	}
	return host
}
