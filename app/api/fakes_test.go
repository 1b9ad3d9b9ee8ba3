package api_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
)

// The services below the API are other packages' and are tested there; here
// they are the smallest thing that shows what the API makes of them.

var testNow = time.UnixMilli(1_700_000_000_000)

// world is all services at once.
type world struct {
	mu           sync.Mutex
	sessions     []app.Session
	interactions map[string]app.Interaction
	answers      []app.Answer
	created      []app.NewSession
	sent         []app.Input
	deleted      []string
	sendErr      error
	settings     app.Settings
	presence     []api.Presence
	drafts       []app.Draft
	history      []app.Interaction
	filters      []app.HistoryFilter // of the reads of the history
	rules        []app.Rule
	seen         []string
	present      app.Snapshot
	subs         chan *subscription // handed to subscribers in turn
}

func newWorld() *world {
	return &world{interactions: map[string]app.Interaction{}, subs: make(chan *subscription, 8)}
}

func (w *world) config(t testing.TB) api.Config {
	return api.Config{
		Sessions: sessions{w}, Desk: desk{w}, Records: records{w}, Agents: agents{}, Doctor: &fakeDoctor{}, Settings: preferences{w}, Pictures: pictures{}, Outputs: outputs{},
		Subscribe: func(snapshot func() (app.Snapshot, error)) (app.Snapshot, api.Subscription, error) {
			snap, err := snapshot()
			if err != nil {
				return snap, nil, err
			}
			return snap, <-w.subs, nil
		},
		MCP:      fakeMCP{},
		Profiles: fakeProfiles{},
		Branch:   func(string) string { return "main" },
		Presence: func(p api.Presence) { w.presence = append(w.presence, p) },
		About:    api.About{Version: "v1", Home: "/nowhere/parley", Platform: "linux"},
		Now:      func() time.Time { return testNow },
		Log:      logTo(t),
	}
}

type sessions struct{ w *world }

func (s sessions) Create(_ context.Context, n app.NewSession) (app.Session, error) {
	s.w.created = append(s.w.created, n)
	made := app.Session{ID: "s1", Agent: n.Agent, Cwd: n.Cwd, Title: n.Title}
	s.w.sessions = append(s.w.sessions, made)
	return made, nil
}
func (s sessions) Change(_ context.Context, id string, c app.SessionChange) (app.Session, error) {
	changed := app.Session{ID: id}
	if c.Title != nil {
		changed.Title = *c.Title
	}
	return changed, nil
}
func (s sessions) Send(_ context.Context, _ string, in app.Input) (string, bool, error) {
	s.w.sent = append(s.w.sent, in)
	return "t1", in.Steer, s.w.sendErr
}
func (s sessions) ChangeQueued(context.Context, string, string, *string, *int) error { return nil }
func (s sessions) DropQueued(context.Context, string, string) error                  { return nil }
func (s sessions) Stop(context.Context, string) error {
	return app.Errorf(app.CodeNoActiveTurn, "Nothing runs in this session.")
}
func (s sessions) Close(context.Context, string) error  { return nil }
func (s sessions) Resume(context.Context, string) error { return nil }

func (s sessions) Fork(_ context.Context, id string) (app.Session, error) {
	return app.Session{ID: "s9", ForkedFrom: id}, nil
}
func (s sessions) Delete(_ context.Context, id string) error {
	s.w.deleted = append(s.w.deleted, id)
	return nil
}
func (s sessions) Processes(string) ([]app.Process, error) { panic("the process table fell over") }
func (s sessions) Live(string) []app.Event {
	return []app.Event{{Type: app.EventMessageDelta, Data: &app.Delta{MessageID: "m", Text: "so far"}}}
}

type desk struct{ w *world }

func (d desk) Get(_ context.Context, id string) (app.Interaction, error) {
	in, ok := d.w.interactions[id]
	if !ok {
		return in, app.Errorf(app.CodeNotFound, "There is no question %s.", id)
	}
	return in, nil
}
func (d desk) Answer(ctx context.Context, a app.Answer) (app.Reply, error) {
	in, err := d.Get(ctx, a.InteractionID)
	if err != nil {
		return app.Reply{}, err
	}
	if !in.Waiting() {
		return app.Reply{}, app.Errorf(app.CodeAlreadyResolved, "Somebody answered this before.")
	}
	d.w.answers = append(d.w.answers, a)
	in.Outcome = &app.Outcome{Reason: app.ReasonResponse, Cause: app.CausePerson, Text: a.Text, By: a.By}
	d.w.interactions[a.InteractionID] = in
	return app.Reply{Accepted: true, Outcome: in.Outcome}, nil
}
func (d desk) MoreTime(ctx context.Context, id string) (app.Interaction, error) {
	return d.Get(ctx, id)
}
func (d desk) Typing(ctx context.Context, id string) (app.Interaction, error) { return d.Get(ctx, id) }
func (d desk) SaveDraft(_ context.Context, _ string, draft app.Draft) (*app.Draft, error) {
	if n := len(d.w.drafts); n > 0 && d.w.drafts[n-1].Revision >= draft.Revision {
		return &d.w.drafts[n-1], nil
	}
	d.w.drafts = append(d.w.drafts, draft)
	return &draft, nil
}
func (d desk) Noticed(_ context.Context, ids []string) ([]string, error) {
	return ids[:min(1, len(ids))], nil
}
func (d desk) Seen(_ context.Context, id string) error {
	d.w.seen = append(d.w.seen, id)
	return nil
}
func (d desk) Clear(context.Context, string) error { return nil }

type records struct{ w *world }

func (r records) Session(_ context.Context, id string) (app.Session, error) {
	for _, s := range r.w.sessions {
		if s.ID == id {
			return s, nil
		}
	}
	return app.Session{}, app.Errorf(app.CodeNotFound, "There is no session %s.", id)
}
func (r records) Sessions(context.Context) ([]app.Session, error) { return r.w.sessions, nil }
func (r records) Events(_ context.Context, id string, before, after int64, limit int) ([]app.Event, int64, bool, error) {
	return []app.Event{{Seq: after + 1, SessionID: id, Type: app.EventNotice, Data: &app.Notice{Code: "x"}}}, int64(limit), before > 0, nil
}
func (r records) Interactions(context.Context, app.InteractionFilter) ([]app.Interaction, error) {
	var list []app.Interaction
	for _, in := range r.w.interactions {
		list = append(list, in)
	}
	return list, nil
}

// History gives one interaction a page.
func (r records) History(_ context.Context, f app.HistoryFilter) (app.HistoryPage, error) {
	r.w.filters = append(r.w.filters, f)
	at, _ := strconv.Atoi(f.Cursor)
	page := app.HistoryPage{Interactions: r.w.history[at:min(at+1, len(r.w.history))]}
	if at+1 < len(r.w.history) {
		page.Next = strconv.Itoa(at + 1)
	}
	return page, nil
}
func (r records) Rules(context.Context) ([]app.Rule, error) { return r.w.rules, nil }
func (r records) RevokeRule(_ context.Context, id string) error {
	n := len(r.w.rules)
	r.w.rules = slices.DeleteFunc(r.w.rules, func(rule app.Rule) bool { return rule.ID == id })
	if len(r.w.rules) == n {
		return app.Errorf(app.CodeNotFound, "There is no such permission.")
	}
	return nil
}
func (r records) Snapshot(context.Context) (app.Snapshot, error) {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	return r.w.present, nil
}

type agents struct{}

func (agents) Agents(_ context.Context, refresh bool) (api.AgentList, error) {
	list := api.AgentList{Agents: []api.Agent{{Family: "demo", State: api.AgentReady}}}
	if refresh {
		list.At = testNow.UnixMilli()
	}
	return list, nil
}

type preferences struct{ w *world }

func (p preferences) Get() app.Settings { return p.w.settings }
func (p preferences) Set(_ context.Context, s app.Settings) (app.Settings, error) {
	p.w.settings = s
	return s, nil
}

// subscription is a stream that a test feeds.
type subscription struct {
	feed   chan []app.Event // a nil batch means that events were lost
	closed chan struct{}
}

func newSubscription() *subscription {
	return &subscription{feed: make(chan []app.Event, 100), closed: make(chan struct{})}
}

func (s *subscription) Next(ctx context.Context) ([]app.Event, bool, error) {
	select {
	case batch := <-s.feed:
		for len(s.feed) > 0 && batch != nil {
			batch = append(batch, <-s.feed...)
		}
		return batch, batch == nil, nil
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

func (s *subscription) Close() { close(s.closed) }

// call makes one request through a door and returns status and body.
func call(t testing.TB, h http.Handler, method, path, body string) (int, string) {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(method, path, strings.NewReader(body)))
	return rec.Code, rec.Body.String()
}

// pictures has none; what is kept is told by its own tests.
type pictures struct{}

func (pictures) Save(_ string, name string, _ []byte) (app.Attachment, error) {
	return app.Attachment{Name: name, Mime: "image/png", Path: "/kept/x.png"}, nil
}
func (pictures) Open(string, string) (io.ReadSeekCloser, string, error) {
	return nil, "", app.Errorf(app.CodeNotFound, "There is no such picture.")
}
func (pictures) Hand(cwd string, f app.Attachment) (app.Attachment, error) {
	f.Path = cwd + f.Path
	return f, nil
}
