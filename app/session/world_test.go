package session_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest/leaks"
	"parley/app"
	"parley/app/apptest"
	"parley/app/plan"
	"parley/app/question"
	"parley/app/session"
	"parley/app/store"
	"parley/mcp"
	"parley/mcp/bridge"
)

func TestMain(m *testing.M) { os.Exit(leaks.Run(m)) }

// world is a manager on a real record, with real processes below it.
type world struct {
	tb   testing.TB
	m    *session.Manager
	db   *store.DB
	desk *question.Desk
	ad   *adapter
	tape *apptest.Tape
	dir  string       // of the sessions
	skew atomic.Int64 // what the clock is ahead, in nanoseconds
	cfg  session.Config
}

type option func(*session.Config, *adapter)

// newWorld opens a world whose end is checked: every process is gone and every
// goroutine has ended.
func newWorld(tb testing.TB, opts ...option) *world {
	tb.Helper()
	w := &world{tb: tb, tape: apptest.NewTape(tb), ad: &adapter{family: agents.Claude, program: apptest.Build(tb, "./app/session/testdata/scripted")}}
	dirs := apptest.Home(tb)
	w.dir = filepath.Join(dirs.Data, "work")
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		tb.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	now := func() time.Time { return time.Now().Add(time.Duration(w.skew.Load())) }
	db, err := store.Open(context.Background(), store.Config{Path: dirs.Database(), Now: now, Committed: w.tape.Add, Log: log})
	if err != nil {
		tb.Fatal(err)
	}
	w.db = db
	w.desk = question.New(question.Config{
		Records: db, Now: now, Log: log,
		Late: func(ctx context.Context, in app.Interaction, ans app.Answer) (app.TurnID, error) {
			return w.m.SendLate(ctx, in, ans)
		},
	})
	w.cfg = session.Config{
		Records: db, Desk: w.desk, Plans: plan.New(db), Bus: w.tape, Adapter: families(w.ad),
		Install: func(ctx context.Context, f agents.Family) (agents.Install, error) {
			return w.ad.Inspect(ctx, nil, "", nil), nil
		},
		Env: func(context.Context) []string { return []string{"PATH=" + os.Getenv("PATH"), "FROM=base", "KEPT=yes"} },
		Servers: func(_ context.Context, l session.ServerLaunch) (session.Servers, error) {
			return session.Servers{Catalog: mcp.Catalog{l.Ours}, Limits: l.Limits}, nil
		},
		Limits: mcp.DefaultLimits,
		Branch: func(string) string { return "main" },
		Scratch: func(time.Time) (string, error) {
			return filepath.Join(w.dir, "scratch"), os.MkdirAll(filepath.Join(w.dir, "scratch"), 0o700)
		},
		RunDir: dirs.Runs(), Launches: dirs.Launches(), Socket: dirs.Socket(), MCP: "/bin/false",
		Shim: apptest.Program(tb, "parley-run"), Now: now, Log: log,
		Wait: session.Waits{Stop: 2 * time.Second, Tools: 10 * time.Second},
	}
	w.ad.listed = func(c bridge.Credential) {
		l, err := w.m.LaunchByToken(c.Token)
		if app.ErrorCode(err) == app.CodeUnauthenticated {
			return // its agent has ended meanwhile, as a real server may outlive one
		}
		if err != nil {
			tb.Error(err)
			return
		}
		w.m.ToolsListed(l.ID, []string{mcp.ToolClarify})
	}
	for _, o := range opts {
		o(&w.cfg, w.ad)
	}
	w.open()
	tb.Cleanup(w.close)
	return w
}

// open starts a manager; an older one is shut down first, as by a restart.
func (w *world) open() {
	w.tb.Helper()
	if w.m != nil {
		w.shutdown()
	}
	m, err := session.New(w.cfg)
	if err != nil {
		w.tb.Fatal(err)
	}
	w.m = m
}

func (w *world) shutdown() {
	w.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), apptest.Patience)
	defer cancel()
	if err := w.m.Shutdown(ctx); err != nil {
		w.tb.Error(err)
	}
}

func (w *world) close() {
	w.shutdown()
	if err := w.db.Close(); err != nil {
		w.tb.Error(err)
	}
	for _, dir := range []string{w.cfg.RunDir, w.cfg.Launches} {
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			w.tb.Errorf("left in %s: %v", dir, left)
		}
	}
}

func (w *world) create(n app.NewSession) app.Session {
	w.tb.Helper()
	if n.Agent == "" {
		n.Agent = string(agents.Claude)
	}
	if n.Cwd == "" {
		n.Cwd = w.dir
	}
	s, err := w.m.Create(context.Background(), n)
	if err != nil {
		w.tb.Fatal(err)
	}
	return s
}

func (w *world) send(id app.SessionID, script string) app.TurnID {
	w.tb.Helper()
	turn, _, err := w.m.Send(context.Background(), id, app.Input{Text: script})
	if err != nil {
		w.tb.Fatal(err)
	}
	return turn
}

func (w *world) session(id app.SessionID) app.Session {
	w.tb.Helper()
	s, err := w.db.Session(context.Background(), id)
	if err != nil {
		w.tb.Fatal(err)
	}
	return s
}

// ended waits for the end of a turn.
func (w *world) ended(turn app.TurnID) app.TurnEnded {
	w.tb.Helper()
	return w.tape.Ended(turn)
}

// began waits until a turn has got to a tool.
func (w *world) began(turn app.TurnID, tool string) {
	w.tb.Helper()
	w.tape.Wait("tool "+tool, func(e app.Event) bool {
		d, ok := e.Data.(app.ToolStarted)
		return ok && e.TurnID == turn && d.ToolID == tool
	})
}

// asked waits for a question of a turn.
func (w *world) asked(turn app.TurnID) app.Interaction {
	w.tb.Helper()
	e := w.tape.Wait("question of "+turn, func(e app.Event) bool {
		in, ok := e.Data.(app.Interaction)
		return ok && in.RunID == turn
	})
	return e.Data.(app.Interaction)
}

// answer answers a question of any kind; of an approval it allows what is asked.
func (w *world) answer(id, text string) {
	w.tb.Helper()
	in, err := w.db.Interaction(context.Background(), id)
	if err != nil {
		w.tb.Fatal(err)
	}
	ans := app.Answer{InteractionID: id, Status: app.StatusAnswered}
	switch in.Kind {
	case app.KindApproval:
		ans.Action = app.ActionAllowOnce
	case app.KindElicitation:
		ans.Action = app.ActionAccept
	case app.KindNative:
		ans.Answers = map[string][]string{in.Questions[0].ID: {text}}
	default:
		ans.Text = text
	}
	if _, err := w.desk.Answer(context.Background(), ans); err != nil {
		w.tb.Fatal(err)
	}
}

// waits reports whether nobody has settled a question yet.
func (w *world) waits(id string) bool {
	w.tb.Helper()
	in, err := w.db.Interaction(context.Background(), id)
	if err != nil {
		w.tb.Fatal(err)
	}
	return in.Waiting()
}

func (w *world) idle(id app.SessionID) app.Session {
	w.tb.Helper()
	w.tape.Wait("session idle", func(e app.Event) bool {
		return e.SessionID == id && w.session(id).State == app.StateIdle
	})
	return w.session(id)
}

// types lists a turn's durable events in order.
func (w *world) types(turn app.TurnID) []app.EventType {
	var out []app.EventType
	for _, e := range w.tape.All() {
		if e.TurnID == turn && e.Durable() {
			out = append(out, e.Type)
		}
	}
	return out
}

// texts are the completed messages of a turn by id.
func (w *world) texts(turn app.TurnID) map[string]app.MessageText {
	out := map[string]app.MessageText{}
	for _, e := range w.tape.All() {
		if d, ok := e.Data.(app.MessageText); ok && e.TurnID == turn && e.Type == app.EventMessageCompleted {
			out[d.MessageID] = d
		}
	}
	return out
}

// families are all the families that there are.
func families(all ...agents.Adapter) func(agents.Family) (agents.Adapter, bool) {
	return func(f agents.Family) (agents.Adapter, bool) {
		for _, a := range all {
			if a.Info().Family == f {
				return a, true
			}
		}
		return nil, false
	}
}
