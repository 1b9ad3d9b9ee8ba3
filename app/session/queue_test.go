package session_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley/agents"
	"parley/app"
	"parley/app/session"
)

// begun lists the texts of the turns that began, in order.
func (w *world) begun(id app.SessionID) []string {
	var out []string
	for _, e := range w.tape.All() {
		if d, ok := e.Data.(app.TurnText); ok && e.Type == app.EventTurnStarted && e.SessionID == id {
			out = append(out, d.Text)
		}
	}
	return out
}

func TestQueueKeepsItsOrder(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	ctx := context.Background()
	first := w.send(s.ID, "tool t1\napprove a1")
	w.began(first, "t1")
	var ids []app.TurnID
	for _, text := range []string{"say m b", "say m c", "say m d", "say m e"} {
		turn, queued, err := w.m.Send(ctx, s.ID, app.Input{Text: text})
		if err != nil || !queued {
			t.Fatalf("queued %v, %v", queued, err)
		}
		ids = append(ids, turn)
	}
	text, top := "say m D", 0
	if err := w.m.ChangeQueued(ctx, s.ID, ids[2], &text, &top); err != nil {
		t.Fatal(err)
	}
	if err := w.m.DropQueued(ctx, s.ID, ids[1]); err != nil {
		t.Fatal(err)
	}
	if err := w.m.DropQueued(ctx, s.ID, first); app.ErrorCode(err) != app.CodeSessionBusy {
		t.Fatalf("a running one was dropped: %v", err)
	}
	w.answer(w.asked(first).ID, "")
	w.ended(ids[3])
	want := []string{"tool t1\napprove a1", "say m D", "say m b", "say m e"}
	if got := w.begun(s.ID); !slices.Equal(got, want) {
		t.Fatalf("began %q, want %q", got, want)
	}
	var sent []string
	for _, turn := range w.ad.turns {
		sent = append(sent, turn.Text)
	}
	if !slices.Equal(sent, want) {
		t.Fatalf("sent %q, want %q", sent, want)
	}
}

// What waits survives a restart, is not sent unasked, and goes out in order
// with the next message.
func TestQueueSurvivesARestart(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	first := w.send(s.ID, "tool t1\nwait")
	w.began(first, "t1")
	w.send(s.ID, "say m b")
	w.send(s.ID, "say m c")
	w.open()
	if got := w.session(s.ID); got.State != app.StateIdle || len(got.Queued) != 2 || !got.Queued[0].Held {
		t.Fatalf("session %+v", got)
	}
	launches := w.ad.launches()
	last := w.send(s.ID, "say m d")
	w.ended(last)
	if got, want := w.begun(s.ID)[1:], []string{"say m b", "say m c", "say m d"}; !slices.Equal(got, want) {
		t.Fatalf("began %q, want %q", got, want)
	}
	if w.ad.launches() != launches+1 || w.ad.lastSpec().NativeID == "" {
		t.Fatalf("%d launches, native id %q", w.ad.launches(), w.ad.lastSpec().NativeID)
	}
}

func TestSteer(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	ctx := context.Background()
	turn := w.send(s.ID, "tool t1\nwait")
	w.began(turn, "t1")
	got, queued, err := w.m.Send(ctx, s.ID, app.Input{Text: "left!", Steer: true})
	if err != nil || queued || got != turn {
		t.Fatalf("steered %s, %v, %v", got, queued, err)
	}
	w.tape.Wait("steered text", func(e app.Event) bool {
		d, ok := e.Data.(app.MessageText)
		return ok && d.Text == "steered: left!" && e.TurnID == turn
	})
	w.tape.Wait("turn.steered", func(e app.Event) bool {
		d, ok := e.Data.(app.TurnText)
		return ok && e.Type == app.EventTurnSteered && e.TurnID == turn && d.Text == "left!"
	})
	if err := w.m.Stop(ctx, s.ID); err != nil {
		t.Fatal(err)
	}
	w.ended(turn)
	// With nothing to steer it is an ordinary message.
	next, queued, err := w.m.Send(ctx, s.ID, app.Input{Text: "say m x", Steer: true})
	if err != nil || queued || next == turn {
		t.Fatalf("sent %s, %v, %v", next, queued, err)
	}
	w.ended(next)
}

func TestBadMessages(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	for text, code := range map[string]app.Code{
		"": app.CodeInvalidArgument, " \n\t": app.CodeInvalidArgument, strings.Repeat("x", 1<<20+1): app.CodePayloadTooLarge,
	} {
		if _, _, err := w.m.Send(context.Background(), s.ID, app.Input{Text: text}); app.ErrorCode(err) != code {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	for _, path := range []string{"relative.txt", w.dir, w.dir + "/gone"} {
		in := app.Input{Text: "x", Attachments: []app.Attachment{{Path: path}}}
		if _, _, err := w.m.Send(context.Background(), s.ID, in); app.Wire(err).Field != "attachments[0].path" {
			t.Errorf("attached %s: %v", path, err)
		}
	}
	if _, _, err := w.m.Send(context.Background(), "nobody", app.Input{Text: "x"}); app.ErrorCode(err) != app.CodeNotFound {
		t.Errorf("an unknown session: %v", err)
	}
	if len(w.ad.turns) != 0 {
		t.Fatal("something was sent")
	}
}

// The end of a turn that the CLI began by itself may come when a person's
// message is already on its way: it ends nothing of the person's.
func TestTheEndOfItsOwnTurnEndsNoOther(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "ownend\nsay m the answer\ntool t1")
	if end := w.ended(turn); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v", end)
	}
	if got := w.texts(turn)["m"].Text; got != "the answer" {
		t.Fatalf("the turn ended before its answer: %q", got)
	}
}

// A turn that the CLI begins by itself is recorded as such, cannot reach the
// person through our tools, and messages wait behind it.
func TestUnrequestedTurn(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	first := w.send(s.ID, "began a task has finished")
	w.ended(first)
	launch, id := w.launchOf(), w.contextOf()
	e := w.tape.Wait("unrequested turn", func(e app.Event) bool {
		d, ok := e.Data.(app.TurnText)
		return ok && d.Unrequested && e.Type == app.EventTurnStarted
	})
	if d := e.Data.(app.TurnText); d.Text != "a task has finished" {
		t.Fatalf("began with %+v", d)
	}
	if a := <-w.clarify(context.Background(), launch.ID, id, ""); app.ErrorCode(a.err) != app.CodeContextUnavailable {
		t.Fatalf("asked: %+v", a)
	}
	turn, queued, err := w.m.Send(context.Background(), s.ID, app.Input{Text: "say m x"})
	if err != nil || !queued {
		t.Fatalf("queued %v, %v", queued, err)
	}
	if err := w.m.Stop(context.Background(), s.ID); err != nil {
		t.Fatal(err)
	}
	w.ended(e.TurnID)
	if err := w.m.Resume(context.Background(), s.ID); err != nil {
		t.Fatal(err)
	}
	w.ended(turn)
}

// Permission is asked of the person, also by a sub-agent, and says so; a
// question of a sub-agent's own is refused.
func TestApprovalsAndNativeQuestions(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "tool t1\nsay m1 I will delete it\napprove a1 t1\nnative n1 t1\nnative n2")
	in := w.asked(turn)
	if in.Kind != app.KindApproval || in.ParentToolID != "t1" || in.SaidBefore != "I will delete it" || in.Approval == nil ||
		!slices.Equal(in.Approval.Scopes, []app.Action{app.ActionAllowOnce}) || !slices.Contains(in.Approval.Risks, app.RiskDelete) {
		t.Fatalf("asked %+v %+v", in, in.Approval)
	}
	w.answer(in.ID, "")
	native := w.tape.Wait("native question", func(e app.Event) bool { return e.Type == "native.requested" }).Data.(app.Interaction)
	if native.ToolUseID != "n2" || len(native.Questions) != 1 || len(native.Questions[0].Options) != 2 {
		t.Fatalf("asked %+v", native)
	}
	w.answer(native.ID, "B")
	w.ended(turn)
	texts := w.texts(turn)
	if !strings.Contains(texts["answer-a1"].Text, `"Action":"allow_once"`) || !strings.Contains(texts["answer-n1"].Text, "sub-agent") ||
		!strings.Contains(texts["answer-n2"].Text, `"Reason":"response"`) {
		t.Fatalf("answers %+v", texts)
	}
}

// An unattended session asks nobody: what would be asked is refused with a
// text, recorded, and the turn goes on.
func TestUnattendedSessionAsksNobody(t *testing.T) {
	for _, kind := range []app.SessionKind{app.KindWorkflow, app.KindBackground} {
		w := newWorld(t)
		s := w.create(app.NewSession{Kind: kind})
		turn := w.send(s.ID, "approve a1\nnative n1\ntool t1\nwait")
		w.began(turn, "t1")
		launch, id := w.launchOf(), w.contextOf()
		if a := <-w.clarify(context.Background(), launch.ID, id, ""); app.ErrorCode(a.err) != app.CodeContextUnavailable {
			t.Fatalf("asked: %+v", a)
		}
		if _, err := w.m.UpdatePlan(context.Background(), launch.ID, id, "", "", []app.PlanStep{{ID: "1", Step: "a", Status: app.StepPending}}); err != nil {
			t.Fatalf("plan: %v", err)
		}
		if err := w.m.Stop(context.Background(), s.ID); err != nil {
			t.Fatal(err)
		}
		w.ended(turn)
		texts := w.texts(turn)
		for _, id := range []string{"answer-a1", "answer-n1"} {
			if !strings.Contains(texts[id].Text, "unattended") {
				t.Fatalf("%s: %+v", id, texts)
			}
		}
		notices := slices.DeleteFunc(w.tape.All(), func(e app.Event) bool { d, ok := e.Data.(app.Notice); return !ok || d.Code != "ask_refused" })
		if len(notices) != 2 {
			t.Fatalf("notices %+v", notices)
		}
		for _, e := range w.tape.All() {
			if _, ok := e.Data.(app.Interaction); ok {
				t.Fatalf("somebody was asked: %+v", e)
			}
		}
	}
}

// A late answer quotes the question, waits behind the running turn, and is
// marked as delivered once it has gone out.
func TestLateAnswer(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "tool t1\nnative n1")
	in := w.asked(turn)
	kill(t, w, s.ID)
	w.ended(turn)
	// The agent is done with it before its sender comes to say that it is sent.
	ended := make(chan struct{})
	w.ad.mu.Lock()
	w.ad.sent = func(agents.Turn) { <-ended }
	w.ad.mu.Unlock()
	reply, err := w.desk.Answer(context.Background(), app.Answer{
		InteractionID: in.ID, Status: app.StatusAnswered, Answers: map[string][]string{"q": {"B"}}, Typed: map[string]string{"q": "but small"},
	})
	if err != nil || !reply.Late {
		t.Fatalf("answered %+v, %v", reply, err)
	}
	w.ended(reply.TurnID)
	close(ended)
	w.tape.Wait("the delivery", func(e app.Event) bool {
		d, ok := e.Data.(app.InteractionDelivered)
		return ok && d.InteractionID == in.ID
	})
	got := w.ad.lastTurn().Text
	for _, part := range []string{"Late answer to: “May I?”", "Which?", "B", "but small"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q lacks %q", got, part)
		}
	}
}

func TestCreateRefusesWhatCannotWork(t *testing.T) {
	w := newWorld(t, func(c *session.Config, _ *adapter) { c.Root = true })
	for name, c := range map[string]struct {
		new  app.NewSession
		code app.Code
	}{
		"unknown agent":    {app.NewSession{Agent: "nobody", Cwd: w.dir}, app.CodeInvalidArgument},
		"unknown mode":     {app.NewSession{Agent: "claude", Cwd: w.dir, Mode: "yolo"}, app.CodeInvalidArgument},
		"full as root":     {app.NewSession{Agent: "claude", Cwd: w.dir, Mode: "full"}, app.CodeModeRefused},
		"long profile":     {app.NewSession{Agent: "claude", Cwd: w.dir, Profile: strings.Repeat("x", 65)}, app.CodeInvalidArgument},
		"odd profile":      {app.NewSession{Agent: "claude", Cwd: w.dir, Profile: "a\nb"}, app.CodeInvalidArgument},
		"profile for all":  {app.NewSession{Agent: "claude", Cwd: w.dir, Profile: "*"}, app.CodeInvalidArgument},
		"no folder":        {app.NewSession{Agent: "claude"}, app.CodeFolderUnusable},
		"relative folder":  {app.NewSession{Agent: "claude", Cwd: "x"}, app.CodeFolderUnusable},
		"missing folder":   {app.NewSession{Agent: "claude", Cwd: w.dir + "/gone"}, app.CodeFolderUnusable},
		"folder is a file": {app.NewSession{Agent: "claude", Cwd: w.ad.program}, app.CodeFolderUnusable},
	} {
		if _, err := w.m.Create(context.Background(), c.new); app.ErrorCode(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.cfg.Install = func(context.Context, agents.Family) (agents.Install, error) {
		return agents.Install{Problem: &agents.Problem{Code: "not_logged_in", Title: "It is not logged in."}}, nil
	}
	w.open()
	if _, err := w.m.Create(context.Background(), app.NewSession{Agent: "claude", Cwd: w.dir}); app.ErrorCode(err) != app.CodeAgentNotLoggedIn {
		t.Errorf("not logged in: %v", err)
	}
	if list, err := w.db.Sessions(context.Background()); err != nil || len(list) != 0 {
		t.Fatalf("made %v, %v", list, err)
	}
}
