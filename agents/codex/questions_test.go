package codex_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
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
	l.Prompt("ask")
	asked := l.Host.NextAsk()
	if asked.Kind != agents.AskNative || len(asked.Fields) != 2 || asked.ToolID != "a" || asked.Title != "Which db?" {
		t.Fatalf("asked %+v", asked.Interaction)
	}
	if o := asked.Fields[0].Options; o[0].Label != "Postgres" || !o[0].Recommended || o[1].Recommended || asked.Fields[0].Header != "Database" {
		t.Errorf("field %+v", asked.Fields[0])
	}
	asked.Answer(agents.Outcome{Reason: "response", Answers: map[string][]string{"db": {"Postgres"}, "why": {"Small", "it fits"}}, Typed: map[string]string{"why": "it fits"}})
	l.Done()
	live.WantIn(t, "told", l.Told("a").Text, `"Postgres (Recommended)"`, `"Small"`, `"user_note: it fits"`)

	for prompt, tt := range map[string]struct{ call, reason, says string }{
		"close": {"c", "dismissed", "closed the question"}, "wait": {"w", "timeout", "Nobody answered"},
	} {
		l.Prompt(prompt)
		l.Host.NextAsk().Answer(agents.Outcome{Reason: tt.reason})
		l.Done()
		told := l.Told(tt.call).Text
		live.WantIn(t, prompt, told, tt.says, "no approval")
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
			own := live.Server(t, "own")
			own.AlwaysLoad = true
			l := launch(t, wish{name: model, catalog: mcp.Catalog{live.Ours(t), own}},
				says("clarify", call("q", "mcp__parley_interaction__parley_clarify", map[string]any{})), then("q", fakemodel.Text("Blue.")),
				says("echo", call("e", "mcp__own__echo", map[string]any{})), then("e", fakemodel.Text("Echo.")),
				says("refuse", call("r", "mcp__own__echo", map[string]any{})), then("r", fakemodel.Text("Silence.")),
				says("elicit", call("f", "mcp__own__elicit", map[string]any{})), then("f", fakemodel.Text("A shirt.")),
				says("decline", call("d", "mcp__own__elicit", map[string]any{})), then("d", fakemodel.Text("No shirt.")),
			)
			l.Prompt("clarify")
			events := l.Done()
			live.WantIn(t, "told", l.Told("q").Text, "the person said BLUE-42")
			tool, _ := agenttest.Find[agents.ToolStarted](events)
			end, _ := agenttest.Find[agents.ToolEnded](events)
			if tool.Name != "mcp__parley-interaction__parley_clarify" || tool.Kind != "ask" || end.Status != "ok" || l.Host.Asks() != 0 {
				t.Errorf("tool %+v, %+v", tool, end)
			}

			l.Prompt("echo")
			asked := l.Host.NextAsk()
			if asked.Kind != agents.AskApproval || asked.Approval.Tool != "mcp__own__echo" || asked.Server != "own" {
				t.Errorf("asked %+v %+v", asked.Interaction, asked.Approval)
			}
			asked.Answer(live.Answered("allow_once"))
			l.Done()
			live.WantIn(t, "told", l.Told("e").Text, "echoed")

			l.Prompt("refuse")
			l.Host.NextAsk().Answer(live.Answered("deny"))
			l.Done()
			if told := l.Told("r").Text; strings.Contains(told, "echoed") {
				t.Errorf("told %q", told)
			}

			l.Prompt("elicit")
			l.Host.NextAsk().Answer(live.Answered("allow_once"))
			form := l.Host.NextAsk()
			if form.Kind != agents.AskElicitation || form.Title != "Your colour?" || form.Server != "own" || len(form.Fields) != 2 ||
				!slices.ContainsFunc(form.Fields, func(f agents.Field) bool { return f.ID == "size" && f.Type == "integer" && f.Required }) {
				t.Errorf("asked %+v", form.Interaction)
			}
			form.Answer(agents.Outcome{Reason: "response", Action: "accept", Answers: map[string][]string{"size": {"4"}, "colour": {"blue"}}})
			l.Done()
			live.WantIn(t, "told", l.Told("f").Text, `"size":4`, `"colour":"blue"`)

			l.Prompt("decline")
			l.Host.NextAsk().Answer(live.Answered("allow_once"))
			l.Host.NextAsk().Answer(agents.Outcome{Reason: "dismissed"})
			l.Done()
			live.WantIn(t, "told", l.Told("d").Text, "cancel")
		})
	}
}

// The person's own servers stay beside ours, unless they are to be left out.
func TestOwnServers(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		own := live.Server(t, "own")
		w := wish{
			strict: strict, catalog: mcp.Catalog{live.Ours(t)}, model: live.Serve(t, says("hello", fakemodel.Text("Good morning."))),
			config: fmt.Sprintf("[mcp_servers.own]\ncommand = %q\n[mcp_servers.own.env]\n", own.Command),
		}
		for name, value := range own.Env {
			w.config += fmt.Sprintf("%s = %q\n", name, value)
		}
		l := launch(t, w)
		l.Prompt("hello")
		l.Done()
		var names []string
		for _, s := range agenttest.All[agents.Started](l.Host.Events()) {
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

// A server of the person's that takes its time to start is there with the first
// message.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	slow := live.Server(t, "slow")
	slow.Args = []string{"-c", `sleep 2; exec "$0"`, slow.Command}
	slow.Command = "/bin/sh"
	l := launch(t, wish{name: "another-model", catalog: mcp.Catalog{slow}}, says("go", fakemodel.Text("Here.")))
	l.Prompt("go")
	l.Done()
	if _, ok := l.Model.Requests()[0].Tool("mcp__slow__echo"); !ok {
		t.Error("the first request went out without the tools of the server")
	}
}
