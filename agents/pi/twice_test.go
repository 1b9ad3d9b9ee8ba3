package pi_test

import (
	"io"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/jsonl"
	"parley/agents/pi"
)

// A dialog that comes twice under one id is one question; the same under another
// id is another.
func TestADialogThatComesTwice(t *testing.T) {
	dialog := func(id string) string {
		return `{"type":"extension_ui_request","id":"` + id + `","method":"confirm","title":"Sure?"}` + "\n"
	}
	host := agenttest.HoldInBubble(t, pi.New(), agents.SessionSpec{Cwd: t.TempDir()}, func(client *jsonl.Reader, out io.Writer) {
		play(client, out, dialog("a")+dialog("a")+dialog("b"))
	})
	if n := host.Asks(); n != 2 {
		t.Errorf("the person was asked %d times", n)
	}
}
