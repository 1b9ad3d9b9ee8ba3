package codex_test

import (
	"slices"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/fakemodel"
	"parley/mcp"
)

var twoQuestions = map[string]any{"questions": []any{
	map[string]any{"id": "db", "header": "Database", "question": "Which db?", "options": []any{
		map[string]any{"label": "Postgres (Recommended)", "description": "good"}, map[string]any{"label": "SQLite", "description": "small"}}},
	map[string]any{"id": "why", "header": "Why", "question": "Why?", "options": []any{
		map[string]any{"label": "Fast", "description": "f"}, map[string]any{"label": "Small", "description": "s"}}},
}}

// The CLI's own questions are cards; each end reads differently to the model.
func TestNativeQuestions(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{mode: agents.ModePlan},
		says("ask", call("a", "request_user_input", twoQuestions)), then("a", fakemodel.Text("Thanks.")),
		says("close", call("c", "request_user_input", twoQuestions)), then("c", fakemodel.Text("Then not.")),
		says("wait", call("w", "request_user_input", twoQuestions)), then("w", fakemodel.Text("Then not.")),
	)
	l.prompt("ask")
	asked := l.host.NextAsk()
	if asked.Kind != agents.AskNative || len(asked.Fields) != 2 || asked.ToolID != "a" || asked.Title != "Which db?" {
		t.Fatalf("asked %+v", asked.Interaction)
	}
	if o := asked.Fields[0].Options; o[0].Label != "Postgres" || !o[0].Recommended || o[1].Recommended || asked.Fields[0].Header != "Database" {
		t.Errorf("field %+v", asked.Fields[0])
	}
	asked.Answer(agents.Outcome{Reason: "response", Answers: map[string][]string{"db": {"Postgres"}, "why": {"Small", "it fits"}}, Typed: map[string]string{"why": "it fits"}})
	l.done()
	wantIn(t, "told", l.told("a"), `"Postgres (Recommended)"`, `"Small"`, `"user_note: it fits"`)

	for prompt, tt := range map[string]struct{ call, reason, says string }{
		"close": {"c", "dismissed", "closed the question"}, "wait": {"w", "timeout", "Nobody answered"},
	} {
		l.prompt(prompt)
		l.host.NextAsk().Answer(agents.Outcome{Reason: tt.reason})
		l.done()
		told := l.told(tt.call)
		wantIn(t, prompt, told, tt.says, "no approval")
		if strings.Contains(told, "Postgres") || strings.Contains(told, "Fast") {
			t.Errorf("%s: a choice is repeated: %q", prompt, told)
		}
	}
}

// Our tools are plain functions that run without asking, also for models that
// get all others inside of a script; those of other servers are asked for, and
// so is what they elicit.
func TestServers(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gpt-5.5", "gpt-6.2-sol"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			own := rig(t, "own")
			own.AlwaysLoad = true
			l := launch(t, wish{name: model, catalog: mcp.Catalog{ours(t), own}},
				says("clarify", call("q", "mcp__parley_interaction__parley_clarify", map[string]any{})), then("q", fakemodel.Text("Blue.")),
				says("echo", call("e", "mcp__own__echo", map[string]any{})), then("e", fakemodel.Text("Echo.")),
				says("refuse", call("r", "mcp__own__echo", map[string]any{})), then("r", fakemodel.Text("Silence.")),
				says("elicit", call("f", "mcp__own__elicit", map[string]any{})), then("f", fakemodel.Text("A shirt.")),
				says("decline", call("d", "mcp__own__elicit", map[string]any{})), then("d", fakemodel.Text("No shirt.")),
			)
			l.prompt("clarify")
			events := l.done()
			wantIn(t, "told", l.told("q"), "the person said BLUE-42")
			tool, _ := agenttest.Find[agents.ToolStarted](events)
			end, _ := agenttest.Find[agents.ToolEnded](events)
			if tool.Name != "mcp__parley-interaction__parley_clarify" || tool.Kind != "ask" || end.Status != "ok" || l.host.Asks() != 0 {
				t.Errorf("tool %+v, %+v", tool, end)
			}

			l.prompt("echo")
			asked := l.host.NextAsk()
			if asked.Kind != agents.AskApproval || asked.Approval.Tool != "mcp__own__echo" || asked.Server != "own" {
				t.Errorf("asked %+v %+v", asked.Interaction, asked.Approval)
			}
			asked.Answer(answered("allow_once"))
			l.done()
			wantIn(t, "told", l.told("e"), "echoed")

			l.prompt("refuse")
			l.host.NextAsk().Answer(answered("deny"))
			l.done()
			if told := l.told("r"); strings.Contains(told, "echoed") {
				t.Errorf("told %q", told)
			}

			l.prompt("elicit")
			l.host.NextAsk().Answer(answered("allow_once"))
			form := l.host.NextAsk()
			if form.Kind != agents.AskElicitation || form.Title != "Your colour?" || form.Server != "own" || len(form.Fields) != 2 ||
				!slices.ContainsFunc(form.Fields, func(f agents.Field) bool { return f.ID == "size" && f.Type == "integer" && f.Required }) {
				t.Errorf("asked %+v", form.Interaction)
			}
			form.Answer(agents.Outcome{Reason: "response", Action: "accept", Answers: map[string][]string{"size": {"4"}, "colour": {"blue"}}})
			l.done()
			wantIn(t, "told", l.told("f"), `"size":4`, `"colour":"blue"`)

			l.prompt("decline")
			l.host.NextAsk().Answer(answered("allow_once"))
			l.host.NextAsk().Answer(agents.Outcome{Reason: "dismissed"})
			l.done()
			wantIn(t, "told", l.told("d"), "cancel")
		})
	}
}

// The person's own servers stay beside ours, unless they are to be left out.
func TestOwnServers(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		own := rig(t, "own")
		w := wish{
			strict: strict, catalog: mcp.Catalog{ours(t)}, model: serve(t, says("hello", fakemodel.Text("Good morning."))),
			config: "[mcp_servers.own]\ncommand = \"" + own.Command + "\"\nenv = { " + roleVar + " = \"mcp\" }",
		}
		l := launch(t, w)
		l.prompt("hello")
		l.done()
		var names []string
		for _, s := range agenttest.All[agents.Started](l.host.Events()) {
			for _, server := range s.Servers {
				if !slices.Contains(names, server.Name) {
					names = append(names, server.Name)
				}
			}
		}
		slices.Sort(names)
		want := []string{"own", mcp.InteractionServer}
		if strict {
			want = want[1:]
		}
		if !slices.Equal(names, want) {
			t.Errorf("left out %v: servers %q, want %q", strict, names, want)
		}
	}
}
