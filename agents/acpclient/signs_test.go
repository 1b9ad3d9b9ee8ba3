package acpclient_test

import (
	"testing"

	"parley/agents"
	"parley/agents/acpclient"
	"parley/agents/agenttest"
)

// What ails a turn is told from its error, with the command that helps; what
// only ails a start is not read into it.
func TestWhatAilsATurn(t *testing.T) {
	for _, tt := range []struct {
		name    string
		reply   string // to the prompt
		code    int
		want    string
		command string
	}{
		{"by the protocol", "log in first", -32000, "not_logged_in", "fake login"},
		{"by the model's answer", "Internal error: turn failed: AUTH: 401: no key", -32603, "not_logged_in", "fake login"},
		{"a limit", "429 Too Many Requests", -32603, "rate_limited", ""},
		{"no network", "Connection error.", -32603, "network", ""},
		{"a file of the work", "cat: no such file or directory", -32603, "failed", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, conn := newFake(t)
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer f.out.Close()
				f.greet()
				f.fail(f.next("session/prompt"), tt.code, tt.reply)
				for {
					if _, err := f.lines.Next(); err != nil {
						return
					}
				}
			}()
			host := agenttest.NewHost(t)
			agent, err := acpclient.Open(t.Context(), conn, spec(), host, acpclient.Config{
				Name: "Fake", LoginCmd: "fake login", Modes: map[agents.Mode]string{agents.ModeAsk: ""}})
			if err != nil {
				t.Fatal(err)
			}
			p := lastEnded(t, turn(t, agent, host)).Problem
			if p == nil || p.Code != tt.want || p.Command != tt.command || p.Advice == "" || p.Evidence == "" {
				t.Errorf("ended with %+v", p)
			}
			agent.Close(t.Context())
			f.in.Close()
			<-done
		})
	}
}
