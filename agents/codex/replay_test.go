package codex_test

import (
	"flag"
	"fmt"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/codex"
	"parley/mcp"
)

var update = flag.Bool("update", false, "rewrite the expected events")

// step is one input of a recorded conversation and what the test does during
// its turn.
type step struct {
	prompt    string
	interrupt bool // once a tool runs
	answers   []agents.Outcome
}

// TestRecorded plays conversations that were recorded from Codex 0.171.0, and one
// that was written by its schema for what a scripted model does not bring about,
// and compares what comes out, and what was sent, with the files beside each.
// Refresh them with -update.
func TestRecorded(t *testing.T) {
	allow, form := live.Answered("allow_once"), agents.Outcome{Reason: "response", Action: "accept", Answers: map[string][]string{"answer": {"postgres"}}}
	native := agents.Outcome{Reason: "response", Answers: map[string][]string{"db": {"Postgres"}, "why": {"because"}}}
	for _, tt := range []struct {
		name   string
		native string
		ends   int // turns, when the CLI begins some by itself
		steps  []step
	}{
		{name: "two-turns", steps: []step{{prompt: "ask"}, {prompt: "again"}}},
		{name: "interrupt", steps: []step{{prompt: "block", interrupt: true}, {prompt: "again"}}},
		{name: "mcp-approval", steps: []step{{prompt: "ask", answers: []agents.Outcome{allow, allow, allow}}}},
		{name: "request-user-input", steps: []step{{prompt: "ask", answers: []agents.Outcome{native}}, {prompt: "again", answers: []agents.Outcome{native}}}},
		{name: "elicitation", steps: []step{{prompt: "ask", answers: []agents.Outcome{form}}}},
		{name: "subagent", steps: []step{{prompt: "delegate", answers: []agents.Outcome{form}}}},
		{name: "async-questions", steps: []step{{prompt: "ask"}}},
		{name: "resume", native: "01a22c87-c362-75b0-941b-ac29f4aac40c", steps: []step{{prompt: "third"}}},
		{name: "schema", ends: 2, steps: []step{{prompt: "go", answers: []agents.Outcome{live.Answered("allow_session")}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			file := "testdata/" + tt.name + "-0.171.0"
			conn, replay := agenttest.PlayFile(t, file+".jsonl")
			host := agenttest.NewHost(t)
			ours := mcp.Interaction("/bin/parley-mcp", "/run/credential.json", true, false, mcp.DefaultLimits())
			agent, err := codex.New("test").Open(ctx, conn, agents.SessionSpec{
				Cwd: "/scratch/work", Mode: agents.ModeEdits, NativeID: tt.native, Effort: "high", Catalog: mcp.Catalog{ours},
			}, host)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for i, s := range tt.steps {
				n = len(host.Events())
				if err := agent.Prompt(ctx, agents.Turn{ID: fmt.Sprintf("turn-%d", i+1), Text: s.prompt}); err != nil {
					t.Fatal(err)
				}
				if s.interrupt {
					host.Until("tool", func(all []agents.Event) bool { return agenttest.Saw[agents.ToolStarted](all[n:]) })
					if err := agent.Interrupt(ctx); err != nil {
						t.Fatal(err)
					}
				}
				for _, a := range s.answers {
					host.NextAsk().Answer(a)
				}
				host.EndOfTurn(n)
			}
			if tt.ends > 0 {
				host.Until("other turns", func(all []agents.Event) bool { return len(agenttest.All[agents.Ended](all)) == tt.ends })
			}
			if err := agent.Close(ctx); err != nil {
				t.Fatal(err)
			}
			<-conn.Done
			agenttest.CheckEvents(t, host.Events())
			agenttest.Golden(t, file+".events", host.Events(), *update)
			agenttest.Golden(t, file+".sent", replay.Sent(), *update)
		})
	}
}
