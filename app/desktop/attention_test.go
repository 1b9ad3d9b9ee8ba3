package desktop

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app"
	"parley/app/api"
)

// seen records what attention did, in order.
type seen struct {
	log      []string
	settings app.Settings
	last     notice
	claimed  map[string]bool // by whatever window
	quitting bool
	at       time.Time
}

func (s *seen) SetTitle(t string)      { s.add("title " + t) }
func (s *seen) Settings() app.Settings { return s.settings }
func (s *seen) Quitting() bool         { return s.quitting }
func (s *seen) Raise()                 { s.add("raise") }
func (s *seen) Withdraw()              { s.add("withdraw") }
func (s *seen) add(line string)        { s.log = append(s.log, line) }
func (s *seen) take() (log []string)   { log, s.log = s.log, nil; return log }
func (s *seen) now() time.Time         { return s.at }
func (s *seen) Notify(n notice) {
	s.last = n
	s.add(strings.TrimRight("notice "+n.InteractionID+" "+strings.ReplaceAll(n.Body, "\n", " / "), " "))
}
func (s *seen) Claim(ids []string) (ours []string) {
	for _, id := range ids {
		if !s.claimed[id] {
			s.claimed[id] = true
			ours = append(ours, id)
		}
	}
	return ours
}

func newSeen(settings app.Settings) *seen {
	return &seen{settings: settings, claimed: map[string]bool{}, at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
}

// pass lets time go by and calls Tick whenever it is due.
func (s *seen) pass(a *attention, d time.Duration) {
	for end := s.at.Add(d); ; {
		due := a.Due()
		if due.IsZero() || due.After(end) {
			s.at = end
			return
		}
		if due.After(s.at) {
			s.at = due
		}
		a.Tick()
	}
}

func asked(id, text string, at int64) api.Frame {
	in := &app.Interaction{ID: id, SessionID: "s-" + id, Kind: app.KindClarify, Question: text, SessionTitle: "Tidy " + id, RequestedAt: at}
	return api.Frame{Events: []app.Event{{Seq: 1, Type: app.InteractionEvent(app.KindClarify, app.StepRequested), Data: in}}}
}

func resolved(id string) api.Frame {
	return api.Frame{Events: []app.Event{{Seq: 2, Type: app.InteractionEvent(app.KindClarify, app.StepResolved),
		Data: &app.InteractionResolved{InteractionID: id, Resolved: true}}}}
}

func ended(session string, status app.TurnStatus) api.Frame {
	return api.Frame{Events: []app.Event{{Seq: 3, SessionID: session, Type: app.EventTurnCompleted, Data: &app.TurnEnded{Status: status}}}}
}

func TestAttention(t *testing.T) {
	on := app.Settings{Notify: true, NotifyFinished: true, Language: "en"}
	tests := []struct {
		name     string
		settings app.Settings
		do       func(s *seen, a *attention)
		want     []string
	}{
		{"behind other windows: raised, noticed, counted", on, func(s *seen, a *attention) { a.Apply(asked("q1", "Which?", 1)) },
			[]string{"raise", "notice q1 Which?", "title (1) Parley"}},
		{"in front and seen: counted only", on, func(s *seen, a *attention) {
			a.SetFront(true)
			a.Apply(asked("q1", "Which?", 1))
			s.claimed["q1"] = true // the page has reported it as seen
			a.SetFront(false)
		}, []string{"title (1) Parley"}},
		{"in front and not seen: told when the person leaves", on, func(s *seen, a *attention) {
			a.SetFront(true)
			a.Apply(asked("q1", "Which?", 1))
			a.SetFront(false)
		}, []string{"title (1) Parley", "raise", "notice q1 Which?"}},
		{"never twice for one question, also with more time", on, func(s *seen, a *attention) {
			a.Apply(asked("q1", "Which?", 1))
			a.Apply(asked("q1", "Which?", 1))
			a.Apply(api.Frame{Events: []app.Event{{Data: &app.InteractionUpdated{InteractionID: "q1", Cause: app.UpdatedMoreTime}}}})
			s.pass(a, time.Hour)
		}, []string{"raise", "notice q1 Which?", "title (1) Parley", "title (1) Parley", "title (1) Parley"}},
		{"nor in a window that was opened since", on, func(s *seen, a *attention) {
			a.Apply(asked("q1", "Which?", 1))
			again := newAttention(s, s.now)
			again.Apply(asked("q1", "Which?", 1))
			s.pass(again, time.Hour)
		}, []string{"raise", "notice q1 Which?", "title (1) Parley", "title (1) Parley"}},
		{"a second question is merged a moment later", on, func(s *seen, a *attention) {
			a.Apply(asked("q1", "A?", 1))
			a.Apply(asked("q2", "B?", 2))
			s.pass(a, time.Minute)
		}, []string{"raise", "notice q1 A?", "title (1) Parley", "title (2) Parley", "raise", "notice q2 B? / 1 more question waits"}},
		{"answered elsewhere: the notice goes", on, func(s *seen, a *attention) { a.Apply(asked("q1", "A?", 1)); a.Apply(resolved("q1")) },
			[]string{"raise", "notice q1 A?", "title (1) Parley", "withdraw", "title Parley"}},
		{"one of two answered elsewhere: the other takes its place", on, func(s *seen, a *attention) {
			a.Apply(asked("q1", "A?", 1))
			s.pass(a, time.Minute)
			a.Apply(asked("q2", "B?", 2))
			a.Apply(resolved("q2"))
		}, []string{"raise", "notice q1 A?", "title (1) Parley", "raise", "notice q2 B? / 1 more question waits", "title (2) Parley", "notice q1 A?", "title (1) Parley"}},
		{"the window comes to the front: the notice goes, and stays away", on, func(s *seen, a *attention) {
			a.Apply(asked("q1", "A?", 1))
			a.SetFront(true)
			a.SetFront(false)
			a.Apply(asked("q1", "A?", 1))
			s.pass(a, time.Hour)
		}, []string{"raise", "notice q1 A?", "title (1) Parley", "withdraw", "title (1) Parley"}},
		{"notices off: raised and counted", app.Settings{}, func(s *seen, a *attention) { a.Apply(asked("q1", "A?", 1)) },
			[]string{"raise", "title (1) Parley"}},
		{"what waited before the window opened is announced once", on, func(s *seen, a *attention) {
			a.Apply(api.Frame{Snapshot: &app.Snapshot{Interactions: []app.Interaction{
				{ID: "old", RequestedAt: 1}, {ID: "new", RequestedAt: 2},
				{ID: "done", RequestedAt: 3, Outcome: &app.Outcome{Reason: app.ReasonTimeout}},
			}}})
			a.Apply(api.Frame{Resync: true, Snapshot: &app.Snapshot{Interactions: []app.Interaction{{ID: "old"}}}})
		}, []string{"raise", "notice new 1 more question waits", "title (2) Parley", "notice old", "title (1) Parley"}},
		{"what a permission given before has answered is not told", on, func(s *seen, a *attention) {
			f := asked("q1", "A?", 1)
			f.Events[0].Data.(*app.Interaction).Outcome = &app.Outcome{Reason: app.ReasonResponse, By: app.ByRule}
			a.Apply(f)
			s.pass(a, time.Hour)
		}, []string{"title Parley"}},
		{"finished agents are told together; a stop is not", on, func(s *seen, a *attention) {
			for i := range 3 {
				a.Apply(ended(fmt.Sprint("s", i), app.TurnCompleted))
				s.pass(a, time.Second)
			}
			a.Apply(ended("s9", app.TurnInterrupted))
			s.take()
			s.pass(a, time.Minute)
			if s.last.Title != "3 agents have finished" || s.last.SessionID != "s2" {
				s.add(fmt.Sprintf("%+v", s.last))
			}
		}, []string{"notice"}},
		{"finished agents while in front are seen", on, func(s *seen, a *attention) {
			a.SetFront(true)
			a.Apply(ended("s1", app.TurnCompleted))
			a.SetFront(false)
			s.pass(a, time.Hour)
		}, []string{"title Parley"}},
		{"nor when it is switched off", app.Settings{Notify: true, Language: "en"}, func(s *seen, a *attention) {
			a.Apply(ended("s1", app.TurnCompleted))
			s.pass(a, time.Hour)
		}, []string{"title Parley"}},
		{"nothing while quitting", on, func(s *seen, a *attention) {
			s.quitting = true
			for i := range 10 {
				a.Apply(ended(fmt.Sprint("s", i), app.TurnFailed))
			}
			a.Apply(asked("q1", "A?", 1))
			s.take()
			s.pass(a, time.Hour)
		}, nil},
		{"quiet hours silence the notice, not the count; at their end what still waits is told", app.Settings{
			Notify: true, Language: "en", QuietFrom: "11:30", QuietUntil: "12:30"}, func(s *seen, a *attention) {
			a.Apply(asked("q1", "A?", 1))
			a.Apply(asked("q2", "B?", 2))
			a.Apply(resolved("q1"))
			s.pass(a, 29*time.Minute)
			s.add("still quiet")
			s.pass(a, 2*time.Minute)
		}, []string{"title (1) Parley", "title (2) Parley", "title (1) Parley", "still quiet", "raise", "notice q2 B?"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSeen(tt.settings)
			tt.do(s, newAttention(s, s.now))
			if d := cmp.Diff(tt.want, s.take()); d != "" {
				t.Errorf("what it did (-want +got):\n%s", d)
			}
		})
	}
}

// Twenty agents finish and five ask within ten seconds: there is one notice at
// any time, it names a question from the first on, and it is changed a few times
// only.
func TestManyAtOnce(t *testing.T) {
	s := newSeen(app.Settings{Notify: true, NotifyFinished: true, Language: "en"})
	a := newAttention(s, s.now)
	for i := range 20 {
		a.Apply(ended(fmt.Sprint("s", i), app.TurnCompleted))
		if i%4 == 2 {
			a.Apply(asked(fmt.Sprint("q", i/4), "Which?", int64(i)))
		}
		s.pass(a, 500*time.Millisecond)
	}
	s.pass(a, time.Minute)
	notices := 0
	for _, line := range s.take() {
		if strings.HasPrefix(line, "notice") {
			notices++
			if !strings.HasPrefix(line, "notice q") {
				t.Errorf("a question comes first, not: %s", line)
			}
		}
	}
	if notices < 2 || notices > 7 {
		t.Errorf("%d notices", notices)
	}
	if want := "Which?\n4 more questions wait\n20 agents have finished"; s.last.Body != want || s.last.InteractionID != "q4" {
		t.Errorf("the last one is %+v", s.last)
	}
}

func TestQuietHours(t *testing.T) {
	shanghai := time.FixedZone("CST", 8*3600)
	for _, c := range []struct{ from, until, at, want string }{
		{"", "", "12:00", ""}, {"22:00", "07:00", "21:59", ""}, {"22:00", "07:00", "22:00", "31 07:00"}, {"22:00", "07:00", "00:00", "30 07:00"},
		{"22:00", "07:00", "06:59", "30 07:00"}, {"22:00", "07:00", "07:00", ""}, {"12:00", "13:00", "12:30", "30 13:00"},
		{"12:00", "13:00", "13:00", ""}, {"12:00", "13:00", "11:59", ""}, {"00:00", "23:59", "23:58", "30 23:59"}, {"00:00", "23:59", "23:59", ""},
	} {
		clock, err := time.Parse("15:04", c.at)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 12, 30, clock.Hour(), clock.Minute(), 0, 0, shanghai)
		until, quiet := quietUntil(app.Settings{QuietFrom: c.from, QuietUntil: c.until}, now)
		got := ""
		if quiet {
			got = until.Format("02 15:04")
		}
		if got != c.want {
			t.Errorf("%s to %s at %s: quiet until %q, want %q", c.from, c.until, c.at, got, c.want)
		}
	}
}

func TestNoticeText(t *testing.T) {
	compose := func(in app.Interaction, more int, s app.Settings) notice {
		a := newAttention(newSeen(s), time.Now)
		a.open[in.ID], a.shown = in, in.ID
		for i := range more {
			a.open[fmt.Sprint(i)] = app.Interaction{}
		}
		return a.compose(s)
	}
	in := app.Interaction{ID: "q", SessionTitle: "Pay", Question: "Use token abc?\n\nreally", Kind: app.KindClarify}
	shown := compose(in, 2, app.Settings{Language: "en", NotifySound: true})
	if want := (notice{InteractionID: "q", Title: "An agent asks · Pay", Body: "Use token abc? really\n2 more questions wait"}); shown != want {
		t.Errorf("got %+v, want %+v", shown, want)
	}
	hidden := compose(in, 0, app.Settings{Language: "zh-CN", HideContent: true})
	if strings.Contains(fmt.Sprint(hidden), "abc") || strings.Contains(fmt.Sprint(hidden), "Pay") || hidden.Title != "智能体有问题问你" {
		t.Errorf("a hidden notice must hold neither question nor title, got %+v", hidden)
	}
	long := compose(app.Interaction{ID: "q", Question: strings.Repeat("问", 4000)}, 0, app.Settings{Language: "en"})
	if got := len([]rune(long.Body)); got != 200 {
		t.Errorf("a long question is cut to 200 characters, got %d", got)
	}
}
