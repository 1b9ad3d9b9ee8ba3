package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/apptest"
)

// What may not reach the person does not: no card, and the model reads why and
// what would be right.
func TestClaudeIsRefused(t *testing.T) {
	var earlier atomic.Value // the context id of the first turn
	h := newClaude(t,
		fakemodel.Step{When: fakemodel.UserSays("first turn"), Answer: func(r fakemodel.Request) fakemodel.Reply {
			id := contextOf(r)
			earlier.Store(id)
			var calls []fakemodel.Block
			for _, c := range malformed {
				input := map[string]any{"context_id": id, "question": "Which one?"}
				for name, value := range c.input {
					input[name] = value
				}
				calls = append(calls, fakemodel.ToolUseOf(c.call, clarifyTool, input))
			}
			return fakemodel.Blocks(calls...)
		}},
		onResult("m1", fakemodel.Text("None of them was asked.")),
		fakemodel.Step{When: fakemodel.UserSays("second turn"), Answer: func(fakemodel.Request) fakemodel.Reply {
			return use("x1", clarifyTool, map[string]any{"context_id": earlier.Load(), "question": "Which one?"})
		}},
		onResult("x1", fakemodel.Text("Nor was that.")),
		// A sub-agent, which was told the true context id.
		fakemodel.Step{When: fakemodel.UserSays("third turn"), Answer: func(r fakemodel.Request) fakemodel.Reply {
			return use("a1", "Agent", map[string]any{"description": "look", "prompt": "SUBWORK context_id=\"" + contextOf(r) + "\"",
				"subagent_type": "general-purpose", "run_in_background": false})
		}},
		fakemodel.Step{When: fakemodel.UserSays("SUBWORK"), Answer: asks("a2", "Which one?", "This", "That")},
		onResult("a2", fakemodel.Text("I could not ask.")),
		onResult("a1", fakemodel.Text("Then I ask nothing.")),
	)
	h.serve()
	first := h.claude("first turn")
	first.done()
	for _, c := range malformed {
		told := h.told(c.call)
		if !told.IsError || !strings.Contains(told.Text, c.says) || !strings.Contains(told.Text, c.field) {
			t.Errorf("%v: the model read %+v, which lacks %q", c.input, told, c.says)
		}
	}
	session := first.event(app.EventSessionCreated).SessionID
	second := h.start("sessions", "resume", session, "second turn", "--json")
	second.done()
	if told := h.told("x1"); !told.IsError || !strings.Contains(told.Text, "not that of the turn under way") {
		t.Errorf("an earlier context id: the model read %+v", told)
	}
	third := h.start("sessions", "resume", session, "third turn", "--json")
	third.done()
	if told := h.told("a2"); !told.IsError || !strings.Contains(told.Text, "sub-agent may not ask") {
		t.Errorf("a sub-agent: it read %+v", told)
	}
	all, err := h.client().Interactions(t.Context(), app.InteractionFilter{State: app.InteractionsAll})
	if err != nil || len(all) != 0 {
		t.Errorf("%d cards, %v: %+v", len(all), err, all)
	}
	for _, r := range []*running{first, second, third} {
		if strings.Contains(r.out.String(), ".requested") {
			t.Errorf("something was asked: %s", r.out)
		}
	}
}

// malformed are calls of the asking tool with what is wrong in them, and what
// the model reads about it.
var malformed = []struct {
	call  string
	input map[string]any
	field string
	says  string
}{
	{"m1", map[string]any{"context_id": "pctx_" + strings.Repeat("A", 43)}, "context_id", "not that of the turn under way"},
	{"m2", map[string]any{"context_id": nil}, "context_id", "must be given"},
	{"m3", map[string]any{"question": " \n\t "}, "question", "a blank text"},
	{"m4", map[string]any{"question": strings.Repeat("x", 4001)}, "question", "4001 characters"},
	{"m5", map[string]any{"question": 7}, "question", "a number"},
	{"m6", map[string]any{"choices": make21("one")}, "choices", "21 items"},
	{"m7", map[string]any{"choices": []string{"A", " "}}, "choices[1]", "a blank text"},
	{"m8", map[string]any{"choices": []string{"A"}, "options": []any{map[string]any{"label": "B"}}}, "choices", "both choices and options"},
	{"m9", map[string]any{"options": []any{map[string]any{"label": strings.Repeat("x", 501)}}}, "options[0].label", "501 characters"},
	{"m10", map[string]any{"header": strings.Repeat("x", 61)}, "header", "61 characters"},
	{"m11", map[string]any{"choices": "A, B"}, "choices", "a text"},
}

func make21(text string) []string {
	list := make([]string, 21)
	for i := range list {
		list[i] = text
	}
	return list
}

// A second question while one waits is refused. The CLI itself makes one call
// after another, so a program that the agent starts makes the second, with the
// agent's own credential and context id; with a credential that it made up it
// is refused altogether. Another session cannot ask with that context id at
// all. The card that waits is not touched.
func TestClaudeAsksTwiceAtOnce(t *testing.T) {
	var context atomic.Value
	h := newClaude(t,
		fakemodel.Step{When: fakemodel.UserSays("ask twice"), Answer: func(r fakemodel.Request) fakemodel.Reply {
			context.Store(contextOf(r))
			return use("b1", "Bash", map[string]any{"command": "sh ./second.sh >/dev/null 2>&1 &"})
		}},
		fakemodel.Step{When: fakemodel.HasResult("b1"), Answer: func(r fakemodel.Request) fakemodel.Reply {
			return use("q1", clarifyTool, map[string]any{"context_id": context.Load(), "question": "Which database?", "choices": []string{"Postgres", "SQLite"}})
		}},
		onResult("q1", fakemodel.Text("Thanks.")),
		fakemodel.Step{When: fakemodel.UserSays("borrow it"), Answer: func(fakemodel.Request) fakemodel.Reply {
			return use("o1", clarifyTool, map[string]any{"context_id": context.Load(), "question": "May I?"})
		}},
		onResult("o1", fakemodel.Text("It is not mine.")),
	)
	dirs := apptest.HomeIn(t, h.get("PARLEY_HOME"))
	h.write(h.work+"/second.sh", strings.NewReplacer("$RUNS", dirs.Runs(), "$SERVER", filepath.Join(filepath.Dir(h.bin), "parley-mcp")).Replace(`
while [ ! -e go ]; do sleep 0.05; done
for c in own forged; do
	cat $RUNS/*/credential.json >$c.json
	[ $c = own ] || sed -i 's/"token":"[^"]*"/"token":"made-up"/' $c.json
	chmod 600 $c.json
	(cat calls; while [ ! -e stop ]; do sleep 0.05; done) |
		PARLEY_RUN_CREDENTIAL=$PWD/$c.json PARLEY_MCP_USER_CLARIFICATION=1 $SERVER interaction >$c.out 2>$c.err &
done
wait
`))
	r := h.claude("ask twice")
	h.run(exitDone, "answer", r.asks(app.KindApproval).ID, "--allow", "once")
	asked := r.asks(app.KindClarify)

	call := jsonText(t, rpc{Version: "2.0", ID: json.RawMessage("2"), Method: "tools/call", Params: json.RawMessage(jsonText(t, map[string]any{
		"name": "parley_clarify", "arguments": map[string]any{"context_id": context.Load(), "question": "And which port?"}}))})
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"second","version":"1"}}}`
	h.write(h.work+"/calls", hello+"\n"+strings.ReplaceAll(call, "\n", "")+"\n")
	h.write(h.work+"/go", "")
	for _, c := range []struct {
		credential string
		code       app.Code
	}{{"own", app.CodeAlreadyPending}, {"forged", app.CodeUnauthenticated}} {
		got := refusalIn(t, filepath.Join(h.work, c.credential+".out"))
		if got.Code != c.code || got.Message == "" {
			t.Errorf("with the %s credential: %+v", c.credential, got)
		}
	}
	h.claude("borrow it").done()
	if told := h.told("o1"); !told.IsError || !strings.Contains(told.Text, "not that of the turn under way") {
		t.Errorf("another session's context id: the model read %+v", told)
	}
	waiting, err := h.client().Interactions(t.Context(), app.InteractionFilter{State: app.InteractionsWaiting})
	if err != nil || len(waiting) != 1 || waiting[0].ID != asked.ID {
		t.Errorf("%d cards wait, %v", len(waiting), err)
	}
	h.write(h.work+"/stop", "")
	h.run(exitDone, "answer", asked.ID, "--choose", "SQLite")
	r.done()
	if got := h.clarified("q1"); got.Response != "SQLite" {
		t.Errorf("the model read %+v", got)
	}
}

// refusalIn waits for the answer to the call with the id 2 in a file of
// JSON-RPC lines.
func refusalIn(t *testing.T, path string) app.WireError {
	t.Helper()
	for limit := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			var m struct {
				ID     int `json:"id"`
				Result struct {
					IsError    bool          `json:"isError"`
					Structured app.WireError `json:"structuredContent"`
				} `json:"result"`
			}
			if strings.HasSuffix(line, "\n") && json.Unmarshal([]byte(line), &m) == nil && m.ID == 2 {
				if !m.Result.IsError {
					t.Errorf("%s was let in: %s", path, line)
				}
				return m.Result.Structured
			}
		}
		if time.Now().After(limit) {
			t.Fatalf("no answer in %s: %s", path, text)
		}
	}
}
