package agenttest

import (
	"fmt"
	"io"
	"testing"
	"testing/synctest"

	"parley/agents"
	"parley/agents/jsonl"
)

// Step is one input of a conversation and what the person does during its turn.
type Step struct {
	Prompt    string
	Interrupt bool // once a tool says something
	Answers   []agents.Outcome
}

// Hold holds a conversation, turn-1 first, and closes it.
func Hold(t *testing.T, agent agents.Agent, host *Host, steps []Step) {
	t.Helper()
	for i, s := range steps {
		n := len(host.Events())
		if err := agent.Prompt(t.Context(), agents.Turn{ID: fmt.Sprintf("turn-%d", i+1), Text: s.Prompt}); err != nil {
			t.Fatal(err)
		}
		for _, a := range s.Answers {
			host.NextAsk().Answer(a)
		}
		if s.Interrupt {
			host.Until("output", func(all []agents.Event) bool { return Saw[agents.ToolProgress](all[n:]) })
			if err := agent.Interrupt(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		host.EndOfTurn(n)
	}
	if err := agent.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// HoldInBubble holds one turn with a CLI that is played, in a bubble of
// testing/synctest, and closes the conversation. play returns once it has ended
// the turn, and the CLI ends with it. The host is returned, with all that it was
// asked and told.
func HoldInBubble(t *testing.T, a agents.Adapter, spec agents.SessionSpec, play func(client *jsonl.Reader, out io.Writer)) *Host {
	t.Helper()
	var host *Host
	synctest.Test(t, func(t *testing.T) {
		fromClient, in := io.Pipe()
		out, toClient := io.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer toClient.Close()
			play(jsonl.NewReader(fromClient), toClient)
			go io.Copy(io.Discard, fromClient) // until the conversation closes
		}()
		host = NewHostInBubble(t)
		agent, err := a.Open(t.Context(), agents.Conn{In: in, Out: out, Done: done}, spec, host)
		if err != nil {
			t.Fatal(err)
		}
		if err := agent.Prompt(t.Context(), agents.Turn{ID: "1", Text: "go"}); err != nil {
			t.Fatal(err)
		}
		host.Until("end of the turn", Saw[agents.Ended])
		<-done
		if err := agent.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	return host
}
