package question_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.uber.org/goleak"

	"parley/app"
	"parley/app/question"
	"parley/app/store"
	"parley/mcp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a desk on a real record, in virtual time.
type world struct {
	*question.Desk
	t       testing.TB
	path    string
	records *records
	limits  mcp.Limits
	session app.SessionID
	turn    app.TurnID

	mu     sync.Mutex
	wall   time.Duration // how far the wall clock was set
	slept  time.Duration // how long the computer has slept
	events []app.Event
	late   func(context.Context, app.Interaction, app.Answer) (app.TurnID, error)
	sent   []app.Turn // late answers that went out
}

// records is the store with faults: fail is asked before each write, and may
// take its time.
type records struct {
	*store.DB
	mu   sync.Mutex
	fail func(call string) error
}

func (r *records) fault(call string) error {
	r.mu.Lock()
	fail := r.fail
	r.mu.Unlock()
	if fail == nil {
		return nil
	}
	return fail(call)
}

func (r *records) failing(fail func(call string) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail = fail
}

var errDisk = &app.Error{Code: app.CodeStorageFailed, Message: "The disk is full.", Err: errors.New("test")}

// failOn makes the named calls fail until failing(nil).
func (r *records) failOn(calls ...string) {
	r.failing(func(call string) error {
		for _, c := range calls {
			if c == call {
				return errDisk
			}
		}
		return nil
	})
}

func (r *records) OpenInteraction(ctx context.Context, in app.Interaction) error {
	if err := r.fault("open"); err != nil {
		return err
	}
	return r.DB.OpenInteraction(ctx, in)
}

func (r *records) SettleInteraction(ctx context.Context, id string, out app.Outcome) (app.Interaction, bool, error) {
	if err := r.fault("settle"); err != nil {
		return app.Interaction{}, false, err
	}
	return r.DB.SettleInteraction(ctx, id, out)
}

func (r *records) SettleForm(ctx context.Context, id string, out app.Outcome, next *app.Turn) (app.Interaction, bool, error) {
	if err := r.fault("settleform"); err != nil {
		return app.Interaction{}, false, err
	}
	return r.DB.SettleForm(ctx, id, out, next)
}

func (r *records) MoveDeadline(ctx context.Context, id string, at, most int64, cause string) (app.Interaction, error) {
	if err := r.fault("move"); err != nil {
		return app.Interaction{}, err
	}
	return r.DB.MoveDeadline(ctx, id, at, most, cause)
}

func (r *records) LateAnswered(ctx context.Context, id string, late app.Late) error {
	if err := r.fault("late"); err != nil {
		return err
	}
	return r.DB.LateAnswered(ctx, id, late)
}

// inWorld runs a test in virtual time with a session whose turn is running.
func inWorld(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, filepath.Join(dir, "parley.db"))
		defer w.close()
		test(t, w)
	})
}

func newWorld(t testing.TB, path string) *world {
	w := &world{t: t, path: path, limits: mcp.DefaultLimits(), records: &records{}}
	w.open()
	w.begin()
	return w
}

// open opens the record and a desk on it; once more after crash.
func (w *world) open() {
	w.t.Helper()
	db, err := store.Open(context.Background(), store.Config{Path: w.path, Now: w.now, Committed: w.heard, Log: quiet})
	w.must(err)
	w.must(db.Recover(context.Background()))
	w.records.DB = db
	start := time.Now()
	w.Desk = question.New(question.Config{
		Records: w.records, Limits: func() mcp.Limits { return w.limits }, Now: w.now, Log: quiet,
		Elapsed: func() time.Duration {
			w.mu.Lock()
			defer w.mu.Unlock()
			return time.Since(start) + w.slept
		},
		Late: func(ctx context.Context, in app.Interaction, a app.Answer) (app.TurnID, error) {
			w.mu.Lock()
			late := w.late
			w.mu.Unlock()
			if late != nil {
				return late(ctx, in, a)
			}
			return w.sendLate(ctx, in, a)
		},
	})
}

var quiet = slog.New(slog.DiscardHandler)

func (w *world) close() { w.must(w.records.Close()) }

// begin starts a session with a running turn.
func (w *world) begin() {
	w.t.Helper()
	ctx := context.Background()
	w.session, w.turn = newID(), newID()
	_, err := w.records.CreateSession(ctx, app.Session{ID: w.session, Kind: app.KindDirect})
	w.must(err)
	w.must(w.records.StartTurn(ctx, app.Turn{ID: w.turn, SessionID: w.session}))
	w.take()
}

// sendLate queues the answer as a message, as a session does.
func (w *world) sendLate(ctx context.Context, in app.Interaction, a app.Answer) (app.TurnID, error) {
	turn := app.Turn{ID: newID(), SessionID: in.SessionID, Text: a.Text, Late: in.ID}
	if err := w.records.QueueTurn(ctx, turn); err != nil {
		return "", err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, turn)
	return turn.ID, nil
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Round(0).Add(w.wall + w.slept)
}

// setClock moves the wall clock, as a person or a time server does.
func (w *world) setClock(by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wall += by
}

// sleep lets the computer sleep: timers stand still, time passes.
func (w *world) sleep(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slept += d
}

func (w *world) heard(events []app.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, events...)
}

// take returns the events since the last take, without those of sessions.
func (w *world) take() (out []app.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Type != app.EventSessionUpdated {
			out = append(out, e)
		}
	}
	w.events = nil
	return out
}

func (w *world) types() (out []string) {
	for _, e := range w.take() {
		out = append(out, string(e.Type))
	}
	return out
}

// asked is a question under way.
type asked struct {
	id   string
	done chan struct{}
	out  app.Outcome
	err  error
	stop context.CancelCauseFunc
}

// ended reports whether Ask has returned.
func (a *asked) ended() bool {
	synctest.Wait()
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// wait returns how it ended.
func (a *asked) wait() app.Outcome {
	<-a.done
	return a.out
}

func (w *world) clarify() app.Interaction {
	return app.Interaction{
		Kind: app.KindClarify, SessionID: w.session, RunID: w.turn, Question: "Which back-off?",
		Options: []app.Option{{Label: "exponential", Recommended: true}, {Label: "fixed"}, {Label: "none"}},
	}
}

// ask starts a question and returns once it is shown, or has ended.
func (w *world) ask(in app.Interaction) *asked {
	w.t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	if in.ID == "" {
		in.ID = newID()
	}
	a := &asked{id: in.ID, done: make(chan struct{}), stop: cancel}
	go func() {
		defer close(a.done)
		a.out, a.err = w.Desk.Ask(ctx, in)
	}()
	synctest.Wait()
	return a
}

func (w *world) answer(id, text string, selected ...string) (app.Reply, error) {
	return w.Answer(context.Background(), app.Answer{
		InteractionID: id, Status: app.StatusAnswered, Text: text, Selected: selected, By: app.ByWindow,
	})
}

func (w *world) dismiss(id string) (app.Reply, error) {
	return w.Answer(context.Background(), app.Answer{InteractionID: id, Status: app.StatusCancelled, By: app.ByCLI})
}

// draft saves a draft that is kept.
func (w *world) draft(id string, d app.Draft) {
	w.t.Helper()
	kept, err := w.SaveDraft(context.Background(), id, d)
	w.must(err)
	equal(w.t, kept, &d)
}

func (w *world) get(id string) app.Interaction {
	w.t.Helper()
	in, err := w.Get(context.Background(), id)
	w.must(err)
	return in
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func wantCode(t testing.TB, err error, code app.Code) {
	t.Helper()
	if app.ErrorCode(err) != code {
		t.Fatalf("error %v has code %q, want %q", err, app.ErrorCode(err), code)
	}
}

func equal[T any](t testing.TB, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}

// mkdir makes a folder for a record of its own below dir.
func mkdir(t testing.TB, dir string) string {
	t.Helper()
	path, err := os.MkdirTemp(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(path, "parley.db")
}
