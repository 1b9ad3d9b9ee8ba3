package acpclient_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"parley/agents"
	"parley/agents/acpclient"
	"parley/agents/agenttest"
	"parley/agents/agenttest/leaks"
	"parley/mcp"
)

var update = flag.Bool("update", false, "rewrite the expected events")

func TestMain(m *testing.M) { os.Exit(leaks.Run(m)) }

// step is one input of a recorded conversation and what the test does during
// the turn.
type step struct {
	prompt    string
	interrupt bool   // once a tool runs, or at once when the agent tells of no tools
	action    string // the answer to the permission request of this turn
}

// TestRecorded plays conversations that were recorded from real agents (Grok
// 1.0.41, the DSH ACP bridge 0.0.1, OpenCode 1.18.33) and compares what comes
// out with the events beside each. Refresh them with -update.
func TestRecorded(t *testing.T) {
	for _, tt := range []struct {
		name    string
		noTools bool // the agent reports no tool calls
		steps   []step
	}{
		{name: "grok-permission", steps: []step{{prompt: "ask", action: "allow_once"}}},
		{name: "grok-cancel", steps: []step{{prompt: "block", interrupt: true}, {prompt: "again"}}},
		{name: "dsh-permission", noTools: true, steps: []step{{prompt: "ask", action: "deny"}, {prompt: "again"}}},
		{name: "dsh-cancel", noTools: true, steps: []step{{prompt: "tool"}, {prompt: "block", interrupt: true}, {prompt: "again"}}},
		{name: "opencode-session", steps: []step{
			{prompt: "tool"}, {prompt: "ask", action: "allow_once"}, {prompt: "wrong tool"}, {prompt: "block", interrupt: true}, {prompt: "think"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			conn, replay := agenttest.PlayFile(t, "testdata/"+tt.name+".jsonl")
			host := agenttest.NewHost(t)
			agent, err := acpclient.Open(ctx, conn, agents.SessionSpec{
				Cwd: "/scratch/work", Mode: agents.ModeAsk, Catalog: mcp.Catalog{{Name: "rig", Transport: mcp.Stdio, Command: "/rig", Env: map[string]string{"B": "2", "A": "1"}}},
			}, host, acpclient.Config{Name: "Recorded", Version: "test"})
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range tt.steps {
				n := len(host.Events())
				if err := agent.Prompt(ctx, agents.Turn{ID: fmt.Sprintf("turn-%d", i+1), Text: s.prompt}); err != nil {
					t.Fatal(err)
				}
				if s.interrupt {
					if !tt.noTools {
						host.Until("tool", func(all []agents.Event) bool { return agenttest.Saw[agents.ToolStarted](all[n:]) })
					}
					if err := agent.Interrupt(ctx); err != nil {
						t.Fatal(err)
					}
				}
				if s.action != "" {
					asked := host.NextAsk()
					if asked.Approval == nil {
						t.Fatalf("asked %+v, not for a permission", asked.Interaction)
					}
					asked.Answer(agents.Outcome{Reason: "response", Action: s.action})
				}
				host.EndOfTurn(n)
			}
			if err := agent.Close(ctx); err != nil {
				t.Fatal(err)
			}
			<-conn.Done
			agenttest.CheckEvents(t, host.Events())
			agenttest.Golden(t, "testdata/"+tt.name+".events", host.Events(), *update)
			agenttest.Golden(t, "testdata/"+tt.name+".sent", replay.Sent(), *update)
		})
	}
}
