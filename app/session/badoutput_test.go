package session_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/acp"
	"parley/agents/claude"
	"parley/app"
	"parley/app/apptest"
	"parley/app/session"
	"parley/mcp"
)

// A CLI whose output is not as it should be: a shell script in its place, the
// real adapter, a real process tree. What comes of it is one outcome and one
// sentence for each fault, whichever protocol it speaks.

// badOutput is one fault. script runs once the prompt was read; in it, say TEXT
// sends a message, finish ends the turn, and begin and end are the two halves of
// the line of a message.
type badOutput struct {
	name   string
	script string
	said   func(text string) bool // of all messages together, nil for anything
	status app.TurnStatus
	title  string // of the problem; %s is the agent's name
	shows  string // in the problem's evidence
	kept   int    // lines that were not understood and are kept
}

func equals(want string) func(string) bool { return func(text string) bool { return text == want } }

var badOutputs = []badOutput{
	{name: "a line of 5 MB", status: app.TurnCompleted,
		script: `begin; head -c 5000000 /dev/zero | tr '\0' x; end; finish`,
		said:   func(text string) bool { return len(text) > 1000 && strings.Trim(text, "x\n") != text }},
	{name: "half a character at the end of a chunk", status: app.TurnCompleted,
		script: `begin; printf 'caf\303'; sleep 0.1; printf '\251 \360\237'; sleep 0.1; printf '\244\224'; end; finish`,
		said:   equals("café 🤔")},
	{name: "terminal sequences before JSON", status: app.TurnCompleted,
		script: `printf '\033[?2004h\033]0;title\007'; say one; printf '\033[2K\r'; finish`, said: equals("one")},
	{name: "70 KB on stderr", status: app.TurnCompleted,
		script: `head -c 70000 /dev/zero | tr '\0' e >&2; say one; finish`, said: equals("one")},
	{name: "5 MB on stderr", status: app.TurnCompleted,
		script: `head -c 5000000 /dev/zero | tr '\0' e >&2; say one; finish`, said: equals("one")},
	{name: "malformed and unknown lines", status: app.TurnCompleted, kept: 4,
		script: `echo 'npm warn deprecated'; echo '{"type":'; echo '[1,2]'; echo; echo 42; say one; finish`, said: equals("one")},
	{name: "exit 1 with only stderr", status: app.TurnFailed, title: "%s ended with the exit code 1.", shows: "no space left on the moon",
		script: `echo 'no space left on the moon' >&2; exit 1`, said: equals("")},
	{name: "an end without a result", status: app.TurnFailed, title: "%s ended by itself.",
		script: `say one; exit 0`, said: equals("one")},
	{name: "a line that was cut off by the end", status: app.TurnFailed, title: "%s ended with the exit code 3.", kept: 1,
		script: `say one; begin; exit 3`, said: equals("one")},
	{name: "a result and no end", status: app.TurnCompleted, script: `say one; finish; exec sleep 9999`, said: equals("one")},
}

const claudeCLI = `#!/bin/sh
read -r line
id=$(printf '%s' "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "$id"
n=0
begin() { n=$((n + 1)); printf '{"type":"assistant","message":{"id":"m%s","content":[{"type":"text","text":"' $n; }
end() { printf '"}]}}\n'; }
say() { begin; printf '%s' "$1"; end; }
finish() { echo '{"type":"result","subtype":"success","is_error":false,"result":"","terminal_reason":"completed"}'; }
read -r line
`

const acpCLI = `#!/bin/sh
answer() {
	read -r line
	id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
	[ -z "$1" ] || printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"
}
answer '{"protocolVersion":1}'
answer '{"sessionId":"s1"}'
begin() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'; }
end() { printf '"}}}}\n'; }
say() { begin; printf '%s' "$1"; end; }
finish() { printf '{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}\n' "$id"; }
answer ''
`

func TestBadOutputOfClaude(t *testing.T) {
	testBadOutput(t, claude.New(), agents.Claude, "Claude Code", claudeCLI)
}

func TestBadOutputOfAnACPAgent(t *testing.T) {
	ad := acp.New(acp.Entry{Family: agents.ACP, Name: "Some agent", Mark: "Sa", Modes: map[agents.Mode]string{agents.ModeAsk: ""}})
	testBadOutput(t, ad, agents.ACP, "Some agent", acpCLI)
}

func testBadOutput(t *testing.T, ad agents.Adapter, family agents.Family, name, cli string) {
	for _, c := range badOutputs {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "cli")
			if err := os.WriteFile(path, []byte(cli+c.script+"\nwhile read -r line; do :; done\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, func(conf *session.Config, _ *adapter) {
				conf.Adapter = families(ad)
				conf.Install = func(context.Context, agents.Family) (agents.Install, error) {
					return agents.Install{Family: family, Path: path, Version: "9.9.9"}, nil
				}
				conf.Servers = func(context.Context, session.ServerLaunch) (session.Servers, error) {
					return session.Servers{Limits: mcp.DefaultLimits()}, nil // nothing whose listing would be waited for
				}
			})
			s := w.create(app.NewSession{Agent: string(family)})
			turn := w.send(s.ID, "go")
			end := w.ended(turn)
			var said strings.Builder
			kept := 0
			for _, e := range w.tape.All() {
				if d, ok := apptest.Data[app.MessageText](e); ok && e.Type == app.EventMessageCompleted {
					said.WriteString(d.Text)
				}
				if e.Type == app.EventUnknown {
					kept++
				}
			}
			if end.Status != c.status || c.said != nil && !c.said(said.String()) || kept != c.kept {
				t.Errorf("ended as %s with %+v, said %.100q (%d bytes), kept %d lines", end.Status, end.Problem, said.String(), said.Len(), kept)
			}
			if c.title == "" {
				if end.Problem != nil {
					t.Errorf("problem %+v", end.Problem)
				}
				return // closing the world ends the CLI, and checks that it is gone
			}
			if p := end.Problem; p == nil || p.Title != strings.ReplaceAll(c.title, "%s", name) || !strings.Contains(p.Evidence, c.shows) || p.Advice == "" {
				t.Errorf("problem %+v, want %q showing %q", p, c.title, c.shows)
			}
		})
	}
}

// A CLI that sits at a prompt of its own, such as for trust in a folder, doesn't
// count as ready: the session says that it starts, then what was seen, and no
// other session waits for it.
func TestACLIThatSitsAtAPromptOfItsOwn(t *testing.T) {
	for name, ad := range map[string]agents.Adapter{
		"jsonl": claude.New(),
		"acp":   acp.New(acp.Entry{Family: agents.Claude, Name: "Claude Code", Mark: "Cl", Modes: map[agents.Mode]string{agents.ModeAsk: ""}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "cli")
			const script = "#!/bin/sh\necho 'Do you trust the files in this folder?'; echo '1. Yes  2. No'; exec sleep 9999\n"
			if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, func(conf *session.Config, scripted *adapter) {
				scripted.family = agents.ACP
				conf.Adapter = families(ad, scripted)
				conf.Install = func(_ context.Context, f agents.Family) (agents.Install, error) {
					if f == agents.ACP {
						return scripted.Inspect(context.Background(), nil, "", nil), nil
					}
					return agents.Install{Family: f, Path: path, Version: "9.9.9"}, nil
				}
				conf.Wait.Open = 5 * time.Second
			})
			stuck := w.send(w.create(app.NewSession{}).ID, "go")
			good := w.send(w.create(app.NewSession{Agent: string(agents.ACP)}).ID, "say m fine")
			if end := w.ended(good); end.Status != app.TurnCompleted {
				t.Errorf("the other session's turn ended as %s", end.Status)
			}
			for _, e := range w.tape.All() {
				if d, ok := apptest.Data[app.Session](e); ok && d.Agent == string(agents.Claude) && d.State == app.StateRunning && e.TurnID == "" && d.Live {
					t.Errorf("counted as ready: %+v", d)
				}
			}
			end := w.ended(stuck)
			t.Logf("%s %+v", end.Status, end.Problem)
			if p := end.Problem; end.Status != app.TurnFailed || p == nil || p.Title == "" || p.Advice == "" || !strings.Contains(p.Evidence, "Do you trust the files in this folder?") {
				t.Errorf("ended as %s with %+v", end.Status, end.Problem)
			}
		})
	}
}
