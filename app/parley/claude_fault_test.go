package main

import (
	"strings"
	"testing"
	"time"

	"parley/agents/fakemodel"
	"parley/app"
)

// Faults of the provider end the turn with a reason and an advice, and the
// session is usable afterwards; also when the CLI itself, after its credentials
// were refused once, would refuse everything. When a limit resets is told to
// subscriptions only.
func TestClaudeAndTheProvidersFaults(t *testing.T) {
	h := newClaude(t)
	h.serve()
	reset := time.Now().Add(2 * time.Hour).Truncate(time.Second)
	cut := fakemodel.Reply{Blocks: []fakemodel.Block{fakemodel.TextBlock(strings.Repeat("A long answer. ", 40))}, CutAfter: 6}
	sessions := map[string]app.SessionID{}
	for _, c := range []struct {
		fault, login string // together the prompt
		reply        fakemodel.Reply
		exit         int
		code, title  string
		reset        int64
	}{
		{"too much load", "key", fakemodel.Overloaded(), exitFailed, "overloaded", "The provider is overloaded.", 0},
		{"a used up limit", "key", fakemodel.RateLimited(time.Second, reset), exitFailed, "rate_limited", "The provider's limit is reached.", 0},
		{"a cut stream", "key", cut, exitFailed, "network", "Claude Code could not reach the provider.", 0},
		{"a refusal", "key", fakemodel.Unauthorized(), exitFailed, "auth_failed", "The provider refused Claude Code's credentials.", 0},
		{"a used up limit", "subscription", fakemodel.RateLimited(time.Second, reset), exitFailed, "rate_limited", "The provider's limit is reached.", reset.UnixMilli()},
		{"a refusal", "subscription", fakemodel.Unauthorized(), exitNoAgent, "not_logged_in", "Claude Code is not logged in.", 0},
	} {
		words := c.fault + " with a " + c.login
		t.Run(words, func(t *testing.T) {
			h := h.in(t)
			h.model.Add(fakemodel.Step{When: latest("meet " + words), Times: fakemodel.Always, Reply: c.reply},
				fakemodel.Step{When: latest("after " + words), Reply: fakemodel.Text("All is well again.")})
			var r *running
			if session := sessions[c.login]; session != "" {
				r = h.start("sessions", "resume", session, "meet "+words, "--json")
			} else {
				if c.login == "subscription" {
					h.home = h.without("ANTHROPIC_API_KEY")
					h.env = append(h.env, "CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-0123456789abcdef")
				}
				r = h.claude("meet " + words)
				sessions[c.login] = r.event(app.EventSessionCreated).SessionID
			}
			if code := r.code(); code != c.exit {
				t.Errorf("exit code %d", code)
			}
			end := r.turnEnded()
			if p := end.Problem; end.Status != app.TurnFailed || p == nil || p.Code != c.code || p.Title != c.title || p.Advice == "" || p.Evidence == "" || p.ResetAt != c.reset {
				t.Errorf("ended %+v %+v", end, p)
			}
			next := h.start("sessions", "resume", sessions[c.login], "after "+words, "--json")
			next.done()
			if !strings.Contains(next.out.String(), "All is well again.") {
				t.Errorf("the session does not go on: %s", next.out)
			}
		})
	}
}

// latest agrees when words are the newest prompt of this test. The CLI sends
// prompts that were never answered again, in one message with the newest.
func latest(words string) func(fakemodel.Request) bool {
	return func(r fakemodel.Request) bool {
		text := r.LastUserText()
		return strings.HasPrefix(text[max(0, strings.LastIndex(text, "meet "), strings.LastIndex(text, "after ")):], words)
	}
}
