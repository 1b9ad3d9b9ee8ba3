package session

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"parley/agents"
	"parley/app"
	"parley/mcp"
	"parley/mcp/bridge"
	"parley/mcp/inject"
)

// A form ends the run and outlives it. It is recorded before anyone sees it, then
// the turn ends as deferred, in one of two ways: the CLI puts the call aside
// itself (Host.Defer), or the turn is interrupted (Manager.Form). From then on
// the session owes the agent the form's end: it goes along with whatever runs
// next, and while the form waits nothing does.

// owedForm is a form whose end the agent has not been told.
type owedForm struct {
	in app.Interaction
	// aside says that the CLI holds the call and makes it when it is started again.
	aside bool
}

// told is a form's end that goes out as the result of its call, made again.
type told struct {
	form   app.Interaction
	answer app.FormCall
	heard  bool // the call came and got it
}

var (
	errSecondForm = &app.Error{
		Code: app.CodeAlreadyPending, Message: "This run has shown a form already, and ends for it. Call nothing else; the answer comes as your next input.",
	}
	errOwnTurn = &app.Error{
		Code: app.CodeContextUnavailable, Message: "The person did not ask for this turn, so nobody can be asked in it.",
	}
	errPendingForm = &app.Error{
		Code: app.CodePendingForm, Message: "A form waits for an answer in this session. Answer it, or close it; a message can go along with the closing.",
	}
)

// deferral is a call of the form tool that a CLI is about to make.
type deferral struct {
	call  agents.FormCall
	reply chan bool // has room for the one reply
}

// Defer implements agents.Host.
func (h *host) Defer(ctx context.Context, call agents.FormCall) bool {
	q := &deferral{call: call, reply: make(chan bool, 1)}
	select {
	case h.actor.ears <- said{live: h.live, deferral: q}:
	case <-ctx.Done():
		return false
	case <-h.live.ctx.Done():
		return false
	case <-h.actor.gone:
		return false
	}
	select {
	case aside := <-q.reply:
		return aside
	case <-h.actor.gone:
		return false
	}
}

// putAside shows the form of a call that the CLI can put aside. What is not to
// be shown is left to the call itself, whose refusal the model reads.
func (a *actor) putAside(l *live, call agents.FormCall) bool {
	if a.formWaits() && a.form.in.ToolUseID == call.ToolID {
		return true // it was put aside before, and waits on
	}
	questions, err := formQuestions(call.Input)
	if err != nil || !l.grant.launch.MayAsk || a.mayShow(a.turn) != nil {
		return false
	}
	return a.showForm(a.turn, questions, call.ToolID, true) == nil
}

// Form shows a form for an agent and ends its run, or, when the CLI makes the
// call again that it had put aside, hands out how the form ended. It returns
// once the run has ended, so that no model is asked about its result; ctx ends
// the waiting, not the form.
func (m *Manager) Form(ctx context.Context, launchID, meta string, arguments []byte) (app.FormCall, error) {
	g, ok := m.grants.byID(launchID)
	if !ok || !g.launch.MayAsk {
		return app.FormCall{}, errNoTurn
	}
	questions, err := formQuestions(arguments)
	if err != nil {
		return app.FormCall{}, err
	}
	a, who := g.actor, callerOf(meta)
	find := func() (*turn, error) {
		if a.live == nil || a.live.id != launchID || a.turn == nil {
			return nil, errNoTurn
		}
		return a.turn, nil
	}
	call, t, err := admitted(ctx, m, a, find, meta, true, func(t *turn) (app.FormCall, error) {
		if t.told != nil && t.told.form.ToolUseID == who.callID {
			a.handOver(t)
			return t.told.answer, nil
		}
		if f := t.form; f != nil && who.callID != "" && f.ToolUseID == who.callID {
			return app.FormCall{AskID: f.ID}, nil // the same call, repeated
		}
		if err := a.mayShow(t); err != nil {
			return app.FormCall{}, err
		}
		if err := a.showForm(t, questions, who.callID, false); err != nil {
			return app.FormCall{}, err
		}
		a.interruptForForm(t)
		return app.FormCall{AskID: t.form.ID}, nil
	})
	if err != nil || call.Answer != nil {
		return call, err
	}
	select {
	case <-t.ctx.Done():
		return call, nil
	case <-ctx.Done():
		return call, ctx.Err()
	}
}

// mayShow says why no form can be shown in a turn, nil when one can.
func (a *actor) mayShow(t *turn) error {
	switch {
	case t == nil, t.stopping:
		return errNoTurn
	case t.row.Unrequested:
		return errOwnTurn
	case t.form != nil, a.formWaits():
		return errSecondForm
	}
	return nil
}

// formQuestions reads a form's arguments as the person will see them. Errors are
// *bridge.Error.
func formQuestions(arguments []byte) ([]app.Field, error) {
	questions, err := bridge.FormQuestions(arguments)
	if err != nil {
		return nil, err
	}
	fields := make([]app.Field, 0, len(questions))
	for _, q := range questions {
		f := app.Field{
			ID: q.ID, Question: redact(q.Question), Type: app.FieldText, Options: []app.Option{}, MultiSelect: q.MultiSelect,
			Required: q.Required, FreeText: true, Default: q.Default, Placeholder: redact(q.Placeholder),
		}
		for _, o := range q.Options {
			f.Type = app.FieldChoice
			f.Options = append(f.Options, app.Option{Label: redact(o.Label), Value: o.Value, Recommended: o.Recommended})
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// showForm records a form of the turn under way; from here on the run ends for it.
// callID is the CLI's own id of the call, "" when it doesn't say. aside says
// that the CLI keeps the call.
func (a *actor) showForm(t *turn, questions []app.Field, callID string, aside bool) error {
	a.flush()
	item := a.formItem(t, callID)
	id := newID()
	in := a.provenance(app.Interaction{ID: id, Kind: app.KindForm, Questions: questions, CallKept: aside})
	in.ToolUseID = cmp.Or(callID, item, id)
	if err := a.m.cfg.Desk.Show(a.ctx, in); err != nil {
		return err
	}
	t.form, t.formItem, a.form = &in, item, &owedForm{in: in}
	return nil
}

// formItem finds the form's call among those that the stream has told of, ""
// while it has not.
func (a *actor) formItem(t *turn, callID string) string {
	if call, ok := a.tools[callID]; ok && call.turn == t.row.ID {
		return callID
	}
	newest, since := "", int64(-1)
	for id, call := range a.tools {
		if call.form && call.turn == t.row.ID && call.since > since && callID == "" {
			newest, since = id, call.since
		}
	}
	return newest
}

// isFormTool knows the form tool under the names that families give it.
func isFormTool(name string) bool { return strings.HasSuffix(name, mcp.ToolForm) }

// interruptForForm ends the run under way without ending the form.
func (a *actor) interruptForForm(t *turn) {
	t.deferring = true
	l := a.live
	if t.prompted {
		a.interrupt(t, l)
	}
	t.watchdog = a.later(a.stopLimit(l), func() {
		if a.turn == t {
			a.log.Warn("the agent did not stop for its form in time, so its processes are ended", "turn", t.row.ID)
			a.endAgent(l, exitStopped)
		}
	})
}

// deferred is how a turn ends that may have shown a form. One whose CLI should
// have put the call aside and ended otherwise ends as it did: the form waits all
// the same, and its end goes out as a message.
func (a *actor) deferred(t *turn, status app.TurnStatus, reason string, problem *app.Problem) (app.TurnStatus, string, *app.Problem) {
	if t.form == nil || t.form.CallKept && status != app.TurnDeferred {
		return status, reason, problem
	}
	if a.form != nil && a.form.in.ID == t.form.ID {
		a.form.aside = t.form.CallKept
	}
	return app.TurnDeferred, string(agents.StopDefer), nil
}

// completeForm ends the tool item of a turn's form, with what renders it.
func (a *actor) completeForm(t *turn) {
	if t.form == nil {
		return
	}
	id := t.formItem
	call, ok := a.tools[id]
	delete(a.tools, id)
	if !ok {
		id, call = t.form.ID, &toolCall{turn: t.row.ID, since: a.now()}
		input, _ := json.Marshal(map[string]any{"questions": t.form.Questions})
		a.out.fact(t.row.ID, app.EventToolStarted, app.ToolStarted{
			ToolID: id, Name: mcp.ToolForm, Kind: app.ToolAsk, Title: asked(*t.form), Input: string(input),
		})
	}
	payload, err := json.Marshal(t.form.Payload())
	if err != nil {
		a.log.Error("encode a form", "interaction", t.form.ID, "error", err)
	}
	a.out.fact(call.turn, app.EventToolCompleted, app.ToolCompleted{
		ToolID: id, Status: app.ToolOK, DurationMS: a.since(call.since), RenderPayload: payload,
	})
}

// formWaits reports whether a form of the session waits for the person.
func (a *actor) formWaits() bool { return a.form != nil && a.form.in.Waiting() }

// restForForm ends the agent once its run has ended for a form: the answer may
// take days, and finds the conversation by its own id. One that can't be resumed
// stays up.
func (a *actor) restForForm(t *turn) {
	l := a.live
	if t.form == nil || l == nil || a.session.NativeID == "" || !l.adapter.Info().Caps.Resume {
		return
	}
	a.endAgent(l, exitClosed)
}

// FormSettled goes on with the session of a form that has just ended.
func (m *Manager) FormSettled(ctx context.Context, in app.Interaction) {
	_, err := on(ctx, m, in.SessionID, func(a *actor) (struct{}, error) {
		a.readForm()
		a.reloadQueue()
		// Closed without a message nothing runs, also nothing of what waits.
		a.held = len(a.queue) > 0 && a.queue[0].Form != in.ID
		a.next()
		return struct{}{}, nil
	})
	if err != nil && app.ErrorCode(err) != app.CodeClosing {
		m.cfg.Log.Error("go on after a form", "session", in.SessionID, "interaction", in.ID, "error", err)
	}
}

// readForm reads again what the session owes its agent.
func (a *actor) readForm() {
	f, err := a.m.owed(a.ctx, a.id)
	if err != nil {
		a.log.Error("read the form of the session", "error", err)
		return
	}
	if f != nil && a.form != nil && f.in.ID == a.form.in.ID && a.turn != nil {
		f.aside = a.form.aside // its turn has not ended yet
	}
	a.form = f
}

func (m *Manager) owed(ctx context.Context, id app.SessionID) (*owedForm, error) {
	in, deferred, ok, err := m.cfg.Records.OwedForm(ctx, id)
	if err != nil || !ok {
		return nil, err
	}
	return &owedForm{in: in, aside: deferred && in.CallKept}, nil
}

// withdrawForm ends the waiting form of a session that is being closed.
func (a *actor) withdrawForm() {
	if !a.formWaits() {
		return
	}
	if err := a.m.cfg.Desk.WithdrawForm(a.ctx, a.form.in.ID, app.CauseSessionClosed); err != nil {
		a.log.Error("withdraw a form", "interaction", a.form.in.ID, "error", err)
	}
}

// answerAgain queues the answer of a form once more that never reached the
// agent, for instance because the agent did not come up.
func (a *actor) answerAgain() error {
	f := a.form
	if f == nil || f.in.Waiting() || f.in.Outcome.Reason != app.ReasonResponse || a.turn != nil || len(a.queue) > 0 {
		return nil
	}
	t := app.Turn{
		ID: newID(), SessionID: a.id, Form: f.in.ID, Text: app.FormSummary(f.in.Questions, *f.in.Outcome),
		Attachments: f.in.Outcome.Files, State: app.TurnQueued, QueuedAt: a.now(),
	}
	if err := a.m.cfg.Records.QueueFirst(a.ctx, t); err != nil {
		return err
	}
	a.queue = append(a.queue, t)
	return nil
}

// carry adds to an input what the agent must be told of its form.
func (a *actor) carry(t *turn, l *live, input agents.Turn) agents.Turn {
	f := a.form
	if f == nil || f.in.Waiting() {
		return input
	}
	end := formEnd(f.in)
	message := input.Text
	if t.row.Form == f.in.ID && end.Words != "" {
		message = "" // the turn is the answer
	}
	aside := l.deferred != "" && l.deferred == f.in.ToolUseID
	l.deferred = "" // the CLI makes the call once
	if isCommand(message) && !aside {
		return input // byte for byte; the form's end goes along with the next message
	}
	input.Text = strings.TrimSpace(mcp.FormMessage(inject.ToolPrefix(a.session.Agent), end) + "\n\n" + message)
	if !aside {
		t.tells = f.in.ID
		return input
	}
	input.Deferred = true
	note := []string{mcp.FormNote(end)}
	if message != "" {
		note = append(note, "The person wrote this message:\n"+message)
	}
	for _, file := range t.row.Attachments {
		note = append(note, "Attached file: "+file.Path)
	}
	if input.Context != "" {
		note = append(note, input.Context)
	}
	t.told = &told{form: f.in, answer: app.FormCall{AskID: f.in.ID, Answer: end.Answer, Note: strings.Join(note, "\n\n")}}
	t.origins.began(f.in.ToolUseID, "", app.ToolAsk)
	return input
}

// formEnd is what a settled form comes to, for its agent.
func formEnd(in app.Interaction) mcp.FormEnd {
	switch out := *in.Outcome; out.Reason {
	case app.ReasonResponse:
		return mcp.FormEnd{Answer: app.FormAnswer(in.Questions, out), Words: app.FormSummary(in.Questions, out)}
	default:
		answer, _ := json.Marshal(map[string]app.Reason{"reason": out.Reason})
		return mcp.FormEnd{Answer: answer, Closed: out.Reason == app.ReasonDismissed}
	}
}

// handOver notes that the agent has got the end of its form.
func (a *actor) handOver(t *turn) {
	if t.told == nil || t.told.heard {
		return
	}
	t.told.heard = true
	a.formDelivered(t.told.form.ID)
}

// callLost notes that the end of the form went out as a message, since the CLI
// does not make the call again.
func (a *actor) callLost(l *live) {
	a.notice(app.LevelInfo, "call_lost", l.name+" no longer has the call that showed the form, so its answer went out as a message.", "")
	if a.turn != nil {
		a.handOver(a.turn)
	}
}

// formDelivered records that the agent knows how a form ended.
func (a *actor) formDelivered(id string) {
	if a.form != nil && a.form.in.ID == id {
		a.form = nil
	}
	a.out.write(func() error { return a.m.cfg.Desk.Delivered(a.ctx, id) })
}

// commandBehind is a turn of its own for the end of a form whose call the CLI
// makes as soon as it starts, when the next message is a command of the CLI: a
// command takes nothing along.
func (a *actor) commandBehind(next app.Turn) (app.Turn, bool) {
	f := a.form
	if f == nil || f.in.Waiting() || !f.aside || next.Form != "" || !isCommand(next.Text) {
		return app.Turn{}, false
	}
	return app.Turn{ID: newID(), SessionID: a.id, Form: f.in.ID, QueuedAt: a.now()}, true
}
