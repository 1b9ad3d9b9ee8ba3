package claude_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/agents"
	"parley/agents/agenttest"
)

// aside opens a conversation whose CLI has put the call f1 aside, and begins the
// turn that goes on with it.
func aside(t *testing.T) *puppet {
	t.Helper()
	p := openPuppet(t, agents.SessionSpec{NativeID: "n1", Deferred: "f1"})
	if err := p.agent.Prompt(t.Context(), agents.Turn{Text: "the answer", Deferred: true}); err != nil {
		t.Fatal(err)
	}
	return p
}

// written are the lines that the adapter has written so far, none while it
// waits.
func (p *puppet) written() (lines []string) {
	synctest.Wait()
	for {
		select {
		case l := <-p.sent:
			lines = append(lines, string(l))
		default:
			return lines
		}
	}
}

// A CLI that does not make the call again gets the answer as a message after 30
// seconds, not before, and once.
func TestACallThatIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := aside(t)
		time.Sleep(30*time.Second - time.Nanosecond)
		if got := p.written(); len(got) != 0 {
			t.Fatalf("written too early: %v", got)
		}
		time.Sleep(time.Nanosecond)
		got := p.written()
		if len(got) != 1 || !strings.Contains(got[0], `"the answer"`) {
			t.Fatalf("written %v", got)
		}
		if lost := agenttest.All[agents.CallLost](p.host.Events()); len(lost) != 1 || lost[0].ToolID != "f1" {
			t.Errorf("told %+v", lost)
		}
		message := id(t, []byte(got[0]))
		p.say(fate(message, "started"))
		p.say(resultLine)
		p.say(fate(message, "completed"))
		synctest.Wait()
		if e := ends(p); len(e) != 1 || e[0].Stop != agents.StopDone {
			t.Errorf("ended %+v", e)
		}
		// The next message is one like others, and a call is resumed once.
		if err := p.agent.Prompt(t.Context(), agents.Turn{Text: "again", Deferred: true}); err == nil {
			t.Error("the call was resumed twice")
		}
		if err := p.agent.Prompt(t.Context(), agents.Turn{Text: "and now"}); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		if got := p.written(); len(got) != 1 || !strings.Contains(got[0], "and now") {
			t.Errorf("written %v", got)
		}
	})
}

// One that makes the call gets it allowed and no message, however long the turn
// lasts.
func TestACallThatIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := aside(t)
		time.Sleep(29 * time.Second)
		p.say(`{"type":"control_request","request_id":"r1","request":{"subtype":"hook_callback","input":{"tool_name":"mcp__parley-interaction__interactive_form_question","tool_use_id":"f1","tool_input":{}}}}`)
		time.Sleep(time.Hour)
		if got := p.written(); len(got) != 1 || !strings.Contains(got[0], `"allow"`) {
			t.Errorf("written %v", got)
		}
		if lost := agenttest.All[agents.CallLost](p.host.Events()); len(lost) != 0 {
			t.Errorf("told %+v", lost)
		}
	})
}
