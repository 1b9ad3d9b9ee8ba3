package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
)

// classicForm is one of the forms that agents show again and again, with what a person
// says to it on the command line and what the model then gets.
type classicForm struct {
	call  string
	input string
	say   []string
	gets  string
}

var classicForms = []classicForm{
	{
		"f1", `{"questions":[{"id":"db","question":"Which database?","input_type":"single_choice","options":[{"label":"Postgres (Recommended)","value":"postgres"},{"label":"SQLite","value":"sqlite"}]}]}`,
		[]string{"--set", "db=postgres"}, `{"answer":["postgres"]}`,
	},
	{
		"f2", `{"questions":[{"id":"how","question":"The tests are slow. What now?","options":["Split them","Leave them"]}]}`,
		[]string{"--set", "how=Split them", "--set", "how=but keep the long ones"}, `{"answer":["Split them","but keep the long ones"],"typed":"but keep the long ones"}`,
	},
	{
		"f3", `{"questions":[{"id":"branch","question":"Which branch?","input_type":"choice","options":["main","stable"]},` +
			`{"id":"checks","question":"Which checks?","input_type":"checkbox","options":["unit","lint","browser"]},` +
			`{"id":"note","question":"A note?","input_type":"text","required":false}]}`,
		[]string{"--set", "branch=main", "--set", "checks=unit", "--set", "checks=lint"},
		`{"answers":{"branch":["main"],"checks":["unit","lint"],"note":""}}`,
	},
	{
		"f4", `{"questions":[{"id":"drop","question":"Drop the table users?","options":[{"label":"Drop it","value":"yes"},{"label":"Keep it","value":"no"}]}]}`,
		[]string{"--set", "drop=no"}, `{"answer":["no"]}`,
	},
}

// got is a model request that holds what a person answered.
func got(answer string) func(fakemodel.Request) bool {
	return func(r fakemodel.Request) bool { return holds(r, answer) }
}

// holds reports whether a line of what the model is told, in a message or as the
// result of a call, is exactly text.
func holds(r fakemodel.Request, text string) bool {
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			for line := range strings.Lines(p.Text) {
				if strings.TrimSpace(line) == text {
					return true
				}
			}
		}
	}
	return false
}

// about counts the model requests of a conversation.
func (h *claudeHome) about(words string) (n int) {
	for _, r := range h.model.Requests() {
		aside := slices.ContainsFunc(h.asides, func(s fakemodel.Step) bool { return s.When(r) })
		if strings.Contains(r.Everything(), words) && len(r.Tools) > 0 && !aside { // titles are made without tools
			n++
		}
	}
	return n
}

// serving is a back end that a test talks to, with a session that has begun.
type serving struct {
	*claudeHome
	server *running
	client *api.Client
	tape   *apptest.Tape
	id     app.SessionID
}

func (f family) serving(t *testing.T, words string, script ...fakemodel.Step) serving {
	h := newAgent(t, f, script...)
	server := h.start("serve")
	server.says(server.out, "/link/")
	s := serving{claudeHome: h, server: server, client: h.client()}
	s.tape = apptest.Follow(t, s.client)
	row, err := s.client.CreateSession(t.Context(), api.NewSession{Agent: f.name, Cwd: h.work, Model: f.formModel})
	if err != nil {
		t.Fatal(err)
	}
	s.id = row.ID
	if _, err := s.client.Send(t.Context(), s.id, api.NewMessage{Text: words}); err != nil {
		t.Fatal(err)
	}
	return s
}

// shown waits for the nth form of the session and for the end of its turn, and
// of its agent where that rests.
func (s serving) shown(n int) app.Interaction {
	s.t.Helper()
	seen := 0
	var in app.Interaction
	e := s.tape.Wait("a form", func(e app.Event) bool {
		if e.Type == app.InteractionEvent(app.KindForm, app.StepRequested) {
			seen++
		}
		return seen == n
	})
	in, _ = apptest.Data[app.Interaction](e)
	if end := s.tape.Ended(in.RunID); end.Status != app.TurnDeferred || end.StopReason != "tool_deferred" {
		s.t.Fatalf("the turn of the form ended %+v, %+v", end, end.Problem)
	}
	exits := 0
	s.tape.Wait("the end of the agent", func(e app.Event) bool {
		if e.Type == app.EventAgentExited {
			exits++
		}
		return exits == n
	})
	return in
}

// form is a reply that calls the form tool with a JSON object.
func (f family) form(call, input string) fakemodel.Reply {
	tool := f.tool("parley-interaction", "interactive_form_question")
	if f.call == nil {
		return fakemodel.Blocks(fakemodel.ToolUse(call, tool, input))
	}
	var in map[string]any
	if err := json.Unmarshal([]byte(input), &in); err != nil {
		panic(err) // a mistake in the script
	}
	return f.call(call, tool, in)
}

// cellForms: each form ends the run without another request to the model, and
// its answer is one request that holds exactly what the person said.
func cellForms(t *testing.T, f family) {
	script := []fakemodel.Step{onSaying("prepare a release", f.form("f1", classicForms[0].input))}
	for i, form := range classicForms {
		reply := fakemodel.Text("Then I do that.")
		if i+1 < len(classicForms) {
			reply = f.form(classicForms[i+1].call, classicForms[i+1].input)
		}
		script = append(script, fakemodel.Step{When: got(form.gets), Reply: reply})
	}
	s := f.serving(t, "prepare a release", script...)
	for i, form := range classicForms {
		in := s.shown(i + 1)
		if n := s.about("prepare a release"); n != i+1 {
			t.Errorf("%d requests to the model when form %d was shown and the run had ended, not %d", n, i+1, i+1)
		}
		s.run(exitDone, append([]string{"answer", in.ID}, form.say...)...)
		if i+1 == len(classicForms) {
			kept, err := s.client.Interaction(t.Context(), in.ID)
			if err != nil || kept.Outcome == nil || kept.Outcome.By != app.ByCLI {
				t.Fatalf("recorded %+v, %v", kept.Outcome, err)
			}
		}
	}
	s.request("the last answer", got(classicForms[3].gets))
	s.completed()
	if n := s.about("prepare a release"); n != len(classicForms)+1 {
		t.Errorf("%d requests to the model in all, not %d", n, len(classicForms)+1)
	}
	list, err := s.client.Interactions(t.Context(), app.InteractionFilter{SessionID: s.id})
	if err != nil || len(list) != len(classicForms) {
		t.Fatalf("%d forms, %v", len(list), err)
	}
	for _, in := range list {
		if in.Kind != app.KindForm || in.DeliveredAt == 0 {
			t.Errorf("%s was not delivered", in.Questions[0].Question)
		}
	}
}

// cellFormClosed: a form is closed with a message, after Parley was killed while
// the form waited; the model hears of the closing and the message in one request.
func cellFormClosed(t *testing.T, f family) {
	s := f.serving(t, "prepare a release", onSaying("prepare a release", f.form("f1", classicForms[3].input)),
		fakemodel.Step{When: got(`{"reason":"dismissed"}`), Reply: fakemodel.Text("I leave it.")})
	in := s.shown(1)
	if _, err := s.client.Send(t.Context(), s.id, api.NewMessage{Text: "hurry"}); app.ErrorCode(err) != app.CodePendingForm {
		t.Errorf("a message was let through: %v", err)
	}
	s.run(exitDone, "answer", in.ID, "--dismiss", "--text", "only rename it")
	s.completed()
	r := s.request("the closing", got(`{"reason":"dismissed"}`))
	text := string(r.Raw)
	if closed, message := strings.Index(text, "closed the form"), strings.Index(text, "only rename it"); closed < 0 || message < closed {
		t.Errorf("the closing is at %d and the message at %d of what the model read", closed, message)
	}
	if n := s.about("prepare a release"); n != 2 {
		t.Errorf("%d requests to the model, not 2", n)
	}
}
