package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/app"
	"parley/app/session"
)

func forking(late bool) option {
	return func(_ *session.Config, ad *adapter) { ad.forks, ad.lateID = true, late }
}

// spoken is a session in which something was said.
func (w *world) spoken() app.Session {
	w.tb.Helper()
	s := w.create(app.NewSession{Title: "Plums", Model: "m", Mode: "edits", Env: map[string]string{"FROM": "caller"}})
	w.ended(w.send(s.ID, "say m1 hello"))
	return w.idle(s.ID)
}

func (w *world) fork(id app.SessionID) app.Session {
	w.tb.Helper()
	s, err := w.m.Fork(context.Background(), id)
	if err != nil {
		w.tb.Fatal(err)
	}
	return s
}

// A fork copies the conversation as it is, under an id of its own, with all that
// the other session was started with; both go on by themselves.
func TestFork(t *testing.T) {
	w := newWorld(t, forking(false))
	origin := w.spoken()
	fork := w.fork(origin.ID)
	if fork.ID == origin.ID || fork.ForkedFrom != origin.ID || fork.ForkNative != "" || fork.NativeID == "" || fork.NativeID == origin.NativeID {
		t.Errorf("forked %+v", fork)
	}
	if fork.Title != "Plums (fork)" || fork.Model != "m" || fork.Mode != "edits" || fork.Cwd != origin.Cwd || !fork.Live || fork.State != app.StateIdle {
		t.Errorf("forked %+v", fork)
	}
	spec := w.ad.lastSpec()
	if !spec.Fork || spec.NativeID != origin.NativeID || !strings.Contains(strings.Join(spec.Env, " "), "FROM=caller") {
		t.Errorf("started with %+v", spec)
	}
	if now := w.session(origin.ID); now.NativeID != origin.NativeID || now.LastSeq != origin.LastSeq || now.UpdatedAt != origin.UpdatedAt {
		t.Errorf("the other one is %+v, not %+v", now, origin)
	}
	launches := w.ad.launches()
	w.ended(w.send(fork.ID, "say m2 here"))
	w.ended(w.send(origin.ID, "say m3 there"))
	if w.ad.launches() != launches {
		t.Error("an agent was started anew")
	}

	w.open() // later the fork is a conversation like any other
	w.ended(w.send(fork.ID, "say m4 again"))
	if spec := w.ad.lastSpec(); spec.Fork || spec.NativeID != fork.NativeID {
		t.Errorf("taken up with %+v", spec)
	}
	if again := w.fork(fork.ID); again.Title != "Plums (fork)" || again.ForkedFrom != fork.ID {
		t.Errorf("forked again %+v", again)
	}
}

// A fork's record begins with that of the conversation that it is a copy of: also
// where that one is a fork, after a restart, and when the other session is gone.
// Its own beginning stands behind that, and what is said later in one is not in
// the other.
func TestForkBeginsWithWhatWasSaid(t *testing.T) {
	w := newWorld(t, forking(false))
	origin := w.spoken()
	fork := w.fork(origin.ID)
	w.ended(w.send(origin.ID, "say m2 there"))
	w.ended(w.send(fork.ID, "say m3 here"))
	again := w.fork(fork.ID)
	w.ended(w.send(again.ID, "say m4 last"))
	read := func(id app.SessionID) (told []string) {
		t.Helper()
		events, through, more, err := w.db.Events(t.Context(), id, 0, 0, 1000)
		if err != nil || more || through != int64(len(events)) {
			t.Fatalf("%d events, through %d, more %v, %v", len(events), through, more, err)
		}
		for i, e := range events {
			if e.Seq != int64(i+1) || e.SessionID != id {
				t.Errorf("event %d is %+v", i, e)
			}
			switch d := e.Data.(type) {
			case *app.MessageText:
				told = append(told, d.Text)
			case *app.Session:
				if e.Type == app.EventSessionCreated {
					told = append(told, "created from "+d.ForkedFrom)
				}
			}
		}
		return told
	}
	check := func(when string) {
		t.Helper()
		for id, want := range map[app.SessionID][]string{
			fork.ID:  {"hello", "created from " + origin.ID, "here"},
			again.ID: {"hello", "here", "created from " + fork.ID, "last"},
		} {
			if diff := cmp.Diff(want, read(id)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
	}
	check("as they are")
	if diff := cmp.Diff([]string{"created from ", "hello", "there"}, read(origin.ID)); diff != "" {
		t.Errorf("the other one (-want +got):\n%s", diff)
	}
	w.open()
	for _, id := range []app.SessionID{origin.ID, fork.ID} {
		check("after a restart")
		if err := w.m.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if id == origin.ID {
			check("without the origin")
		}
	}
	if diff := cmp.Diff([]string{"hello", "here", "created from " + fork.ID, "last"}, read(again.ID)); diff != "" {
		t.Errorf("alone (-want +got):\n%s", diff)
	}
}

// Where the CLI writes the copy down with its first message alone, an agent that
// ended before copies again, unless the other session went on meanwhile.
func TestForkThatIsWrittenLate(t *testing.T) {
	w := newWorld(t, forking(true))
	origin := w.spoken()
	kept, lost := w.fork(origin.ID), w.fork(origin.ID)
	if kept.NativeID != "" || kept.ForkNative != origin.NativeID {
		t.Errorf("forked %+v", kept)
	}
	w.open()
	w.ended(w.send(kept.ID, "say m2 here"))
	if spec := w.ad.lastSpec(); !spec.Fork || spec.NativeID != origin.NativeID {
		t.Errorf("copied again with %+v", spec)
	}
	if now := w.session(kept.ID); now.NativeID == "" || now.NativeID == origin.NativeID || now.ForkNative != "" {
		t.Errorf("the fork is %+v", now)
	}

	w.ended(w.send(origin.ID, "say m3 there"))
	if end := w.ended(w.send(lost.ID, "say m4 here")); end.Status != app.TurnFailed || end.Problem == nil || end.Problem.Code != "origin_went_on" {
		t.Errorf("a copy of what came later ended %+v %+v", end, end.Problem)
	}
	if end := w.ended(w.send(kept.ID, "say m5 here")); end.Status != app.TurnCompleted { // it has its own
		t.Errorf("a copy that was written ended %+v %+v", end, end.Problem)
	}
}

// A message that comes while the conversation is copied may be in the copy, so
// there is no fork then, and nothing is left of it.
func TestNoForkOfAConversationThatGoesOn(t *testing.T) {
	w := newWorld(t, forking(false))
	origin := w.spoken()
	w.ad.openHook = func() { w.ended(w.send(origin.ID, "say m2 meanwhile")) }
	_, err := w.m.Fork(t.Context(), origin.ID)
	if app.ErrorCode(err) != app.CodeSessionBusy {
		t.Errorf("forked: %v", err)
	}
	if list, err := w.db.Sessions(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%d sessions, %v", len(list), err)
	}
}

func TestForkRefused(t *testing.T) {
	for name, c := range map[string]struct {
		opt  option
		make func(w *world) app.SessionID
		code app.Code
	}{
		"the CLI cannot": {func(*session.Config, *adapter) {}, func(w *world) app.SessionID { return w.spoken().ID }, app.CodeCapabilityMissing},
		"nothing was said": {forking(false), func(w *world) app.SessionID {
			return w.create(app.NewSession{}).ID
		}, app.CodeInvalidArgument},
		"a turn is under way": {forking(false), func(w *world) app.SessionID {
			s := w.spoken()
			w.began(w.send(s.ID, "tool t1\nwait"), "t1")
			return s.ID
		}, app.CodeSessionBusy},
		"there is no such session": {forking(false), func(*world) app.SessionID { return "nobody" }, app.CodeNotFound},
		"the agent does not start": {forking(false), func(w *world) app.SessionID {
			s := w.spoken()
			w.ad.problem = &agents.Problem{Code: "not_logged_in", Title: "Not logged in."}
			return s.ID
		}, app.CodeAgentNotLoggedIn},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.opt)
			id := c.make(w)
			before, err := w.db.Sessions(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.m.Fork(t.Context(), id); app.ErrorCode(err) != c.code {
				t.Errorf("forked: %v", err)
			}
			if after, err := w.db.Sessions(t.Context()); err != nil || len(after) != len(before) {
				t.Errorf("%d sessions, then %d, %v", len(before), len(after), err)
			}
		})
	}
}
