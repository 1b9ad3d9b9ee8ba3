package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app"
	"parley/app/api"
)

func TestFlagsStandAnywhere(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		rest []string
		text string
		yes  bool
		bad  bool
	}{
		"before":      {[]string{"--yes", "--text", "x", "id"}, []string{"id"}, "x", true, false},
		"behind":      {[]string{"id", "--text=x", "--yes"}, []string{"id"}, "x", true, false},
		"between":     {[]string{"a", "--yes", "b"}, []string{"a", "b"}, "", true, false},
		"rest":        {[]string{"a", "--", "--yes", "b"}, []string{"a", "--yes", "b"}, "", false, false},
		"unknown":     {[]string{"id", "--no"}, nil, "", false, true},
		"value lacks": {[]string{"id", "--text"}, nil, "", false, true},
		"no value":    {[]string{"id", "--text", ""}, []string{"id"}, "", false, false},
		"empty":       {[]string{"a", "", "--yes"}, nil, "", false, true},
		"empty rest":  {[]string{"a", "--", ""}, nil, "", false, true},
	} {
		fs := flags("test")
		text, yes := fs.String("text", "", ""), fs.Bool("yes", false, "")
		rest, err := parse(fs, c.args)
		if (err != nil) != c.bad || !slices.Equal(rest, c.rest) && !c.bad || !c.bad && (*text != c.text || *yes != c.yes) {
			t.Errorf("%s: rest %q text %q yes %v err %v", name, rest, *text, *yes, err)
		}
		if _, ok := errors.AsType[*usageError](err); c.bad && !ok {
			t.Errorf("%s: %v is no usage error", name, err)
		}
	}
	if _, err := parse(flags("x"), []string{"-h"}); !errors.Is(err, errHelp) {
		t.Errorf("-h: %v", err)
	}
}

func TestWordsOfAgentsAreHarmlessToATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":             "plain\ttext\n",
		"\x1b]0;owned\x07title":     "]0;ownedtitle",
		"\x1b[2J\x1b[31mred":        "[2J[31mred",
		"back\rover":                "backover",
		"\u009b31m":                 "31m",
		"allow\u202eyned\u202c":     "allowyned",
		"\u2066x\u2069 \u200fy":     "x y",
		"De\u200blete\ufeff\u00ad":  "Delete",
		"名字 naïve 🙂 e\u0301 \u200d": "名字 naïve 🙂 e\u0301 \u200d",
	} {
		if got := plain(in); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
	if got := oneLine("a\n  b\x1b[0m "+strings.Repeat("界", 20), 10); got != "a b[0m 界界…" {
		t.Errorf("oneLine = %q", got)
	}
}

func TestEveryCauseHasWords(t *testing.T) {
	for _, c := range []app.Cause{
		app.CauseTurnEnded, app.CauseTurnStopped, app.CauseNewTurn, app.CauseSessionClosed, app.CauseQuit,
		app.CauseMCPCancelled, app.CauseConnectionClosed, app.CauseRestart, app.CauseAgentWithdrew,
	} {
		if got := settled(app.Outcome{Reason: app.ReasonCancelled, Cause: c}); strings.Contains(got, string(c)) {
			t.Errorf("the cause %q has no words: %q", c, got)
		}
	}
}

// What an agent writes stands indented below the line that says who asks: no
// text of its own begins a line as one of ours does.
func TestNoTextImitatesOurOwnLines(t *testing.T) {
	fake := "x\n? claude asks in /home\nparley answer 1"
	got := asked(app.Interaction{
		ID: "1", Agent: "a", Cwd: "/w\n? fake", Question: fake,
		Options:   []app.Option{{Label: fake, Description: fake}},
		Questions: []app.Field{{ID: "q\n? fake", Question: fake, Options: []app.Option{{Label: fake}}}},
	})
	for n, line := range strings.Split(got, "\n") {
		if n > 0 && !strings.HasPrefix(line, "  ") {
			t.Errorf("line %d is %q in\n%s", n, line, got)
		}
	}
}

// Nor does the question's text pass for an option or for our own advice, push the
// options out of sight, or steer the terminal; and no label passes for what is
// recommended.
func TestNoQuestionImitatesItsOptions(t *testing.T) {
	got := plain(asked(app.Interaction{
		ID: "1", Agent: "claude", Cwd: "/w",
		Question: "Go on?\n  - Allow once\n  parley answer 1 --allow always\nSystem: approved\x1b[2J\u202e" + strings.Repeat("\n", 4000) + "end" + strings.Repeat("\u0300", 500),
		Options:  []app.Option{{Label: "Yes"}, {Label: "★ Y\u200bes  (recommended)"}, {Label: "No", Recommended: true}},
	}))
	lines := strings.Split(got, "\n")
	if len(lines) > 12 || strings.ContainsAny(got, "\x1b\u202e\u200b") || strings.Count(got, "\u0300") > 4 {
		t.Errorf("shown in %d lines:\n%q", len(lines), got)
	}
	var options []string
	advice := 0
	for _, line := range lines {
		if strings.HasPrefix(line, "  - ") || strings.HasPrefix(line, "★ - ") {
			options = append(options, line)
		}
		if strings.HasPrefix(line, "  parley answer") {
			advice++
		}
	}
	if strings.Join(options, "\n") != "  - Yes\n  - ★ Yes  (recommended)\n★ - No" || advice != 1 {
		t.Errorf("shown:\n%s", got)
	}
}

func TestTimeLeft(t *testing.T) {
	for ms, want := range map[int64]string{299_000: "4 min 59 s", 0: "0 min 00 s", 3_660_000: "1 h 01 min"} {
		if got := left(app.Interaction{DeadlineAt: 1, RemainingTimeoutMS: ms}); got != want {
			t.Errorf("%d: %q", ms, got)
		}
	}
	if got := left(app.Interaction{}); got != "no limit" {
		t.Errorf("without a deadline: %q", got)
	}
}

// A turn that ends for a form says so, unless the form was quicker.
func TestAFormThatIsOverDoesNotWait(t *testing.T) {
	form := app.Event{Type: "form.requested", Data: &app.Interaction{ID: "f", Kind: app.KindForm}}
	closed := app.Event{Type: "form.resolved", Data: &app.InteractionResolved{InteractionID: "f", Kind: app.KindForm, Outcome: app.Outcome{Reason: app.ReasonDismissed}}}
	end := app.Event{Type: app.EventTurnCompleted, Data: &app.TurnEnded{Status: app.TurnDeferred}}
	for name, c := range map[string]struct {
		events []app.Event
		says   int
	}{
		"waits":            {[]app.Event{form, end}, 1},
		"closed before":    {[]app.Event{form, closed, end}, 0},
		"closed, and anew": {[]app.Event{form, end, closed, form, end}, 2},
	} {
		var out, errs bytes.Buffer
		p := &program{Stdio: Stdio{Out: &out, Err: &errs}}
		o := p.pretty(p.newAsker(false))
		for _, e := range c.events {
			if err := o.show(e); err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(errs.String(), "A form waits for its answer"); n != c.says {
			t.Errorf("%s: said %d times, not %d: %s", name, n, c.says, errs.String())
		}
	}
}

// The printed message is whole, whatever became of the deltas.
func TestLostDeltasAreRepaired(t *testing.T) {
	const whole = "one two three"
	delta := func(offset int, text string) app.Event {
		return app.Event{Type: app.EventMessageDelta, Data: &app.Delta{MessageID: "m", Offset: offset, Text: text}}
	}
	for name, deltas := range map[string][]app.Event{
		"all":         {delta(0, "one "), delta(4, "two "), delta(8, "three")},
		"none":        nil,
		"first lost":  {delta(4, "two "), delta(8, "three")},
		"middle lost": {delta(0, "one "), delta(8, "three")},
		"last lost":   {delta(0, "one ")},
		"repeated":    {delta(0, "one "), delta(0, "one "), delta(4, "two ")},
		"overlapping": {delta(0, "one t"), delta(4, "two ")},
	} {
		var out, errs bytes.Buffer
		p := &program{Stdio: Stdio{Out: &out, Err: &errs}}
		o := p.pretty(p.newAsker(false))
		for _, e := range append(deltas, app.Event{Type: app.EventMessageCompleted, Data: &app.MessageText{MessageID: "m", Text: whole}}) {
			if err := o.show(e); err != nil {
				t.Fatal(err)
			}
		}
		if out.String() != whole+"\n" {
			t.Errorf("%s: %q", name, out.String())
		}
	}
}

func TestOnlyTheAgentsWordsGoToStandardOutput(t *testing.T) {
	var out, errs bytes.Buffer
	p := &program{Stdio: Stdio{Out: &out, Err: &errs}}
	o := p.pretty(p.newAsker(false))
	for _, e := range []app.Event{
		{Type: app.EventReasoningDelta, Data: &app.Delta{MessageID: "r", Text: "hmm"}},
		{Type: app.EventMessageDelta, Data: &app.Delta{MessageID: "sub", Text: "inner", ParentToolID: "t"}},
		{Type: app.EventMessageDelta, Data: &app.Delta{MessageID: "m", Text: "Half"}},
		{Type: app.EventToolStarted, Data: &app.ToolStarted{Name: "Read", Title: "a\x1b[2Jb.txt"}},
		{Type: app.EventMessageCompleted, Data: &app.MessageText{MessageID: "m", Text: "Half done"}},
		{Type: "clarify.requested", Data: &app.Interaction{ID: "q-1", Agent: "demo", Question: "Which?", Options: []app.Option{{Label: "A", Recommended: true}}}},
		{Type: app.EventTurnCompleted, Data: &app.TurnEnded{Status: app.TurnFailed, Problem: &app.Problem{Title: "It broke.", Command: "fix it", Evidence: "l1\nl2"}}},
	} {
		if err := o.show(e); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := out.String(), "Half\n done\n"; got != want {
		t.Errorf("standard output %q, want %q", got, want)
	}
	for _, want := range []string{"· Read a[2Jb.txt\n", "★ - A\n", "parley answer q-1 --choose LABEL", "It broke.\n  fix it\n  | l1\n  | l2\n"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, errs.String())
		}
	}
}

func TestWhoWasFirst(t *testing.T) {
	at := time.Date(2026, 1, 2, 14, 5, 6, 0, time.Local).UnixMilli()
	for want, r := range map[string]*api.Resolved{
		"at 14:05:06:\n  answered in the window: Moin":     {Outcome: &app.Outcome{Reason: app.ReasonResponse, Response: "Moin", By: app.ByWindow, ResolvedAt: at}},
		"closed in a browser without":                      {Outcome: &app.Outcome{Reason: app.ReasonDismissed, By: app.ByBrowser, ResolvedAt: at}},
		"nobody answered in time":                          {Outcome: &app.Outcome{Reason: app.ReasonTimeout, ResolvedAt: at}},
		"withdrawn: the turn was stopped":                  {Outcome: &app.Outcome{Reason: app.ReasonCancelled, Cause: app.CauseTurnStopped, ResolvedAt: at}},
		"answered late on the command line at 14:05:06: x": {Outcome: &app.Outcome{}, Late: &app.Late{Response: "x", By: app.ByCLI, AnsweredAt: at}},
		"gone": {Err: app.Errorf(app.CodeAlreadyResolved, "It is gone.")},
	} {
		if got := settledBefore(r); !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

func TestPartOfAnID(t *testing.T) {
	list := []string{"0190-aaaa-1111", "0190-bbbb-2222", "0190-cccc-1111"}
	self := func(s string) string { return s }
	for part, want := range map[string]string{
		"0190-bbbb-2222": "0190-bbbb-2222", "2222": "0190-bbbb-2222", "0190-a": "0190-aaaa-1111",
		"bbb-": "0190-bbbb-2222", "ccc-1": "0190-cccc-1111", // as lists show them: bbb-2222, ccc-1111
		"1111": "more than one", "222": "none", "bbbb": "none", "": "none",
	} {
		got, err := find(list, part, "thing", self)
		_, usage := errors.AsType[*usageError](err)
		switch {
		case usage:
			got = "more than one"
		case app.ErrorCode(err) == app.CodeNotFound:
			got = "none"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", part, got, want)
		}
	}
}

func TestExportReadsLikeAConversation(t *testing.T) {
	var got strings.Builder
	for _, e := range []app.Event{
		{Type: app.EventTurnQueued, Data: &app.TurnText{Text: "later"}},
		{Type: app.EventTurnStarted, Data: &app.TurnText{Text: "Make a page"}},
		{Type: app.EventReasoningCompleted, Data: &app.MessageText{Text: "hidden"}},
		{Type: app.EventMessageCompleted, Data: &app.MessageText{Text: "I look."}},
		{Type: "clarify.requested", Data: &app.Interaction{Agent: "demo", Question: "Which?", Options: []app.Option{{Label: "A"}, {Label: "B"}}}},
		{Type: "clarify.resolved", Data: &app.InteractionResolved{Outcome: app.Outcome{Reason: app.ReasonResponse, Response: "B", By: app.ByCLI}}},
		{Type: app.EventFileChanged, Data: &app.FileChanged{Path: "x.html", Change: app.FileAdded}},
		{Type: app.EventTurnCompleted, Data: &app.TurnEnded{Status: app.TurnInterrupted}},
	} {
		got.WriteString(markdown(e))
	}
	want := "\n## You\n\nMake a page\n\nI look.\n\n> **demo asks:** Which?\n>  - A\n>  - B\n> answered on the command line: B\n- added `x.html`\n\n*The turn ended: interrupted*\n"
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

// Who calls a command wrongly is sent to the help of that command, with flags
// spelled as it spells them.
func TestWrongUsageNamesItsHelp(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"questions --bogus", "flag provided but not defined: --bogus.\nSee: parley help questions\n"},
		{"run --json=maybe x", `invalid boolean value "maybe" for --json.` + "\nSee: parley help run\n"},
		{"nope", "parley knows no command \"nope\".\nSee: parley help\n"},
	} {
		var errs strings.Builder
		code := Run(t.Context(), strings.Fields(test.args), Stdio{In: strings.NewReader(""), Out: io.Discard, Err: &errs})
		if code != exitUsage || !strings.HasSuffix(errs.String(), test.want) {
			t.Errorf("parley %s: code %d, %q", test.args, code, errs.String())
		}
	}
}

func TestEveryCommandHasHelp(t *testing.T) {
	for name := range commands {
		if name == "help" || name == "version" {
			continue
		}
		for _, args := range [][]string{{"help", name}, {name, "--help"}} {
			var out, errs bytes.Buffer
			if code := Run(context.Background(), args, Stdio{Out: &out, Err: &errs}); code != exitDone || !strings.Contains(out.String(), "parley "+name) {
				t.Errorf("%v: code %d, %q %q", args, code, out.String(), errs.String())
			}
		}
		if !strings.Contains(overview, "parley "+name) {
			t.Errorf("the overview lacks %s", name)
		}
	}
}

func TestAPermissionSaysWhyItIsRisky(t *testing.T) {
	asked := promptsOf(app.Interaction{Kind: app.KindApproval, Approval: &app.Approval{
		Title: "Run a command", Command: "git push -f", Scopes: []app.Action{app.ActionAllowOnce},
		Risks:   []app.Risk{app.RiskForcePush, app.RiskNetwork},
		Reasons: []app.RiskReason{{Risk: app.RiskForcePush, Words: "push -f"}, {Risk: app.RiskNetwork, Words: "git push"}},
	}})
	want := "Careful: it would rewrite shared history (push -f).\nCareful: it uses the network (git push).\nAllow it?"
	if len(asked) != 1 || asked[0].text != want {
		t.Errorf("asked %+v", asked)
	}
}
