package session_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/agents"
	"parley/app"
	"parley/app/apptest"
	"parley/app/session"
	"parley/mcp"
	"parley/mcp/bridge"
)

var (
	anyContext = regexp.MustCompile(`pctx_[A-Za-z0-9_-]{43}`)
	asking     = app.Interaction{Kind: app.KindClarify, Question: "Which database?"}
)

// contextOf is the context id that the newest turn was given.
func (w *world) contextOf() string {
	w.tb.Helper()
	id := anyContext.FindString(w.ad.lastTurn().Context)
	if id == "" {
		w.tb.Fatalf("no context id in %q", w.ad.lastTurn().Context)
	}
	return id
}

// launchOf is the launch of the newest agent.
func (w *world) launchOf() app.Launch {
	w.tb.Helper()
	l, err := w.m.LaunchByToken(w.ad.lastCredential().Token)
	if err != nil {
		w.tb.Fatal(err)
	}
	return l
}

type answer struct {
	in  app.Interaction
	out app.Outcome
	err error
}

// clarify asks in the background.
func (w *world) clarify(ctx context.Context, launch, contextID, meta string) <-chan answer {
	c := make(chan answer, 1)
	go func() {
		in, out, err := w.m.Clarify(ctx, launch, contextID, meta, asking)
		c <- answer{in, out, err}
	}()
	return c
}

func TestClarifyReachesThePerson(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{Title: "The shop"})
	turn := w.send(s.ID, "say m line one\ndelta m2 line two\ntool t1\nwait")
	w.began(turn, "t1")
	launch, id := w.launchOf(), w.contextOf()
	if launch.SessionID != s.ID || !launch.MayAsk || launch.ToolPrefix == "" || launch.CallLimitMS <= mcp.DefaultMaxWait.Milliseconds() {
		t.Fatalf("launch %+v", launch)
	}
	plan, err := w.m.UpdatePlan(context.Background(), launch.ID, id, "", "", []app.PlanStep{
		{ID: "1", Step: "look", Status: app.StepCompleted}, {ID: "2", Step: "decide", Status: app.StepInProgress},
	})
	if err != nil || plan.Revision != 1 {
		t.Fatalf("plan %+v, %v", plan, err)
	}
	got := w.clarify(context.Background(), launch.ID, id, "")
	in := w.asked(turn)
	if in.SessionID != s.ID || in.Agent != "claude" || in.SessionTitle != "The shop" || in.Cwd != w.dir || in.Branch != "main" ||
		in.PlanStep != "2/2 decide" || in.SaidBefore != "line two" {
		t.Fatalf("asked %+v", in)
	}
	// A plan goes through while the question waits.
	if plan, err = w.m.UpdatePlan(context.Background(), launch.ID, id, "", "", []app.PlanStep{{ID: "1", Step: "look", Status: app.StepPending}}); err != nil || plan.Revision != 2 {
		t.Fatalf("plan %+v, %v", plan, err)
	}
	w.answer(in.ID, "SQLite")
	a := <-got
	if a.err != nil || a.out.Response != "SQLite" || a.in.ID != in.ID {
		t.Fatalf("answered %+v", a)
	}
	rec, err := w.db.Interaction(context.Background(), in.ID)
	if err != nil || rec.DeliveredAt == 0 {
		t.Fatalf("recorded %+v, %v", rec, err)
	}
}

// leaving is a desk at which the caller goes in the moment in which it gets its
// answer.
type leaving struct {
	session.Desk
	goes context.CancelFunc
}

func (d *leaving) Ask(ctx context.Context, in app.Interaction) (app.Outcome, error) {
	out, err := d.Desk.Ask(ctx, in)
	d.goes()
	return out, err
}

// An answer whose caller has gone is not counted as delivered: it can still go
// out as a message.
func TestAnAnswerThatNobodyTookIsUndelivered(t *testing.T) {
	ctx, goes := context.WithCancel(context.Background())
	w := newWorld(t, func(c *session.Config, _ *adapter) { c.Desk = &leaving{c.Desk, goes} })
	turn := w.send(w.create(app.NewSession{}).ID, "tool t1\nwait")
	w.began(turn, "t1")
	got := w.clarify(ctx, w.launchOf().ID, w.contextOf(), "")
	in := w.asked(turn)
	w.answer(in.ID, "SQLite")
	if a := <-got; a.err != nil || a.out.Response != "SQLite" {
		t.Fatalf("answered %+v", a)
	}
	rec, err := w.db.Interaction(context.Background(), in.ID)
	if err != nil || rec.DeliveredAt != 0 || rec.UndeliveredAt == 0 || !rec.MovedOn() {
		t.Fatalf("recorded %+v, %v", rec, err)
	}
}

// Only the context id of the turn under way, from the launch it was given to,
// reaches the person; everything else is refused with nothing shown.
func TestContextIsChecked(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	other := w.create(app.NewSession{})
	otherTurn := w.send(other.ID, "tool t0\nwait")
	w.began(otherTurn, "t0")
	otherLaunch, otherContext := w.launchOf(), w.contextOf()

	first := w.send(s.ID, "say m x")
	w.ended(first)
	launch, old := w.launchOf(), w.contextOf()
	ctx := context.Background()
	refuse := func(what, launch, id string, want app.Code) {
		t.Helper()
		if a := <-w.clarify(ctx, launch, id, ""); app.ErrorCode(a.err) != want {
			t.Errorf("%s: %v", what, a.err)
		}
		if _, err := w.m.UpdatePlan(ctx, launch, id, "", "", nil); app.ErrorCode(err) != want {
			t.Errorf("%s, plan: %v", what, err)
		}
	}
	refuse("no turn under way", launch.ID, old, app.CodeNoActiveTurn)

	second := w.send(s.ID, "tool t1\nwait")
	w.began(second, "t1")
	now := w.contextOf()
	if now == old {
		t.Fatal("two turns share a context id")
	}
	refuse("an earlier turn's", launch.ID, old, app.CodeContextUnavailable)
	refuse("made up", launch.ID, "pctx_"+strings.Repeat("A", 43), app.CodeContextUnavailable)
	refuse("empty", launch.ID, "", app.CodeContextUnavailable)
	refuse("another session's", launch.ID, otherContext, app.CodeContextUnavailable)
	refuse("another launch's", otherLaunch.ID, now, app.CodeContextUnavailable)
	refuse("an unknown launch's", "nobody", now, app.CodeContextUnavailable)
	for _, e := range w.tape.All() {
		if _, ok := e.Data.(app.Interaction); ok {
			t.Fatalf("something was shown: %+v", e)
		}
	}
}

// The time in which a person is asked is told apart from the agent's own.
func TestWaitingIsNotWorking(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "approve a1")
	in := w.asked(turn)
	w.skew.Add(int64(4 * time.Minute))
	w.answer(in.ID, "")
	end := w.ended(turn)
	if end.WaitedMS < 240_000 || end.DurationMS < end.WaitedMS || end.DurationMS-end.WaitedMS > apptest.Patience.Milliseconds() {
		t.Fatalf("waited %d ms of %d", end.WaitedMS, end.DurationMS)
	}
}

// An agent that was started with less patience than the settings have now keeps
// its own limit; a second question of a session is refused while one waits.
func TestLimitsOfAQuestion(t *testing.T) {
	w := newWorld(t, func(c *session.Config, _ *adapter) {
		c.Servers = func(_ context.Context, l session.ServerLaunch) (session.Servers, error) {
			return session.Servers{Catalog: mcp.Catalog{l.Ours}, Limits: mcp.Limits{Deadline: l.Limits.Deadline, MaxWait: 10 * time.Minute}}, nil
		}
	})
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "tool t1\nwait")
	w.began(turn, "t1")
	launch, id := w.launchOf(), w.contextOf()
	if want := (10*time.Minute + 30*time.Second).Milliseconds(); launch.CallLimitMS != want {
		t.Errorf("the call may take %d ms, want %d", launch.CallLimitMS, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	first := w.clarify(ctx, launch.ID, id, "")
	in := w.asked(turn)
	if got := in.MaxDeadlineAt - in.RequestedAt; got > 600_000 || got < 590_000 {
		t.Errorf("it may be kept open for %d ms", got)
	}
	if a := <-w.clarify(context.Background(), launch.ID, id, ""); app.ErrorCode(a.err) != app.CodeAlreadyPending {
		t.Errorf("a second one: %+v", a)
	}
	cancel()
	<-first

	// So do the other ways of asking that the agent has.
	for _, ask := range []string{"approve x", "native x", "elicit x"} {
		in := w.asked(w.send(w.create(app.NewSession{}).ID, ask))
		if got := in.MaxDeadlineAt - in.RequestedAt; got > 600_000 || got < 590_000 {
			t.Errorf("%s may be kept open for %d ms", ask, got)
		}
		w.answer(in.ID, "A")
	}
}

// While a turn is being stopped nobody can be asked in it any more, and what
// waits is settled first.
func TestStoppingTurnMayNotAsk(t *testing.T) {
	w := newWorld(t, func(c *session.Config, _ *adapter) { c.Wait.Stop = 300 * time.Millisecond })
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "tool t1\ndeaf")
	w.began(turn, "t1")
	launch, id := w.launchOf(), w.contextOf()
	waiting := w.clarify(context.Background(), launch.ID, id, "")
	w.asked(turn)
	if err := w.m.Stop(context.Background(), s.ID); err != nil {
		t.Fatal(err)
	}
	if a := <-waiting; a.err != nil || a.out.Reason != app.ReasonCancelled || a.out.Cause != app.CauseTurnStopped {
		t.Fatalf("waiting one got %+v", a)
	}
	if a := <-w.clarify(context.Background(), launch.ID, id, ""); app.ErrorCode(a.err) != app.CodeContextUnavailable {
		t.Fatalf("a new one got %v", a.err)
	}
	w.ended(turn)
}

// The end of a turn takes its question with it.
func TestTurnEndCancelsItsQuestion(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "tool t1\napprove a1")
	w.began(turn, "t1")
	approval := w.asked(turn)
	waiting := w.clarify(context.Background(), w.launchOf().ID, w.contextOf(), "")
	in := w.tape.Wait("clarify", func(e app.Event) bool { return e.Type == "clarify.requested" }).Data.(app.Interaction)
	w.answer(approval.ID, "") // the agent goes on, and its turn ends
	w.ended(turn)
	if a := <-waiting; a.out.Reason != app.ReasonCancelled || a.out.Cause != app.CauseTurnEnded || a.in.ID != in.ID {
		t.Fatalf("got %+v", a)
	}
}

// A caller that goes away withdraws its question, for the cause it gives.
func TestCallerGoesAway(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "tool t1\nwait")
	w.began(turn, "t1")
	launch, id := w.launchOf(), w.contextOf()
	for _, want := range []app.Cause{app.CauseMCPCancelled, app.CauseConnectionClosed} {
		ctx, cancel := context.WithCancelCause(context.Background())
		got := w.clarify(ctx, launch.ID, id, "")
		w.tape.Wait("question", func(e app.Event) bool {
			in, ok := e.Data.(app.Interaction)
			return ok && w.waits(in.ID)
		})
		if want == app.CauseConnectionClosed {
			cancel(nil)
		} else {
			cancel(&app.Withdrawn{Cause: want})
		}
		if a := <-got; a.out.Reason != app.ReasonCancelled || a.out.Cause != want {
			t.Fatalf("got %+v", a)
		}
	}
}

// Claude Code says which tool call asks and the stream says whose it is. The
// call may be ahead of its place in the stream.
func TestSubagentIsRefused(t *testing.T) {
	w := newWorld(t, func(c *session.Config, _ *adapter) { c.Wait.ToolCall = 300 * time.Millisecond })
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "tool own\ntool theirs own\napprove a1\ntool late own\ntool last\nwait")
	w.began(turn, "theirs")
	approval := w.asked(turn)
	launch, id := w.launchOf(), w.contextOf()
	meta := func(tool string) string { return `{"claudecode/toolUseId":"` + tool + `","progressToken":1}` }
	ctx := context.Background()

	if a := <-w.clarify(ctx, launch.ID, id, meta("theirs")); app.ErrorCode(a.err) != app.CodeSubagentRefused {
		t.Fatalf("a sub-agent's call: %v", a.err)
	}
	early := w.clarify(ctx, launch.ID, id, meta("late"))
	w.answer(approval.ID, "")
	if a := <-early; app.ErrorCode(a.err) != app.CodeSubagentRefused {
		t.Fatalf("a sub-agent's call ahead of the stream: %v", a.err)
	}
	codex := `{"threadId":"c","x-codex-turn-metadata":{"thread_id":"c","parent_thread_id":"p","subagent_kind":"thread_spawn"}}`
	if a := <-w.clarify(ctx, launch.ID, id, codex); app.ErrorCode(a.err) != app.CodeSubagentRefused {
		t.Fatalf("a sub-agent's call by its own word: %v", a.err)
	}
	for _, m := range []string{meta("own"), meta("never told"), `{"progressToken":1}`, "", "{", `[]`} {
		ctx, cancel := context.WithCancel(ctx)
		got := w.clarify(ctx, launch.ID, id, m)
		w.tape.Wait("question for "+m, func(e app.Event) bool {
			in, ok := e.Data.(app.Interaction)
			return ok && w.waits(in.ID)
		})
		cancel()
		if a := <-got; a.err != nil {
			t.Fatalf("%s: %v", m, a.err)
		}
	}
}

// The context block goes to the agent and nowhere else.
func TestContextIsNeverStoredOrShown(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "echo\ntool t1\nwait")
	w.began(turn, "t1")
	launch, id := w.launchOf(), w.contextOf()
	asked := asking
	asked.Question = "Is it " + id + "?"
	asked.Options = []app.Option{{Label: id, Description: id, Preview: id}}
	asked.Choices = []string{id}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		w.asked(turn)
		cancel()
	}()
	if _, _, err := w.m.Clarify(ctx, launch.ID, id, "", asked); err != nil {
		t.Fatal(err)
	}
	if _, err := w.m.UpdatePlan(context.Background(), launch.ID, id, "", id, []app.PlanStep{{ID: "1", Step: id, Status: app.StepPending}}); err != nil {
		t.Fatal(err)
	}
	if got := w.texts(turn)["echo"].Text; got != "the block: and on" {
		t.Fatalf("echoed %q", got)
	}
	seen := 0
	for _, e := range w.tape.All() {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		seen += strings.Count(string(data), "[context id]")
		if strings.Contains(string(data), id) || anyContext.Match(data) {
			t.Errorf("shown: %s", data)
		}
		if e.Durable() && strings.Contains(string(data), "Added by Parley") {
			t.Errorf("the block is stored: %s", data)
		}
	}
	if seen == 0 {
		t.Fatal("nothing was redacted, so nothing was tried")
	}
	dump, err := os.ReadFile(filepath.Join(filepath.Dir(w.dir), "parley.db-wal"))
	if err != nil || strings.Contains(string(dump), id) {
		t.Fatalf("the id is on disk, or the file could not be read: %v", err)
	}
}

func TestCommandsOfTheCLIArriveByteForByte(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	for text, block := range map[string]bool{
		"/compact": false, "/model opus": false, "/mcp:server:prompt a b": false,
		"/home/me/x is broken": true, "/ hm": true, "say m /compact": true, "/compact\nand more": true,
	} {
		w.ended(w.send(s.ID, text))
		got := w.ad.lastTurn()
		if got.Text != text || (got.Context != "") != block {
			t.Errorf("%q arrived as %q with block %q", text, got.Text, got.Context)
		}
	}
}

// The token is in one file for the person alone, the app keeps it as a hash,
// and both end with the agent.
func TestCredential(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{Env: map[string]string{"FROM": "session"}})
	w.ended(w.send(s.ID, "say m x"))
	spec, cred := w.ad.lastSpec(), w.ad.lastCredential()
	if cred.SessionID != s.ID || cred.Profile != "default" || cred.Family != "claude" || len(cred.Token) != len(agents.LaunchToken)+43 || cred.Socket != w.cfg.Socket {
		t.Fatalf("credential %+v", cred)
	}
	if env := strings.Join(spec.Env, "\n"); !strings.Contains(env, "FROM=session") || strings.Contains(env, "FROM=base") || !strings.Contains(env, "KEPT=yes") {
		t.Fatalf("environment %s", env)
	}
	for path, mode := range map[string]os.FileMode{
		spec.RunDir: 0o700, filepath.Join(spec.RunDir, "sub"): 0o700,
		filepath.Join(spec.RunDir, "credential.json"): 0o600, filepath.Join(spec.RunDir, "sub", "config.json"): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if pids := w.m.SupervisedPIDs(); len(pids) != 1 {
		t.Fatalf("supervised %v", pids)
	}
	if _, err := w.m.LaunchByToken("wrong"); app.ErrorCode(err) != app.CodeUnauthenticated {
		t.Fatalf("a wrong token: %v", err)
	}
	if err := w.m.Close(context.Background(), s.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.m.LaunchByToken(cred.Token); app.ErrorCode(err) != app.CodeUnauthenticated {
		t.Fatalf("a revoked token: %v", err)
	}
	if _, err := os.Stat(spec.RunDir); !os.IsNotExist(err) {
		t.Fatalf("run folder: %v", err)
	}
	if pids := w.m.SupervisedPIDs(); len(pids) != 0 {
		t.Fatalf("still supervised %v", pids)
	}
}

// The first prompt waits for the tools, and no longer than the limit.
func TestPromptWaitsForTheTools(t *testing.T) {
	ready := make(chan struct{})
	w := newWorld(t)
	list := w.ad.listed
	w.ad.listed = func(c bridge.Credential) {
		go func() {
			<-ready
			list(c)
		}()
	}
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "say m x")
	w.tape.Wait("agent", func(e app.Event) bool { return e.Type == app.EventAgentStarted })
	if got := w.session(s.ID).State; got != app.StateStarting {
		t.Fatalf("state %s", got)
	}
	close(ready)
	w.ended(turn)

	w2 := newWorld(t, func(c *session.Config, ad *adapter) {
		c.Wait.Tools = 20 * time.Millisecond
		ad.listed = func(bridge.Credential) {}
	})
	s2 := w2.create(app.NewSession{})
	if end := w2.ended(w2.send(s2.ID, "say m x")); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v", end)
	}
	w2.tape.Wait("notice", func(e app.Event) bool { d, ok := e.Data.(app.Notice); return ok && d.Code == "tools_late" })
}

// A server that is switched off for the agent leaves no trace in the input.
func TestWithoutOurServer(t *testing.T) {
	w := newWorld(t, func(c *session.Config, ad *adapter) {
		c.Servers = func(_ context.Context, l session.ServerLaunch) (session.Servers, error) {
			return session.Servers{Limits: l.Limits, Notices: []string{"It is switched off."}}, nil
		}
		ad.listed = nil
	})
	s := w.create(app.NewSession{})
	w.ended(w.send(s.ID, "say m x"))
	if got := w.ad.lastTurn(); got.Context != "" {
		t.Fatalf("block %q", got.Context)
	}
	if _, err := os.Stat(filepath.Join(w.ad.lastSpec().RunDir, "credential.json")); !os.IsNotExist(err) {
		t.Fatalf("a credential was written: %v", err)
	}
	w.tape.Wait("notice", func(e app.Event) bool { d, ok := e.Data.(app.Notice); return ok && d.Text == "It is switched off." })
}
