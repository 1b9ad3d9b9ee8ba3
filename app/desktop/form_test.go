//go:build desktop && linux

package desktop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
)

// A form is answered by mouse and keyboard, and the agent goes on with just that.
// A message that was tried before is refused, and its text goes out afterwards.
func TestAFormInTheWindow(t *testing.T) {
	s := newStage(t)
	s.window()
	s.find("push button", "Start the demo")
	form := `form {"questions":[{"id":"branch","question":"Which branch?","options":["main","stable"]},` +
		`{"id":"checks","question":"Which checks?","options":["unit tests","lint"],"multi_select":true,"required":false},` +
		`{"id":"note","question":"What should the note say?","required":false}]}`
	sess, err := s.client().CreateSession(t.Context(), api.NewSession{Agent: "demo", Prompt: form, Title: "Release", Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	s.until("its run has ended for the form", func() bool {
		got, err := s.client().Session(t.Context(), sess.ID)
		return err == nil && got.LastStatus == app.TurnDeferred
	})
	in := s.waiting(1)[0]
	s.click("link", "Release")

	s.click("entry", "Message Demo agent")
	s.do("xdotool", "type", "--delay", "5", "say hurry up")
	s.do("xdotool", "key", "Return")
	s.find("notification", "") // why it was refused

	s.act(func() { s.click("radio button", "main") }, in.ID, true)
	drafted := func(field string, want ...string) {
		t.Helper()
		s.until(fmt.Sprintf("the draft has %q at %s", want, field), func() bool {
			got, err := s.client().Interaction(t.Context(), in.ID)
			return err == nil && got.Draft != nil && (slices.Equal(got.Draft.Answers[field], want) || slices.Equal([]string{got.Draft.Typed[field]}, want))
		})
	}
	drafted("branch", "main")
	s.click("check box", "lint")
	drafted("checks", "lint")
	s.do("xdotool", "key", "Tab") // to the words beside these choices
	s.do("xdotool", "type", "--delay", "5", "smoke test")
	drafted("checks", "smoke test")
	s.do("xdotool", "key", "Tab")
	s.do("xdotool", "type", "--delay", "5", "ship it")
	drafted("note", "ship it")
	s.picture("window-form")
	s.do("xdotool", "key", "Return")
	s.until("the form is settled", func() bool {
		got, err := s.client().Interaction(t.Context(), in.ID)
		return err == nil && got.Outcome != nil && got.Outcome.By == app.ByWindow
	})
	want := `{"answers":{"branch":["main"],"checks":["lint","smoke test"],"note":"ship it"},"typed":{"checks":"smoke test"}}`
	s.until("the agent goes on with "+want, func() bool {
		return slices.ContainsFunc(s.said(sess.ID), func(text string) bool { return strings.Contains(text, want) })
	})

	s.click("entry", "Message Demo agent")
	s.do("xdotool", "key", "Return")
	s.until("the text that was kept goes out", func() bool { return slices.Contains(s.said(sess.ID), "hurry up") })
	s.picture("window-form-answered")
}

// said is what the agent has said in a session, message by message.
func (s *stage) said(id app.SessionID) (texts []string) {
	s.t.Helper()
	err := s.client().EachEvent(s.t.Context(), id, func(e app.Event) error {
		if m, ok := apptest.Data[app.MessageText](e); ok && e.Type == app.EventMessageCompleted {
			texts = append(texts, m.Text)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return texts
}
