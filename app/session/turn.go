package session

import (
	"context"
	"sync"
	"time"

	"parley/agents"
	"parley/app"
	"parley/mcp/inject"
)

// turn is the turn under way. It belongs to the actor's goroutine.
type turn struct {
	row       app.Turn
	contextID string // "" when the turn may not reach a person
	plan      app.Plan

	// ctx ends with the turn, with an app.Withdrawn as its cause; every
	// question of the turn waits under it. asks counts those that wait.
	ctx    context.Context
	cancel context.CancelCauseFunc
	asks   sync.WaitGroup

	origins *origins

	form      *app.Interaction // the form that this turn has shown, nil before
	formItem  string           // the tool item of its call, "" while the stream has not told
	deferring bool             // it is being interrupted for the form
	tells     string           // id of the form whose end its input tells, "" usually
	told      *told            // the form's end that goes out as the result of its call

	sending  bool          // the input is being handed to the agent, which may ask before we hear that it was
	prompted bool          // the input is on its way to the agent
	sent     chan struct{} // closed once the agent has taken the input, or did not
	stopping bool          // a person, or the end of the session, stopped it
	cause    app.Cause     // why, once stopping
	watchdog *time.Timer   // ends the tree when the agent doesn't stop
	ended    *agents.Ended // what the agent said, while the end of its process is awaited
	problem  *app.Problem  // why it could not run, nil otherwise
}

// next begins the oldest waiting message, if nothing is under way.
func (a *actor) next() {
	if a.turn != nil || a.held || a.ending != nil || len(a.queue) == 0 || a.formWaits() {
		return
	}
	row, first := a.commandBehind(a.queue[0])
	if !first {
		row = a.queue[0]
		a.queue = a.queue[1:]
	}
	row.State, row.StartedAt = app.TurnRunning, a.now()
	if !a.begin(row) {
		return
	}
	switch l := a.live; {
	case l != nil && l.ready && !l.stale:
		a.prompt()
	case l != nil && l.reason == "" && !l.ready && !l.stale:
		a.setState(app.StateStarting) // it is coming up, and takes this first
	default:
		a.launch()
	}
}

// begin makes row the turn under way. It reports false when that could not be
// recorded: then the message stays in the queue, which is held.
func (a *actor) begin(row app.Turn) bool {
	if b := a.m.cfg.Branch(a.session.Cwd); b != a.session.Branch {
		a.update(func(s *app.Session) { s.Branch = b })
	}
	a.flush()
	var err error = errOwes
	if !a.owes() {
		err = a.m.cfg.Records.StartTurn(a.ctx, row)
	}
	if err != nil {
		a.log.Error("store the beginning of a turn", "turn", row.ID, "error", err)
		a.held = true
		a.reloadQueue()
		return false
	}
	t := &turn{row: row, origins: newOrigins(), sent: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancelCause(a.ctx)
	a.turn = t
	a.session.State = app.StateRunning
	return true
}

var errOwes = app.Errorf(app.CodeStorageFailed, "What happened before is not recorded yet.")

// prompt sends the input of the turn under way to the agent, which is ready.
func (a *actor) prompt() {
	t, l := a.turn, a.live
	input := agents.Turn{ID: t.row.ID, Text: t.row.Text}
	if l.offered && !isCommand(t.row.Text) {
		t.contextID = a.m.grants.bind(binding{launchID: l.id, sessionID: a.id, profile: a.session.Profile, turnID: t.row.ID})
		input.Context = inject.ContextBlock(a.session.Agent, t.contextID, l.grant.launch.MayAsk, l.grant.launch.MayPlan)
	}
	if a.session.State != app.StateRunning {
		a.setState(app.StateRunning)
	}
	can, cwd, files := l.adapter.Info().Caps, a.session.Cwd, t.row.Attachments
	input = a.carry(t, l, input)
	t.sending = true
	a.m.goes(func() {
		input, err := a.m.withFiles(input, can, cwd, files)
		if err == nil {
			err = l.agent.Prompt(l.ctx, input)
		}
		a.post(func() { a.prompted(t, l, err) })
	})
}

func (a *actor) prompted(t *turn, l *live, err error) {
	close(t.sent)
	t.sending = false
	if err == nil { // also when the turn has ended before we come to hear of it
		a.reached(t)
	}
	if a.turn != t {
		return
	}
	if err != nil {
		a.log.Warn("send input", "error", err)
		t.problem = appProblem(agents.Problem{
			Code: "exited", Title: l.name + " did not take the message.", Advice: "Send it again: the agent is started anew.", Evidence: err.Error(),
		})
		a.endAgent(l, exitCrashed)
		return
	}
	t.prompted = true
	if t.stopping || t.deferring {
		a.interrupt(t, l)
	}
	if t.stopping { // meanwhile; the agent hears of it before its questions end
		a.settle(t, t.cause)
	}
}

// reached records what the agent knows now that the turn's message has left.
func (a *actor) reached(t *turn) {
	if t.row.Late != "" {
		a.out.write(func() error { return a.m.cfg.Desk.Delivered(a.ctx, t.row.Late) })
	}
	if t.tells != "" {
		a.formDelivered(t.tells)
	}
}

// turnBegan records a turn that the CLI began by itself. It has no context id,
// so our tools are refused in it.
func (a *actor) turnBegan(l *live, reason string) {
	if a.turn != nil || a.ending != nil {
		return
	}
	now := a.now()
	row := app.Turn{
		ID: newID(), SessionID: a.id, Text: redact(reason), Unrequested: true,
		State: app.TurnRunning, QueuedAt: now, StartedAt: now,
	}
	if a.begin(row) {
		a.turn.prompted = true
		close(a.turn.sent)
	}
}

// stop ends the turn under way: the agent's work and its questions. The agent
// hears of it first: a question that ends before would have it ask its model
// what to do next. A second stop of the same turn changes nothing.
func (a *actor) stop(cause app.Cause) {
	t, l := a.turn, a.live
	if t == nil || t.stopping {
		return
	}
	t.stopping, t.cause = true, cause
	a.setState(app.StateStopping)
	t.cancel(&app.Withdrawn{Cause: cause}) // whatever takes a question back from here on, this is why
	working := l != nil && l.ready
	if working && t.prompted {
		a.interrupt(t, l)
	}
	if !t.sending { // else once it is sent
		a.settle(t, cause)
	}
	if !working {
		// Its launch is under way; what comes back ends the turn.
		a.endAgent(l, exitStopped)
		return
	}
	t.watchdog = a.later(a.stopLimit(l), func() {
		if a.turn == t {
			a.log.Warn("the agent did not stop in time, so its processes are ended", "turn", t.row.ID)
			a.endAgent(l, exitStopped)
		}
	})
}

// stopLimit is how long an interrupted turn of l may last.
func (a *actor) stopLimit(l *live) time.Duration {
	return max(l.adapter.Info().StopWithin, a.m.cfg.Wait.Stop)
}

func (a *actor) interrupt(t *turn, l *live) {
	a.m.goes(func() {
		if err := l.agent.Interrupt(l.ctx); err != nil {
			a.post(func() {
				if a.turn == t {
					// A CLI that cannot be interrupted is ended instead.
					a.endAgent(l, exitStopped)
				}
			})
		}
	})
}

// settle ends every open question of a turn and returns once that is recorded.
// A question on its way to the desk is caught by the context, one that is there
// by name.
func (a *actor) settle(t *turn, cause app.Cause) {
	if t.contextID != "" {
		a.m.grants.unbind(t.contextID)
	}
	if cause == app.CauseTurnEnded {
		t.hearOfCuts()
	}
	t.cancel(&app.Withdrawn{Cause: cause})
	if err := a.m.cfg.Desk.CancelTurn(a.ctx, t.row.ID, cause); err != nil {
		a.log.Error("cancel the questions of a turn", "turn", t.row.ID, "error", err)
	}
	t.asks.Wait()
}

// cutGrace is how long the news of a caller that was cut off may trail the end of
// the turn that it brought about.
const cutGrace = time.Second

// hearOfCuts gives the questions that are open at the end of a turn, of which
// there is seldom any, a moment to end for a cause of their own: an agent whose
// MCP server was killed may end its turn before anybody hears of that.
func (t *turn) hearOfCuts() {
	settled := make(chan struct{})
	go func() {
		defer close(settled)
		t.asks.Wait() // no longer than settle does
	}()
	brief := time.NewTimer(cutGrace)
	defer brief.Stop()
	select {
	case <-settled:
	case <-brief.C:
	}
}

// turnEnded takes the agent's word for it. When that word is that its
// connection broke, the end of its process explains it and is waited for.
func (a *actor) turnEnded(l *live, ev agents.Ended) {
	t := a.turn
	if t == nil || t.ended != nil {
		return
	}
	if ev.Unrequested && !t.row.Unrequested {
		return // the CLI's own turn; the person's message comes after it
	}
	if u := appUsage(ev.Usage); u != nil {
		a.usage = u
	}
	if l.once && !brokeOff(ev) {
		a.endAgent(l, exitClosed) // there is nothing more to come of it
	}
	switch {
	case l.over:
		t.ended = &ev
		a.left(l)
	case l.reason != "":
		t.ended = &ev // the end of its processes follows for sure
	case brokeOff(ev):
		t.ended = &ev
		a.later(a.m.cfg.Wait.Last, func() {
			if a.turn == t {
				a.endAgent(l, exitCrashed) // it says nothing any more, and lives on
			}
		})
	default:
		a.finish(statusOf(ev.Stop, t.stopping), reasonOf(ev), endProblem(ev))
	}
}

// brokeOff reports whether a turn ended because the agent's output did.
func brokeOff(ev agents.Ended) bool {
	return ev.Stop == agents.StopFailed && (ev.Problem == nil || ev.Problem.Code == "exited")
}

func endProblem(ev agents.Ended) *app.Problem {
	if ev.Problem != nil {
		return appProblem(*ev.Problem)
	}
	if ev.Stop == agents.StopFailed {
		return &app.Problem{Code: "failed", Title: "The agent ended the turn with an error.", Advice: "Look at its last messages and send another."}
	}
	return nil
}

func reasonOf(ev agents.Ended) string {
	if ev.Stop == agents.StopDefer {
		return string(agents.StopDefer)
	}
	if ev.Native != "" {
		return ev.Native
	}
	return string(ev.Stop)
}

// statusOf is how a turn ended. One that was stopped is interrupted, also when
// the agent was done by its own account: the stop took its questions away.
func statusOf(s agents.Stop, stopping bool) app.TurnStatus {
	switch {
	case s == agents.StopDefer:
		return app.TurnDeferred // the CLI has put a call aside, stopped or not
	case s == agents.StopStopped || stopping:
		return app.TurnInterrupted
	case s == agents.StopDone:
		return app.TurnCompleted
	default:
		return app.TurnFailed
	}
}

// finish records the end of the turn under way, after everything that was said
// in it, and goes on with the queue unless the turn ended badly: what a person
// queued behind a turn that failed or was stopped may not make sense any more.
func (a *actor) finish(status app.TurnStatus, reason string, problem *app.Problem) {
	t := a.turn
	if t.watchdog != nil {
		t.watchdog.Stop()
	}
	status, reason, problem = a.deferred(t, status, reason, problem)
	if status == app.TurnCompleted {
		a.handOver(t) // a CLI that had lost the call was told by a message
	}
	cause := t.cause
	if !t.stopping {
		cause = app.CauseTurnEnded
		if a.live == nil || a.live.over {
			cause = app.CauseConnectionClosed
		}
	}
	if !t.stopping || t.sending { // else the stop has
		a.settle(t, cause)
	}
	a.cutTexts()
	a.completeForm(t)
	a.cutTools(t.row.ID)
	a.flush()
	waited, err := a.m.cfg.Records.WaitedMS(a.ctx, t.row.ID)
	if err != nil {
		a.log.Error("sum the waiting time of a turn", "turn", t.row.ID, "error", err)
	}
	if status == app.TurnInterrupted {
		problem = nil
	}
	a.checkLost(problem)
	end := app.TurnEnded{
		Status: status, StopReason: reason, Usage: a.usage,
		DurationMS: a.since(t.row.StartedAt), WaitedMS: waited, Problem: problem,
	}
	end = hidden(end, a.out.hide).(app.TurnEnded)
	a.out.write(func() error { return a.m.cfg.Records.EndTurn(a.ctx, t.row.ID, end) })
	a.flush()
	a.turn = nil
	a.session.State, a.session.LastStatus = app.StateIdle, status
	if status == app.TurnDeferred {
		a.restForForm(t)
	}
	a.held = len(a.queue) > 0 && (status == app.TurnFailed || status == app.TurnInterrupted)
	a.endingStep()
	a.next()
}

// checkLost forgets the CLI's own id of a conversation that the CLI no longer
// has, so that the next message begins a new one instead of failing for ever.
func (a *actor) checkLost(p *app.Problem) {
	if p == nil || p.Code != "session_lost" && p.Code != "cannot_resume" || a.session.NativeID == "" && a.session.ForkNative == "" {
		return
	}
	a.notice(app.LevelWarning, "new_conversation", "The agent no longer has this conversation.",
		"The next message begins a new one. What was said so far stays here; the agent doesn't know it any more.")
	a.update(func(s *app.Session) { s.NativeID, s.ForkNative = "", "" })
}
