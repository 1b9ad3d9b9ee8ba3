package store_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.uber.org/goleak"

	"parley/app"
	"parley/app/store"
)

func TestMain(m *testing.M) {
	if crashChild() || forkChild() {
		return
	}
	goleak.VerifyTestMain(m)
}

// heard collects what the store publishes.
type heard struct {
	mu     sync.Mutex
	events []app.Event
	groups int
}

func (h *heard) committed(events []app.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, events...)
	h.groups++
}

// take returns the events since the last take, as "type" or "type:turn".
func (h *heard) take() []app.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := h.events
	h.events = nil
	return out
}

func (h *heard) types() []string {
	var out []string
	for _, e := range h.take() {
		out = append(out, string(e.Type))
	}
	return out
}

// clock is a wall clock that tests set.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.UnixMilli(1_800_000_000_000)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// record is an open store with what surrounds it.
type record struct {
	*store.DB
	path  string
	heard *heard
	clock *clock
}

func open(t testing.TB) *record {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "parley.db"), newClock())
}

func reopen(t testing.TB, path string, c *clock) *record {
	t.Helper()
	h := &heard{}
	db, err := store.Open(t.Context(), store.Config{
		Path: path, Now: c.now, Committed: h.committed, Log: slog.New(slog.DiscardHandler), Version: "test",
	})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &record{DB: db, path: path, heard: h, clock: c}
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (r *record) session(t testing.TB) app.Session {
	t.Helper()
	s, err := r.CreateSession(t.Context(), app.Session{
		ID: newID(), Title: "Webhook retries", Kind: app.KindDirect, Agent: "claude", Profile: "default", Cwd: "/src/ledger", Mode: "ask",
	})
	if err != nil {
		t.Fatalf("create session: %v", err)
	}
	return s
}

// running makes a session with a running turn.
func (r *record) running(t testing.TB) (app.Session, app.TurnID) {
	t.Helper()
	s := r.session(t)
	turn := newID()
	must(t, r.StartTurn(t.Context(), app.Turn{ID: turn, SessionID: s.ID, Text: "go"}))
	return s, turn
}

func (r *record) ask(t testing.TB, session app.SessionID, turn app.TurnID, kind app.Kind) app.Interaction {
	t.Helper()
	now := r.clock.now().UnixMilli()
	in := app.Interaction{
		ID: newID(), SessionID: session, RunID: turn, Kind: kind, Question: "Which back-off?", Options: []app.Option{{Label: "fixed"}},
		RequestedAt: now, TimeoutMS: 300_000, DeadlineAt: now + 300_000, MaxDeadlineAt: now + 3_600_000, RemainingTimeoutMS: 300_000,
	}
	if kind == app.KindClarify {
		in.ClarifyID = in.ID
	}
	must(t, r.OpenInteraction(t.Context(), in))
	return in
}

func (r *record) view(t testing.TB, id app.SessionID) app.Session {
	t.Helper()
	s, err := r.DB.Session(t.Context(), id)
	must(t, err)
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, code app.Code) {
	t.Helper()
	if app.ErrorCode(err) != code {
		t.Fatalf("error %v has code %q, want %q", err, app.ErrorCode(err), code)
	}
	if err != nil && app.ErrorMessage(err) == "" {
		t.Fatalf("error %v has no sentence for a person", err)
	}
}

func equal[T any](t testing.TB, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}

func TestSessionLife(t *testing.T) {
	r, ctx := open(t), t.Context()
	first := r.session(t)
	r.clock.add(time.Second)
	second := r.session(t)
	equal(t, r.heard.types(), []string{"session.created", "session.created"})
	equal(t, []any{first.State, first.LastSeq, first.CreatedAt, len(first.Queued)}, []any{app.StateIdle, int64(1), int64(1_800_000_000_000), 0})

	r.clock.add(time.Second)
	got, err := r.UpdateSession(ctx, first.ID, func(s *app.Session) {
		s.Title, s.NativeID, s.Live, s.State = "Renamed", "abc", true, app.StateStarting
		s.WaitingFor, s.LastSeq, s.UpdatedAt = 7, 99, 1 // derived: no caller's to set
	})
	must(t, err)
	want := first
	want.Title, want.NativeID, want.Live, want.State, want.LastSeq, want.UpdatedAt = "Renamed", "abc", true, app.StateStarting, 2, first.CreatedAt+2000
	equal(t, got, want)
	equal(t, r.view(t, first.ID), want)
	events := r.heard.take()
	if len(events) != 1 || events[0].Seq != 2 || events[0].SessionID != first.ID {
		t.Fatalf("update told %+v", events)
	}
	equal(t, events[0].Data.(app.Session), want)

	list, err := r.Sessions(ctx)
	must(t, err)
	if len(list) != 2 || list[0].ID != second.ID || list[1].ID != first.ID {
		t.Fatalf("sessions are not newest first: %v", list)
	}

	_, err = r.UpdateSession(ctx, second.ID, func(s *app.Session) { s.State = app.StateWaiting })
	must(t, err)
	equal(t, r.view(t, second.ID).State, app.StateRunning) // nobody is waited for
	r.heard.take()

	must(t, r.DeleteSession(ctx, first.ID))
	events = r.heard.take()
	if len(events) != 1 || events[0].Type != app.EventSessionDeleted || events[0].Seq != 3 {
		t.Fatalf("delete told %+v", events)
	}
	_, err = r.DB.Session(ctx, first.ID)
	wantCode(t, err, app.CodeNotFound)
	wantCode(t, r.DeleteSession(ctx, first.ID), app.CodeNotFound)
	_, err = r.UpdateSession(ctx, first.ID, func(*app.Session) { t.Error("called for no session") })
	wantCode(t, err, app.CodeNotFound)
	_, err = r.Append(ctx, first.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{}})
	wantCode(t, err, app.CodeNotFound)
	equal(t, len(r.heard.take()), 0)
}

func TestQueueKeepsItsOrder(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, running := r.running(t)
	texts := func() (out []string) {
		for _, q := range r.view(t, s.ID).Queued {
			mark := ""
			if q.Held {
				mark = " held"
			}
			out = append(out, q.Text+mark)
		}
		return out
	}
	var ids []app.TurnID
	for _, text := range []string{"one", "two", "three"} {
		id := newID()
		ids = append(ids, id)
		must(t, r.QueueTurn(ctx, app.Turn{ID: id, SessionID: s.ID, Text: text, Attachments: []app.Attachment{{Name: text}}}))
	}
	equal(t, texts(), []string{"one", "two", "three"})

	must(t, r.ChangeQueued(ctx, ids[2], nil, new(0)))
	equal(t, texts(), []string{"three", "one", "two"})
	r.heard.take()
	must(t, r.ChangeQueued(ctx, ids[0], new("uno"), new(99)))
	equal(t, texts(), []string{"three", "two", "uno"})
	equal(t, r.heard.types(), []string{"turn.unqueued", "session.updated"})
	must(t, r.DropQueued(ctx, ids[1]))
	equal(t, texts(), []string{"three", "uno"})
	wantCode(t, r.DropQueued(ctx, ids[1]), app.CodeNotFound)
	wantCode(t, r.DropQueued(ctx, running), app.CodeSessionBusy)

	// Nothing is sent by itself after a failed turn or while a form waits.
	must(t, r.EndTurn(ctx, running, app.TurnEnded{Status: app.TurnInterrupted}))
	equal(t, texts(), []string{"three held", "uno held"})
	wantCode(t, r.EndTurn(ctx, running, app.TurnEnded{Status: app.TurnCompleted}), app.CodeNoActiveTurn)

	// What runs is what was edited, not what the caller still holds.
	r.heard.take()
	must(t, r.StartTurn(ctx, app.Turn{ID: ids[0], SessionID: s.ID, Text: "one"}))
	equal(t, texts(), []string{"three"})
	equal(t, r.heard.take()[0].Data.(app.TurnText), app.TurnText{Text: "uno", Attachments: []app.Attachment{{Name: "one"}}})
	queue, err := r.Queue(ctx, s.ID)
	must(t, err)
	if len(queue) != 1 || queue[0].ID != ids[2] || queue[0].Attachments[0].Name != "three" {
		t.Fatalf("queue: %+v", queue)
	}

	// Order and texts outlive the program.
	must(t, r.Close())
	r = reopen(t, r.path, r.clock)
	equal(t, texts(), []string{"three"})
}

func TestEventsPage(t *testing.T) {
	r, ctx := open(t), t.Context()
	s := r.session(t) // event 1
	for i := 2; i <= 10; i++ {
		last, err := r.Append(ctx, s.ID, app.Fact{TurnID: "t", Type: app.EventNotice, Data: app.Notice{Text: fmt.Sprint(i)}})
		must(t, err)
		equal(t, last, int64(i))
	}
	type page struct {
		Seqs    []int64
		Through int64
		More    bool
	}
	read := func(before, after int64, limit int) page {
		t.Helper()
		events, through, more, err := r.Events(ctx, s.ID, before, after, limit)
		must(t, err)
		p := page{Through: through, More: more}
		for _, e := range events {
			p.Seqs = append(p.Seqs, e.Seq)
		}
		return p
	}
	equal(t, read(0, 0, 0), page{[]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10, false})
	equal(t, read(0, 0, 3), page{[]int64{8, 9, 10}, 10, true})
	equal(t, read(8, 0, 3), page{[]int64{5, 6, 7}, 10, true})
	equal(t, read(3, 0, 3), page{[]int64{1, 2}, 10, false})
	equal(t, read(1, 0, 3), page{nil, 10, false})
	equal(t, read(0, 6, 3), page{[]int64{7, 8, 9}, 9, true})
	equal(t, read(0, 7, 3), page{[]int64{8, 9, 10}, 10, false})
	equal(t, read(9, 4, 2), page{[]int64{7, 8}, 10, true})
	_, _, _, err := r.Events(ctx, newID(), 0, 0, 0)
	wantCode(t, err, app.CodeNotFound)

	// A page of long outputs ends early instead of growing to hundreds of MB.
	big := strings.Repeat("x", app.MaxPart)
	for range 40 {
		_, err := r.Append(ctx, s.ID, app.Fact{Type: app.EventToolCompleted, Data: app.ToolCompleted{ToolID: "t", Output: big}})
		must(t, err)
	}
	p := read(0, 0, 1000)
	if len(p.Seqs) > 33 || len(p.Seqs) < 20 || !p.More || p.Seqs[len(p.Seqs)-1] != 50 {
		t.Fatalf("page of %d events, more %v, last %d", len(p.Seqs), p.More, p.Seqs[len(p.Seqs)-1])
	}
}

func TestEventsComeBackAsTheyWere(t *testing.T) {
	r, ctx := open(t), t.Context()
	s := r.session(t)
	n := int64(7)
	facts := []app.Fact{
		{TurnID: "t1", Type: app.EventAgentStarted, Data: app.AgentStarted{PID: 5, Version: "1", Command: "claude ***"}},
		{TurnID: "t1", Type: app.EventMessageCompleted, Data: &app.MessageText{MessageID: "m", Text: "问题🤔e\u0301 <&>"}},
		{TurnID: "t1", Type: app.EventTurnCompleted, Data: app.TurnEnded{Status: app.TurnFailed, Usage: &app.Usage{InputTokens: &n}, Problem: &app.Problem{Code: "x"}}},
		{Type: app.EventUnknown, Data: app.Unknown{Raw: "{\"a\":\x00\x1b[0m"}},
	}
	_, err := r.Append(ctx, s.ID, facts...)
	must(t, err)
	events, _, _, err := r.Events(ctx, s.ID, 0, 1, 0)
	must(t, err)
	for i, e := range events {
		equal(t, []any{e.TurnID, e.Type}, []any{facts[i].TurnID, facts[i].Type})
	}
	equal(t, *events[1].Data.(*app.MessageText), *facts[1].Data.(*app.MessageText))
	equal(t, *events[2].Data.(*app.TurnEnded), facts[2].Data.(app.TurnEnded))
	equal(t, *events[3].Data.(*app.Unknown), facts[3].Data.(app.Unknown))
}

func TestLongPartsAreCut(t *testing.T) {
	r, ctx := open(t), t.Context()
	s := r.session(t)
	long := "head" + strings.Repeat("问", 1<<20) + "tail"
	for _, f := range []app.Fact{
		{Type: app.EventToolCompleted, Data: app.ToolCompleted{Output: long}},
		{Type: app.EventToolCompleted, Data: &app.ToolCompleted{Output: long}},
		{Type: app.EventToolStarted, Data: app.ToolStarted{Input: long}},
		{Type: app.EventFileChanged, Data: app.FileChanged{Diff: long}},
		{Type: app.EventUnknown, Data: app.Unknown{Raw: long}},
	} {
		seq, err := r.Append(ctx, s.ID, f)
		must(t, err)
		published := r.heard.take()
		stored, _, _, err := r.Events(ctx, s.ID, 0, seq-1, 0)
		must(t, err)
		for _, data := range []app.EventData{published[len(published)-1].Data, stored[0].Data} {
			text, marked := part(data)
			if len(text) > app.MaxPart+100 || !strings.HasPrefix(text, "head问") || !strings.HasSuffix(text, "问tail") ||
				!strings.Contains(text, "bytes left out") || strings.ContainsRune(text, '\uFFFD') || !marked {
				t.Errorf("%s: %d bytes kept, marked %v", f.Type, len(text), marked)
			}
		}
	}
	// What is said is never cut.
	_, err := r.Append(ctx, s.ID, app.Fact{Type: app.EventMessageCompleted, Data: app.MessageText{Text: long}})
	must(t, err)
	events, _, _, err := r.Events(ctx, s.ID, 0, 0, 1)
	must(t, err)
	if got := events[0].Data.(*app.MessageText).Text; got != long {
		t.Errorf("a message of %d bytes came back with %d", len(long), len(got))
	}
}

// part returns the cut text of an event; marked is true where the event has no
// mark of its own.
func part(data app.EventData) (text string, marked bool) {
	switch d := data.(type) {
	case app.ToolCompleted:
		return d.Output, d.Truncated
	case *app.ToolCompleted:
		return d.Output, d.Truncated
	case app.ToolStarted:
		return d.Input, true
	case *app.ToolStarted:
		return d.Input, true
	case app.FileChanged:
		return d.Diff, true
	case *app.FileChanged:
		return d.Diff, true
	case app.Unknown:
		return d.Raw, true
	case *app.Unknown:
		return d.Raw, true
	}
	return "", false
}

func TestStrangeTexts(t *testing.T) {
	r, ctx := open(t), t.Context()
	for name, title := range map[string]string{
		"long": strings.Repeat("长", 10_000), "nul": "a\x00b", "invalid": "a\xffb\xed\xa0\x80", "empty": "", "quote": `'; DROP TABLE sessions; --`,
	} {
		s, err := r.CreateSession(ctx, app.Session{ID: newID(), Title: title, Cwd: title, Kind: app.KindDirect})
		must(t, err)
		turn := newID()
		must(t, r.StartTurn(ctx, app.Turn{ID: turn, SessionID: s.ID, Text: title}))
		in := app.Interaction{ID: newID(), SessionID: s.ID, RunID: turn, Kind: app.KindClarify, Question: title, ToolUseID: title}
		must(t, r.OpenInteraction(ctx, in))
		_, err = r.SaveDraft(ctx, in.ID, app.Draft{Revision: 1, Text: title})
		must(t, err)
		want := strings.ToValidUTF8(title, "\uFFFD")
		if got := r.view(t, s.ID).Title; got != want {
			t.Errorf("%s: title came back as %d bytes, want %d", name, len(got), len(want))
		}
		got, err := r.Interaction(ctx, in.ID)
		must(t, err)
		// JSON replaces each wrong byte, a column each run of them.
		if clean := strings.ReplaceAll(got.Question, "\uFFFD", ""); clean != strings.ToValidUTF8(title, "") || got.Draft == nil {
			t.Errorf("%s: question came back as %q", name, got.Question)
		}
	}
	must(t, r.Close())
	r = reopen(t, r.path, r.clock)
	list, err := r.Sessions(ctx)
	must(t, err)
	equal(t, len(list), 5)
}

func TestClosedStoreRefuses(t *testing.T) {
	r, ctx := open(t), t.Context()
	s := r.session(t)
	must(t, r.Close())
	must(t, r.Close())
	_, err := r.DB.Session(ctx, s.ID)
	wantCode(t, err, app.CodeUnavailable)
	_, err = r.Append(ctx, s.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{}})
	wantCode(t, err, app.CodeUnavailable)
}

func TestEndedContextWritesNothing(t *testing.T) {
	r := open(t)
	s := r.session(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Append(ctx, s.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	equal(t, r.view(t, s.ID).LastSeq, int64(1))
}

func TestPragmas(t *testing.T) {
	r := open(t)
	for name, want := range map[string][2]string{
		"journal_mode": {"wal", "wal"}, "synchronous": {"1", "1"}, "foreign_keys": {"1", "0"}, "query_only": {"0", "1"},
	} {
		write, read, err := r.Pragma(name)
		must(t, err)
		if write != want[0] || name != "synchronous" && name != "foreign_keys" && read != want[1] {
			t.Errorf("%s: write %s, read %s, want %v", name, write, read, want)
		}
	}
}

func TestSnapshotIsThePresent(t *testing.T) {
	r, ctx := open(t), t.Context()
	snap, err := r.Snapshot(ctx)
	must(t, err)
	equal(t, snap, app.Snapshot{Sessions: []app.Session{}, Interactions: []app.Interaction{}, Plans: []app.Plan{}, Version: "test", At: r.clock.now().UnixMilli()})

	s, turn := r.running(t)
	_, err = r.UpdateSession(ctx, s.ID, func(s *app.Session) { s.Live = true })
	must(t, err)
	waiting := r.ask(t, s.ID, turn, app.KindApproval)
	late := r.ask(t, s.ID, turn, app.KindClarify)
	done := r.ask(t, s.ID, turn, app.KindNative)
	_, _, err = r.SettleInteraction(ctx, late.ID, app.Outcome{Reason: app.ReasonTimeout, Cause: app.CauseDeadline})
	must(t, err)
	_, _, err = r.SettleInteraction(ctx, done.ID, app.Outcome{Reason: app.ReasonDismissed, Cause: app.CausePerson})
	must(t, err)
	for i := range 2 {
		_, err := r.PutPlan(ctx, app.Plan{ID: newID(), SessionID: s.ID, TurnID: turn, Steps: []app.PlanStep{{ID: fmt.Sprint(i), Step: "s", Status: app.StepInProgress}}})
		must(t, err)
	}
	r.clock.add(time.Minute)
	snap, err = r.Snapshot(ctx)
	must(t, err)
	var ids []string
	for _, in := range snap.Interactions {
		ids = append(ids, in.ID)
	}
	equal(t, ids, []string{waiting.ID, late.ID})
	equal(t, snap.Interactions[0].RemainingTimeoutMS, int64(240_000))
	equal(t, snap.Interactions[1].RemainingTimeoutMS, int64(0))
	if len(snap.Plans) != 1 || snap.Plans[0].Revision != 2 {
		t.Fatalf("plans: %+v", snap.Plans)
	}
	equal(t, slices.Equal([]any{snap.Sessions[0].State, snap.Sessions[0].WaitingFor}, []any{app.StateWaiting, 1}), true)
}
