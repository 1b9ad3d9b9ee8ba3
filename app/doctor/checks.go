package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/agents"
	"parley/app"
	"parley/app/api"
	"parley/mcp"
)

func passed(d time.Duration) app.CheckResult {
	return app.CheckResult{State: app.CheckPassed, MS: d.Milliseconds()}
}

func failed(c app.Check, f *app.Finding) app.CheckResult {
	return app.CheckResult{Check: c, State: app.CheckFailed, Finding: f}
}

func (t *trial) fails(code string) app.CheckResult { return failed("", t.find(code)) }

// new is what a session of the trial starts with.
func (t *trial) new(prompt string) api.NewSession {
	n := api.NewSession{Agent: t.patient.family(), Cwd: t.work, Mode: string(agents.ModeAsk), Title: "Doctor", Prompt: prompt}
	if t.local != nil {
		n.Model = t.local.Model
	}
	return n
}

// starts begins the session and measures until its first word.
func (t *trial) starts(ctx context.Context) app.CheckResult {
	began := time.Now()
	s, err := t.client().CreateSession(ctx, t.new(promptHello))
	if err != nil {
		return t.broke(err)
	}
	t.session = s.ID
	return t.word(ctx, in(s.ID), began, t.d.cfg.Patience.Start)
}

// in is what belongs to a session, of what is what belongs to a turn.
func in(id app.SessionID) func(app.Event) bool {
	return func(e app.Event) bool { return e.SessionID == id }
}

func of(id app.TurnID) func(app.Event) bool {
	return func(e app.Event) bool { return e.TurnID == id }
}

// word waits for the first word of a turn that was asked for at began, and for the
// turn's end. whose says which events are its own.
func (t *trial) word(ctx context.Context, whose func(app.Event) bool, began time.Time, limit time.Duration) app.CheckResult {
	isWord, isEnd := both(whose, isWord), both(whose, isEnd)
	first, ok := t.events.wait(ctx, limit, 0, either(isWord, isEnd))
	if !ok {
		if s, err := t.client().Session(ctx, t.session); err == nil && s.State == app.StateStarting {
			return failed("", t.find("no_start", limit))
		}
		return failed("", t.find("no_word", limit))
	}
	end, ok := t.events.wait(ctx, t.d.cfg.Patience.Step, 0, isEnd)
	if !ok {
		return failed("", t.find("no_end", t.d.cfg.Patience.Step))
	}
	ended := end.Data.(*app.TurnEnded)
	switch {
	case ended.Status != app.TurnCompleted && ended.Problem != nil:
		return failed("", t.gaveUp(*ended.Problem))
	case ended.Status != app.TurnCompleted || !isWord(first.Event):
		return t.fails("no_answer")
	}
	return passed(first.here.Sub(began))
}

// comesUp starts an agent that can't be pointed at a model: it is asked nothing.
func (t *trial) comesUp(ctx context.Context) app.CheckResult {
	t.trying(app.CheckStarts)
	began := time.Now()
	s, err := t.client().CreateSession(ctx, t.new(""))
	if err == nil {
		_, err = t.client().Resume(ctx, s.ID)
	}
	if err != nil {
		return failed(app.CheckStarts, t.broke(err).Finding)
	}
	t.session = s.ID
	up := func(e app.Event) bool {
		s, ok := e.Data.(*app.Session)
		return ok && e.Type == app.EventSessionUpdated && s.Live && s.State == app.StateIdle
	}
	got, ok := t.events.wait(ctx, t.d.cfg.Patience.Start, 0, either(up, isExit))
	if !ok {
		return failed(app.CheckStarts, t.find("no_start", t.d.cfg.Patience.Start))
	}
	if exit, ok := got.Data.(*app.AgentExited); ok {
		switch p := exit.Problem; {
		case p == nil:
			return failed(app.CheckStarts, t.find("no_answer"))
		case p.Code == "not_logged_in":
			return app.CheckResult{Check: app.CheckStarts, State: app.CheckNotTried, Finding: t.find("needs_login")}
		default:
			return failed(app.CheckStarts, t.gaveUp(*p))
		}
	}
	r := passed(got.here.Sub(began))
	r.Check = app.CheckStarts
	return r
}

// tools counts what of ours reached the model.
func (t *trial) tools(context.Context) app.CheckResult {
	offered := mcp.Offer{Ask: !t.patient.adapter.Info().PlanOnly, Plan: true}.Tools()
	r := app.CheckResult{State: app.CheckPassed, Count: t.model.sees(promptHello, offered), Of: len(offered)}
	switch usual := t.usual(); {
	case r.Count < r.Of:
		r.State, r.Finding = app.CheckFailed, t.find("tools_missing")
	case usual.Off:
		r.State, r.Finding = app.CheckWarning, t.find("tools_off")
		r.Finding.Line = usual.Line
	}
	return r
}

// usual is asked anew each time: a trial takes a minute, and the file may change.
func (t *trial) usual() Usual {
	return t.d.cfg.Usual(context.Background(), t.patient.adapter.Info().Family)
}

// send sends the next message and returns where its events begin.
func (t *trial) send(ctx context.Context, prompt string) (from int, err error) {
	from = t.events.mark()
	_, err = t.client().Send(ctx, t.session, api.NewMessage{Text: prompt})
	return from, err
}

// approval has it run a command that the person must be asked for.
func (t *trial) approval(ctx context.Context) app.CheckResult {
	step := t.d.cfg.Patience.Step
	from, err := t.send(ctx, promptCommand)
	if err != nil {
		return t.broke(err)
	}
	got, ok := t.events.wait(ctx, step, from, either(asks(app.KindApproval), isEnd))
	made := func() bool {
		_, err := os.Stat(filepath.Join(t.work, madeFile))
		return err == nil
	}
	if !ok {
		_ = t.client().Stop(ctx, t.session) // so that the next check finds it idle
		t.events.wait(ctx, step, from, isEnd)
		return failed("", t.find("approval_silent", step))
	}
	card, asked := got.Data.(*app.Interaction)
	switch {
	case !asked && made():
		return t.fails("approval_skipped")
	case !asked:
		r := t.fails("approval_refused")
		r.Finding.Detail = t.heardOf(callCommand)
		return r
	}
	took := got.here.Sub(t.model.calledAt(callCommand))
	if _, err := t.client().Answer(ctx, app.Answer{InteractionID: card.ID, Status: app.StatusAnswered, Action: app.ActionAllowOnce}); err != nil {
		return t.broke(err)
	}
	if _, ok := t.events.wait(ctx, step, from, isEnd); !ok || !made() {
		r := t.fails("approval_lost")
		r.Finding.Detail = t.heardOf(callCommand)
		return r
	}
	return passed(took)
}

// card waits for the card of a question that a prompt brings up; a result is
// returned when none comes.
func (t *trial) card(ctx context.Context, from int, call string) (told, *app.CheckResult) {
	step := t.d.cfg.Patience.Step
	got, ok := t.events.wait(ctx, step, from, either(asks(app.KindClarify), isEnd))
	if ok && got.Type != app.EventTurnCompleted {
		return got, nil
	}
	if !ok {
		_ = t.client().Stop(ctx, t.session)
		t.events.wait(ctx, step, from, isEnd)
	}
	r := t.fails("question_none")
	r.Finding.Detail = t.heardOf(call)
	return got, &r
}

// question has it ask, and answers.
func (t *trial) question(ctx context.Context) app.CheckResult {
	from, err := t.send(ctx, promptQuestion)
	if err != nil {
		return t.broke(err)
	}
	got, none := t.card(ctx, from, callQuestion)
	if none != nil {
		return *none
	}
	took := got.here.Sub(t.model.calledAt(callQuestion))
	id := got.Data.(*app.Interaction).ID
	if _, err := t.client().Answer(ctx, app.Answer{InteractionID: id, Status: app.StatusAnswered, Selected: []string{choiceYes}}); err != nil {
		return t.broke(err)
	}
	_, ended := t.events.wait(ctx, t.d.cfg.Patience.Step, from, isEnd)
	if heard, ok := t.model.result(callQuestion); !ended || !ok || !strings.Contains(heard.part.Text, `"`+choiceYes+`"`) {
		r := t.fails("question_lost")
		r.Finding.Detail = t.heardOf(callQuestion)
		return r
	}
	return passed(took)
}

// cancel stops it in mid-question: the turn must end, and the same process take
// the next message.
func (t *trial) cancel(ctx context.Context) app.CheckResult {
	step := t.d.cfg.Patience.Step
	from, err := t.send(ctx, promptStop)
	if err != nil {
		return t.broke(err)
	}
	if _, none := t.card(ctx, from, callStop); none != nil {
		return app.CheckResult{State: app.CheckNotTried, Finding: t.find("question_first")}
	}
	stopped := time.Now()
	if err := t.client().Stop(ctx, t.session); err != nil {
		return t.broke(err)
	}
	end, ok := t.events.wait(ctx, step, from, isEnd)
	if !ok {
		return failed("", t.find("cancel_stuck", step))
	}
	next, err := t.client().Send(ctx, t.session, api.NewMessage{Text: promptAfterStop})
	if err != nil {
		return t.broke(err)
	}
	after := t.word(ctx, of(next.TurnID), time.Now(), step)
	switch {
	case t.events.has(from, isExit):
		return t.fails("cancel_ignored")
	case after.State != app.CheckPassed:
		r := t.fails("cancel_deaf")
		r.Finding.Detail = after.Finding.Text
		return r
	case end.Data.(*app.TurnEnded).Status != app.TurnInterrupted:
		return t.fails("cancel_ignored")
	}
	return passed(end.here.Sub(stopped))
}

// resume ends the process and has another take the conversation up. It is the one
// that the probe of waiting is done with.
func (t *trial) resume(ctx context.Context) app.CheckResult {
	t.budget.Store(int64(t.d.cfg.Patience.Probe))
	if _, err := t.client().Close(ctx, t.session); err != nil {
		return t.broke(err)
	}
	if !t.patient.adapter.Info().Caps.Resume {
		r := t.again(ctx, promptResume)
		if r.State == app.CheckPassed {
			return app.CheckResult{State: app.CheckNotTried, Finding: t.find("resume_never")}
		}
		return r
	}
	began := time.Now()
	if _, err := t.client().Resume(ctx, t.session); err != nil {
		return t.broke(err)
	}
	next, err := t.client().Send(ctx, t.session, api.NewMessage{Text: promptResume})
	if err != nil {
		return t.broke(err)
	}
	r := t.word(ctx, of(next.TurnID), began, t.d.cfg.Patience.Start)
	switch {
	case r.State != app.CheckPassed && r.Finding.Code == "cannot_resume":
		// Not every release of a CLI can: this one says that it has no way to.
		if r = t.again(ctx, promptResume); r.State != app.CheckPassed {
			return r
		}
		return app.CheckResult{State: app.CheckNotTried, Finding: t.find("resume_never")}
	case r.State != app.CheckPassed && findings[r.Finding.Code] == words{}:
		t.again(ctx, promptResume) // for the probe
		return r                   // what it says itself tells more
	case r.State != app.CheckPassed:
		found := t.find("resume_failed")
		found.Detail = strings.TrimSpace(r.Finding.Text + "\n" + r.Finding.Detail)
		t.again(ctx, promptResume) // for the probe
		return failed("", found)
	case !t.model.knows(promptResume, promptHello):
		return t.fails("resume_forgot")
	}
	return r
}

// again begins another session.
func (t *trial) again(ctx context.Context, prompt string) app.CheckResult {
	began := time.Now()
	s, err := t.client().CreateSession(ctx, t.new(prompt))
	if err != nil {
		return t.broke(err)
	}
	t.session = s.ID
	return t.word(ctx, in(s.ID), began, t.d.cfg.Patience.Start)
}

// early is how much sooner than its limit a call may end, as clocks are read.
const early = 500 * time.Millisecond

// waits has it ask and lets the question wait. The CLI was given a limit far
// below the usual: one that keeps to that keeps to the usual one as well.
func (t *trial) waits(ctx context.Context) app.CheckResult {
	p := t.d.cfg.Patience
	from, err := t.send(ctx, promptWait)
	if err != nil {
		return t.broke(err)
	}
	if _, none := t.card(ctx, from, callWait); none != nil {
		return app.CheckResult{State: app.CheckNotTried, Finding: t.find("question_first")}
	}
	usual := t.usual()
	r := passed(usual.Limits.Transport())
	heard, ended := t.model.hears(ctx, p.Block, callWait)
	waited := heard.at.Sub(t.model.calledAt(callWait))
	r.TriedLimitMS, r.TriedMS = p.Probe.Milliseconds(), max(waited, 0).Milliseconds()
	switch {
	case !ended && t.events.has(from, isEnd):
		return t.fails("question_lost")
	case !ended:
		r.TriedMS = p.Block.Milliseconds()
		r.MS, r.State, r.Finding = p.Block.Milliseconds(), app.CheckWarning, t.find("waits_unmeasured", p.Block)
	case waited < p.Probe-early:
		r.MS, r.State, r.Finding = waited.Milliseconds(), app.CheckFailed, t.find("waits_early", waited, p.Probe)
		r.Finding.Detail = t.heardOf(callWait)
	case waited > p.Probe+p.Slack:
		r.MS, r.State, r.Finding = waited.Milliseconds(), app.CheckFailed, t.find("waits_own", waited)
		r.Finding.Detail = t.heardOf(callWait)
	case usual.Line > 0 && !usual.Off:
		r.State, r.Finding = app.CheckWarning, t.find("waits_override", usual.Limits.Transport())
		r.Finding.Line = usual.Line
	}
	return r
}

// heardOf is what the model read of a call, shortened.
func (t *trial) heardOf(call string) string {
	heard, ok := t.model.result(call)
	if !ok {
		return ""
	}
	text := []rune(agents.Redact(heard.part.Text))
	return string(text[:min(len(text), 500)])
}

// broke is a call to the back end that failed: a problem of ours, or of the
// install.
func (t *trial) broke(err error) app.CheckResult {
	return failed("", &app.Finding{Code: "trial_broke", Text: "The trial of " + t.name + " broke off.", Detail: app.ErrorMessage(err)})
}
