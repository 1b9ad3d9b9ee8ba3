package agenttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"

	"parley/agents"
	"parley/agents/jsonl"
)

// An entry of a transcript is one line of a recorded JSON-RPC conversation: sent
// to the agent, or received from it.
type entry struct {
	Send json.RawMessage `json:"send"`
	Recv json.RawMessage `json:"recv"`
}

type rpcLine struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
}

// Replay plays the agent's side of a recorded JSON-RPC conversation. The file
// holds one {"send":…} or {"recv":…} a line. Before it goes on, the player waits
// for each recorded line to the agent: a message of the same method, or an
// answer to the same request. What a test sends is returned by Sent, in order.
// When the transcript ends, so does the agent.
type Replay struct {
	t       testing.TB
	entries []entry
	sent    chan json.RawMessage
}

// PlayFile starts playing a transcript as the peer of a connection.
func PlayFile(t testing.TB, path string) (agents.Conn, *Replay) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := &Replay{t: t}
	for line := range bytes.Lines(data) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		r.entries = append(r.entries, e)
	}
	r.sent = make(chan json.RawMessage, len(r.entries))
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := r.play(jsonl.NewReader(fromClient), toClient)
		close(r.sent)
		toClient.CloseWithError(err) // nil is a plain end of output
		fromClient.Close()
	}()
	t.Cleanup(func() {
		in.Close()
		out.Close()
		<-done
	})
	return agents.Conn{In: in, Out: out, Done: done}, r
}

// Sent waits for the end of the transcript and returns what was sent to the
// agent.
func (r *Replay) Sent() []json.RawMessage {
	var all []json.RawMessage
	for line := range r.sent {
		all = append(all, line)
	}
	return all
}

func (r *Replay) play(client *jsonl.Reader, out io.Writer) error {
	ids := map[string]json.RawMessage{} // recorded id of a request to the agent → the one in use
	for i, e := range r.entries {
		switch {
		case e.Send != nil:
			line, err := client.Next()
			if err != nil {
				return fmt.Errorf("line %d: the client ended where %s was recorded: %w", i+1, e.Send, err)
			}
			var want, got rpcLine
			if err := json.Unmarshal(e.Send, &want); err != nil {
				return err
			}
			if err := json.Unmarshal(line.Data, &got); err != nil {
				return err
			}
			if got.Method != want.Method || want.Method == "" && !bytes.Equal(got.ID, want.ID) {
				r.t.Errorf("line %d: the client sent %s where %s was recorded", i+1, line.Data, e.Send)
				return io.ErrUnexpectedEOF
			}
			if want.Method != "" && want.ID != nil {
				ids[string(want.ID)] = got.ID
			}
			r.sent <- line.Data
		case e.Recv != nil:
			data, err := r.withID(e.Recv, ids)
			if err != nil {
				return err
			}
			if _, err := out.Write(append(data, '\n')); err != nil {
				return nil // the client has gone, as it may
			}
		}
	}
	return nil
}

// withID gives a recorded answer the id that its request has now.
func (r *Replay) withID(raw json.RawMessage, ids map[string]json.RawMessage) ([]byte, error) {
	var line rpcLine
	if err := json.Unmarshal(raw, &line); err != nil {
		return append([]byte{}, raw...), nil // a line that is no message was recorded
	}
	now, ok := ids[string(line.ID)]
	if line.Method != "" || !ok {
		return append([]byte{}, raw...), nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	fields["id"] = now
	return json.Marshal(fields)
}
