package desktop

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app"
	"parley/app/api"
)

// seen records what attention did, in order.
type seen struct {
	log      []string
	settings app.Settings
	last     notice
}

func (s *seen) SetTitle(t string)      { s.add("title " + t) }
func (s *seen) Settings() app.Settings { return s.settings }
func (s *seen) Raise()                 { s.add("raise") }
func (s *seen) Notify(n notice)        { s.last = n; s.add("notice " + n.InteractionID) }
func (s *seen) Withdraw()              { s.add("withdraw") }
func (s *seen) add(line string)        { s.log = append(s.log, line) }
func (s *seen) take() (log []string)   { log, s.log = s.log, nil; return log }

func asked(id, text string, at int64) api.Frame {
	in := &app.Interaction{ID: id, SessionID: "s-" + id, Kind: app.KindClarify, Question: text, SessionTitle: "Tidy " + id, RequestedAt: at}
	return api.Frame{Events: []app.Event{{Seq: 1, Type: app.InteractionEvent(app.KindClarify, app.StepRequested), Data: in}}}
}

func resolved(id string) api.Frame {
	return api.Frame{Events: []app.Event{{Seq: 2, Type: app.InteractionEvent(app.KindClarify, app.StepResolved),
		Data: &app.InteractionResolved{InteractionID: id, Resolved: true}}}}
}

func TestAttention(t *testing.T) {
	on := app.Settings{Notify: true, Language: "en"}
	tests := []struct {
		name     string
		settings app.Settings
		do       func(a *attention)
		want     []string
	}{
		{"behind other windows: raised, noticed, counted", on, func(a *attention) { a.Apply(asked("q1", "Which?", 1)) },
			[]string{"raise", "notice q1", "title (1) Parley"}},
		{"in front: counted only, the card is in view", on, func(a *attention) { a.SetFront(true); a.Apply(asked("q1", "Which?", 1)) },
			[]string{"title (1) Parley"}},
		{"never twice for one question", on, func(a *attention) { a.Apply(asked("q1", "Which?", 1)); a.Apply(asked("q1", "Which?", 1)) },
			[]string{"raise", "notice q1", "title (1) Parley", "title (1) Parley"}},
		{"a second question replaces the notice", on, func(a *attention) { a.Apply(asked("q1", "A?", 1)); a.Apply(asked("q2", "B?", 2)) },
			[]string{"raise", "notice q1", "title (1) Parley", "raise", "notice q2", "title (2) Parley"}},
		{"answered elsewhere: the notice goes", on, func(a *attention) { a.Apply(asked("q1", "A?", 1)); a.Apply(resolved("q1")) },
			[]string{"raise", "notice q1", "title (1) Parley", "withdraw", "title Parley"}},
		{"the window comes to the front: the notice goes, and stays away", on, func(a *attention) {
			a.Apply(asked("q1", "A?", 1))
			a.SetFront(true)
			a.SetFront(false)
			a.Apply(asked("q1", "A?", 1))
		}, []string{"raise", "notice q1", "title (1) Parley", "withdraw", "title (1) Parley"}},
		{"notices off: raised and counted", app.Settings{}, func(a *attention) { a.Apply(asked("q1", "A?", 1)) },
			[]string{"raise", "title (1) Parley"}},
		{"what waited before the window opened is announced once", on, func(a *attention) {
			a.Apply(api.Frame{Snapshot: &app.Snapshot{Interactions: []app.Interaction{
				{ID: "old", RequestedAt: 1}, {ID: "new", RequestedAt: 2},
				{ID: "done", RequestedAt: 3, Outcome: &app.Outcome{Reason: app.ReasonTimeout}},
			}}})
			a.Apply(api.Frame{Resync: true, Snapshot: &app.Snapshot{Interactions: []app.Interaction{{ID: "old"}}}})
		}, []string{"raise", "notice new", "title (2) Parley", "withdraw", "title (1) Parley"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &seen{settings: tt.settings}
			tt.do(newAttention(s))
			if d := cmp.Diff(tt.want, s.take()); d != "" {
				t.Errorf("what it did (-want +got):\n%s", d)
			}
		})
	}
}

func TestNoticeText(t *testing.T) {
	in := app.Interaction{ID: "q", SessionTitle: "Pay", Question: "Use token abc?\n\nreally", Kind: app.KindClarify}
	shown := compose(in, 2, app.Settings{Language: "en"})
	if want := (notice{InteractionID: "q", Title: "An agent asks · Pay", Body: "Use token abc? really\n2 more questions wait"}); shown != want {
		t.Errorf("got %+v, want %+v", shown, want)
	}
	hidden := compose(in, 0, app.Settings{Language: "zh-CN", HideContent: true})
	if strings.Contains(fmt.Sprint(hidden), "abc") || strings.Contains(fmt.Sprint(hidden), "Pay") || hidden.Title != "智能体有问题问你" {
		t.Errorf("a hidden notice must hold neither question nor title, got %+v", hidden)
	}
	long := compose(app.Interaction{Question: strings.Repeat("问", 4000)}, 0, app.Settings{Language: "en"})
	if got := len([]rune(long.Body)); got != 200 {
		t.Errorf("a long question is cut to 200 characters, got %d", got)
	}
}
