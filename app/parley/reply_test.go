package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app"
)

var (
	clarify = app.Interaction{ID: "i", SessionID: "s", Kind: app.KindClarify, Agent: "demo", Question: "Which?",
		Options: []app.Option{{Label: "Red", Recommended: true}, {Label: "green"}, {Label: "Green"}}}
	many = app.Interaction{ID: "i", SessionID: "s", Kind: app.KindClarify, Question: "Which?", MultiSelect: true,
		Options: []app.Option{{Label: "A"}, {Label: "B"}, {Label: "C"}}}
	open     = app.Interaction{ID: "i", SessionID: "s", Kind: app.KindClarify, Question: "Why?"}
	approval = app.Interaction{ID: "i", SessionID: "s", Kind: app.KindApproval, Agent: "demo",
		Approval: &app.Approval{Tool: "Bash", Title: "Run rm", Scopes: []app.Action{app.ActionAllowOnce, app.ActionAllowSession}}}
	form = app.Interaction{ID: "i", SessionID: "s", Kind: app.KindForm, ToolUseID: "t", Questions: []app.Field{
		{ID: "db", Question: "Database?", Type: app.FieldChoice, Required: true, FreeText: true, Options: []app.Option{{Label: "Postgres", Value: "pg"}, {Label: "SQLite", Value: "sl"}}},
		{ID: "cache", Question: "Caches?", Type: app.FieldChoice, MultiSelect: true, Options: []app.Option{{Label: "L1"}, {Label: "L2"}}},
		{ID: "note", Question: "Note?", Type: app.FieldText},
	}}
	elicit = app.Interaction{ID: "i", SessionID: "s", Kind: app.KindElicitation, Questions: []app.Field{
		{ID: "sure", Question: "Sure?", Type: app.FieldBoolean, Required: true}}}
	link = app.Interaction{ID: "i", SessionID: "s", Kind: app.KindElicitation, URL: "https://example.test", Question: "Log in"}
)

func answers(a app.Answer) app.Answer {
	a.InteractionID, a.SessionID = "i", "s"
	if a.Status == "" {
		a.Status = app.StatusAnswered
	}
	return a
}

func TestFlagsBecomeAnAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		in   app.Interaction
		said said
		want app.Answer
	}{
		"label":             {clarify, said{choose: texts{"Red"}}, app.Answer{Selected: []string{"Red"}}},
		"other case":        {clarify, said{choose: texts{"rED"}}, app.Answer{Selected: []string{"Red"}}},
		"exact before like": {clarify, said{choose: texts{"Green"}}, app.Answer{Selected: []string{"Green"}}},
		"own text":          {clarify, said{text: "blue"}, app.Answer{Text: "blue"}},
		"both":              {clarify, said{choose: texts{"Red"}, text: "but dark"}, app.Answer{Selected: []string{"Red"}, Text: "but dark"}},
		"several in order":  {many, said{choose: texts{"C", "A"}}, app.Answer{Selected: []string{"A", "C"}}},
		"without options":   {open, said{text: "because"}, app.Answer{Text: "because"}},
		"dismiss":           {clarify, said{dismiss: true}, app.Answer{Status: app.StatusCancelled}},
		"dismiss a form":    {form, said{dismiss: true, text: "do it alone"}, app.Answer{Status: app.StatusCancelled, Type: app.FormType, ToolUseID: "t", Message: "do it alone"}},
		"allow":             {approval, said{allow: "ONCE"}, app.Answer{Action: app.ActionAllowOnce}},
		"deny":              {approval, said{deny: true, reason: "no"}, app.Answer{Action: app.ActionDeny, Reason: "no"}},
		"form": {form, said{set: texts{"db=Postgres", "cache=L1", "cache=L2", "note=a=b"}}, app.Answer{Type: app.FormType, ToolUseID: "t",
			Answers: map[string][]string{"db": {"pg"}, "cache": {"L1", "L2"}}, Typed: map[string]string{"note": "a=b"}}},
		"form, own text": {form, said{set: texts{"db=CouchDB"}}, app.Answer{Type: app.FormType, ToolUseID: "t", Typed: map[string]string{"db": "CouchDB"}}},
		"lone field":     {elicit, said{choose: texts{"yes"}}, app.Answer{Action: app.ActionAccept, Answers: map[string][]string{"sure": {"true"}}}},
		"lone field set": {elicit, said{set: texts{"sure=false"}}, app.Answer{Action: app.ActionAccept, Answers: map[string][]string{"sure": {"false"}}}},
		"decline":        {elicit, said{decline: true}, app.Answer{Action: app.ActionDecline}},
		"link":           {link, said{choose: texts{"accept"}}, app.Answer{Action: app.ActionAccept}},
	} {
		got, err := c.said.answer(c.in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(answers(c.want), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestWrongFlagsAreWrongUsage(t *testing.T) {
	for name, c := range map[string]struct {
		in   app.Interaction
		said said
	}{
		"nothing":               {clarify, said{}},
		"blanks":                {clarify, said{text: "  "}},
		"no such option":        {clarify, said{choose: texts{"Blue"}}},
		"unclear case":          {clarify, said{choose: texts{"GREEN"}}},
		"two of one":            {clarify, said{choose: texts{"Red", "green"}}},
		"choose without any":    {open, said{choose: texts{"A"}}},
		"allow a question":      {clarify, said{allow: "once"}},
		"decline a question":    {clarify, said{decline: true}},
		"set on a question":     {clarify, said{set: texts{"a=b"}}},
		"dismiss and choose":    {clarify, said{dismiss: true, choose: texts{"Red"}}},
		"allow and deny":        {approval, said{allow: "once", deny: true}},
		"scope it can't":        {approval, said{allow: "always"}},
		"text on a permission":  {approval, said{text: "yes"}},
		"allow with a text":     {approval, said{allow: "once", text: "yes"}},
		"choose on a form":      {form, said{choose: texts{"pg"}}},
		"nothing on a form":     {form, said{}},
		"no such field":         {form, said{set: texts{"color=red"}}},
		"field without a value": {form, said{set: texts{"db"}}},
		"no such value":         {form, said{set: texts{"cache=L9"}}},
		"two values of one":     {form, said{set: texts{"db=pg", "db=sl"}}},
		"text on a yes or no":   {elicit, said{text: "perhaps"}},
	} {
		_, err := c.said.answer(c.in)
		if _, ok := errors.AsType[*usageError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestALineBecomesAReply(t *testing.T) {
	p := promptsOf(clarify)[0]
	m := promptsOf(many)[0]
	f := promptsOf(form)
	for name, c := range map[string]struct {
		prompt prompt
		line   string
		chosen string // labels, joined
		text   string
		bad    bool
	}{
		"number":            {p, " 2 ", "green", "", false},
		"text":              {p, "1 2 3 no, use 4", "", "1 2 3 no, use 4", false},
		"enter":             {p, "", "", "", true},
		"blanks":            {p, " \t ", "", "", true},
		"too high":          {p, "4", "", "", true},
		"zero":              {p, "0", "", "", true},
		"negative":          {p, "-1", "", "", true},
		"several of one":    {p, "1,2", "", "", true},
		"a number as text":  {p, "=4", "", "4", false},
		"several":           {m, "3, 1,1", "C,A", "", false},
		"open":              {promptsOf(open)[0], "42", "", "42", false},
		"optional":          {f[2], "", "", "", false},
		"no own text":       {f[1], "perhaps", "", "", true},
		"equals, no text":   {f[1], "=1", "", "", true},
		"permission, yes":   {promptsOf(approval)[0], "yes", "", "", true},
		"permission, third": {promptsOf(approval)[0], "3", "Deny", "", false},
	} {
		r, err := c.prompt.read(c.line)
		var got []string
		for _, o := range r.chosen {
			got = append(got, o.Label)
		}
		if (err != nil) != c.bad || strings.Join(got, ",") != c.chosen || r.text != c.text {
			t.Errorf("%s: chosen %q text %q err %v", name, got, r.text, err)
		}
	}
}

// One question at a time; one that is settled elsewhere makes room for the next;
// what is typed while nothing is asked answers nothing.
func TestQuestionsAreAskedInTurn(t *testing.T) {
	var errs bytes.Buffer
	p := &program{Stdio: Stdio{In: strings.NewReader(""), Err: &errs}}
	a := &asker{p: p, typed: make(chan typedLine)}
	enter := func(text string) *app.Answer { return a.line(typedLine{text, time.Now()}) }
	if got := enter("1"); got != nil {
		t.Fatalf("typed ahead: %+v", got)
	}
	first, second := clarify, form
	first.ID, second.ID = "one", "two"
	before := time.Now()
	a.add(first)
	if got := a.line(typedLine{"1", before}); got != nil {
		t.Fatalf("typed before the question: %+v", got)
	}
	a.add(second)
	a.drop("one") // answered in the window
	if got := enter("1"); got != nil {
		t.Fatalf("half a form: %+v", got)
	}
	enter("")
	got := enter("as you like")
	want := &app.Answer{InteractionID: "two", SessionID: "s", Type: app.FormType, ToolUseID: "t", Status: app.StatusAnswered,
		Answers: map[string][]string{"db": {"pg"}}, Typed: map[string]string{"note": "as you like"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := enter("again"); got != nil {
		t.Errorf("a line behind the answer: %+v", got)
	}
	a.again()
	if got := enter("/dismiss"); got == nil || got.Status != app.StatusCancelled || got.InteractionID != "two" {
		t.Errorf("dismissed: %+v", got)
	}
	a.drop("two")
	if a.waiting() || enter("x") != nil {
		t.Error("something is still asked")
	}
	if text := errs.String(); !strings.Contains(text, "★  1) Red\n") || !strings.Contains(text, "Caches?") {
		t.Errorf("shown:\n%s", text)
	}
}

// A person reads labels, so a label comes before the value of another option.
func TestALabelThatIsAnothersValue(t *testing.T) {
	in := app.Interaction{ID: "i", SessionID: "s", Kind: app.KindElicitation, Questions: []app.Field{
		{ID: "n", Question: "How many?", Type: app.FieldChoice, Options: []app.Option{{Label: "0", Value: "1"}, {Label: "1", Value: "2"}}}}}
	for label, want := range map[string]string{"0": "1", "1": "2", "2": "2"} {
		got, err := said{set: texts{"n=" + label}}.answer(in)
		if err != nil || got.Answers["n"][0] != want {
			t.Errorf("%s: %v, %v; want %s", label, got.Answers, err, want)
		}
	}
}
