package core_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
	"parley/mcp"
)

func text(id, question string) app.Field {
	return app.Field{ID: id, Question: question, Type: app.FieldText, Options: []app.Option{}, Required: true, FreeText: true}
}

// choice is a choice between options, each "label", "label=value" or either with
// a "*" before it when it is recommended.
func choice(id, question string, options ...string) app.Field {
	f := text(id, question)
	f.Type = app.FieldChoice
	for _, o := range options {
		bare, recommended := strings.CutPrefix(o, "*")
		label, value, ok := strings.Cut(bare, "=")
		if !ok {
			value = label
		}
		f.Options = append(f.Options, app.Option{Label: label, Value: value, Recommended: recommended})
	}
	return f
}

func multi(f app.Field) app.Field { f.MultiSelect = true; return f }

func with(f app.Field, change func(*app.Field)) app.Field { change(&f); return f }

// taken are spellings of a question that are taken for what they mean.
var taken = []struct {
	spelled string
	means   app.Field
}{
	{`{"id":"a1","question":"Q"}`, text("a1", "Q")},
	{`{"id":"a2","title":"Q","input_type":"textarea"}`, text("a2", "Q")},
	{`{"id":"a3","prompt":"Q","inputType":"long-text"}`, text("a3", "Q")},
	{`{"id":"a4","label":"Q","question_type":"Short Text"}`, text("a4", "Q")},
	{`{"id":"a5","text":"Q","questionType":"STRING"}`, text("a5", "Q")},
	{`{"id":"a6","question":" ","title":"Q","type":"input"}`, text("a6", "Q")},
	{`{"id":"a7","question":"Q","type":"free_text","options":[]}`, text("a7", "Q")},
	{`{"id":"a8","question":"Q","type":"radio"}`, text("a8", "Q")},
	{`{"id":"a9","question":"Q","type":"hologram"}`, text("a9", "Q")},
	{`{"id":"a10","question":"Q","type":"hologram","options":["x","y"]}`, choice("a10", "Q", "x", "y")},
	{`{"id":"a11","question":"Q","options":["x"]}`, choice("a11", "Q", "x")},
	{`{"id":"a12","type":"single_choice(question(Really?))","options":["yes","no"]}`, choice("a12", "Really?", "yes", "no")},
	{`{"id":"a13","type":"text(Why?)"}`, text("a13", "Why?")},
	{`{"id":"a14","question":"Q","type":"dropdown","options":[{"name":"x"},{"text":"y","value":"Y"},{"title":"z","value":3}]}`, choice("a14", "Q", "x", "y=Y", "z=3")},
	{`{"id":"a15","question":"Q","type":"select","options":["x (Recommended)","y（推荐）","z(推荐)"]}`, choice("a15", "Q", "*x", "*y", "*z")},
	{`{"id":"a16","question":"Q","type":"enum","options":[{"label":"x","recommended":true},1,true]}`, choice("a16", "Q", "*x", "1", "true")},
	{`{"id":"a17","question":"Q","type":"checkbox","options":["x","y","x"]}`, multi(choice("a17", "Q", "x", "y"))},
	{`{"id":"a18","question":"Q","type":"Multiple Choice","options":["x"]}`, multi(choice("a18", "Q", "x"))},
	{`{"id":"a19","question":"Q","multiSelect":true,"options":["x"]}`, multi(choice("a19", "Q", "x"))},
	{`{"id":20,"question":"Q","multiple":"true","options":"[\"x\"]"}`, multi(choice("20", "Q", "x"))},

	{`{"id":"b1","question":"Q","multi":true,"options":["x","y"],"default":["y","x"]}`, with(multi(choice("b1", "Q", "x", "y")), func(f *app.Field) { f.Default = []string{"y", "x"} })},
	{`{"id":"b2","question":"Q","options":[{"label":"x","value":"1"}],"default":"x"}`, with(choice("b2", "Q", "x=1"), func(f *app.Field) { f.Default = []string{"1"} })},
	{`{"id":"b3","question":"Q","default":"d","placeholder":"p","required":false}`, with(text("b3", "Q"), func(f *app.Field) { f.Default, f.Placeholder, f.Required = []string{"d"}, "p", false })},
	{`{"id":"b4","question":"Q","required":"false","default":7}`, with(text("b4", "Q"), func(f *app.Field) { f.Default, f.Required = []string{"7"}, false })},
	{`"Just a text?"`, text("q5", "Just a text?")},
	{`{"question":"No id"}`, text("q6", "No id")},
	{`{"id":"b7","question":"Q","choices":["x"],"unknown":{"a":1},"session_id":"s"}`, choice("b7", "Q", "x")},
	{`{"id":"b8","question":"Q","input_type":null,"options":null,"default":null}`, text("b8", "Q")},
	{`{"id":"b9","question":"Q","multi_select":false,"type":"checkboxes","options":["x"]}`, multi(choice("b9", "Q", "x"))},
	{`{"id":"b10","question":"Q","options":[{"value":"only"}]}`, choice("b10", "Q", "only")},
}

// whole are spellings of all arguments.
var whole = []struct {
	spelled string
	means   []app.Field
}{
	{`{"questions":"[{\"id\":\"c1\",\"question\":\"Q\"}]"}`, []app.Field{text("c1", "Q")}},
	{`{"questions":{"id":"c2","question":"Q","options":["x"]}}`, []app.Field{choice("c2", "Q", "x")}},
	{`{"questions":"{\"id\":\"c3\",\"question\":\"Q\"}"}`, []app.Field{text("c3", "Q")}},
}

// refusedForms are arguments that have no meaning, the part at fault, and words
// of what would be right.
var refusedForms = []struct{ arguments, field, limit string }{
	{`{}`, "questions", "a list of questions"},
	{`{"questions":null}`, "questions", "a list of questions"},
	{`{"questions":[]}`, "questions", "1 to 20"},
	{`{"questions":7}`, "questions", "a list"},
	{`{"questions":true}`, "questions", "a list"},
	{`{"questions":"Which one?"}`, "questions", "a list"},
	{`{"questions":"[{"}`, "questions", "a list"},
	{`{"question":"Which one?"}`, "questions", "a list"},
	{`{"questions":[` + strings.Repeat(`"q",`, 20) + `"q"]}`, "questions", "1 to 20"},
	{`{"questions":[null]}`, "questions[0]", "an object"},
	{`{"questions":[7]}`, "questions[0]", "an object"},
	{`{"questions":[[]]}`, "questions[0]", "an object"},
	{`{"questions":["fine",false]}`, "questions[1]", "an object"},
	{`{"questions":[{}]}`, "questions[0].question", "1 to 4000"},
	{`{"questions":[{"id":"a"}]}`, "questions[0].question", "1 to 4000"},
	{`{"questions":[{"question":""}]}`, "questions[0].question", "1 to 4000"},
	{`{"questions":[{"question":"\u200b \t"}]}`, "questions[0].question", "1 to 4000"},
	{`{"questions":[{"question":["Q"]}]}`, "questions[0].question", "a text"},
	{`{"questions":[{"question":{"text":"Q"}}]}`, "questions[0].question", "a text"},
	{`{"questions":[{"question":"` + strings.Repeat("q", 4001) + `"}]}`, "questions[0].question", "1 to 4000"},
	{`{"questions":[{"id":"` + strings.Repeat("i", 101) + `","question":"Q"}]}`, "questions[0].id", "1 to 100"},
	{`{"questions":[{"id":["a"],"question":"Q"}]}`, "questions[0].id", "a text"},
	{`{"questions":[{"id":"a","question":"Q"},{"id":"a","question":"R"}]}`, "questions[1].id", "unique"},
	{`{"questions":[{"id":"q2","question":"Q"},{"question":"R"}]}`, "questions[1].id", "unique"},
	{`{"questions":[{"question":"Q","input_type":["choice"]}]}`, "questions[0].input_type", "a text"},
	{`{"questions":[{"question":"Q","type":"text","options":["x"]}]}`, "questions[0].input_type", "leave the options out"},
	{`{"questions":[{"question":"Q","inputType":"textarea","options":["x","y"]}]}`, "questions[0].input_type", "leave the options out"},
	{`{"questions":[{"question":"Q","options":{"x":"y"}}]}`, "questions[0].options", "a list"},
	{`{"questions":[{"question":"Q","options":"x, y"}]}`, "questions[0].options", "a list"},
	{`{"questions":[{"question":"Q","choices":7}]}`, "questions[0].choices", "a list"},
	{`{"questions":[{"question":"Q","options":[null]}]}`, "questions[0].options[0]", "an object with label"},
	{`{"questions":[{"question":"Q","options":[["x"]]}]}`, "questions[0].options[0]", "an object with label"},
	{`{"questions":[{"question":"Q","options":[{}]}]}`, "questions[0].options[0].label", "1 to 500"},
	{`{"questions":[{"question":"Q","options":[" "]}]}`, "questions[0].options[0].label", "1 to 500"},
	{`{"questions":[{"question":"Q","options":[{"label":{"en":"x"}}]}]}`, "questions[0].options[0].label", "a text"},
	{`{"questions":[{"question":"Q","options":["` + strings.Repeat("x", 501) + `"]}]}`, "questions[0].options[0].label", "1 to 500"},
	{`{"questions":[{"question":"Q","options":[{"label":"x","value":"` + strings.Repeat("x", 501) + `"}]}]}`, "questions[0].options[0].value", "at most 500"},
	{`{"questions":[{"question":"Q","options":[{"label":"x","value":["1"]}]}]}`, "questions[0].options[0].value", "a text"},
	{`{"questions":[{"question":"Q","options":[{"label":"x","recommended":"maybe"}]}]}`, "questions[0].options[0].recommended", "true or false"},
	{`{"questions":[{"question":"Q","options":["x",{"label":"x","value":"1"}]}]}`, "questions[0].options[1]", "unlike every other"},
	{`{"questions":[{"question":"Q","options":[{"label":"x","value":"1"},{"label":"y","value":"1"}]}]}`, "questions[0].options[1]", "unlike every other"},
	{`{"questions":[{"question":"Q","options":[{"label":"x","value":"y"},{"label":"y","value":"x"}]}]}`, "questions[0].options[1]", "unlike every other"},
	{`{"questions":[{"question":"Q","options":[` + strings.TrimSuffix(strings.Repeat(`"x",`, 51), ",") + `]}]}`, "questions[0].options", "at most 50"},
	{`{"questions":[{"question":"Q","multi_select":"yes","options":["x"]}]}`, "questions[0].multi_select", "true or false"},
	{`{"questions":[{"question":"Q","multiple":1,"options":["x"]}]}`, "questions[0].multiple", "true or false"},
	{`{"questions":[{"question":"Q","required":"perhaps"}]}`, "questions[0].required", "true or false"},
	{`{"questions":[{"question":"Q","options":["x"],"default":"z"}]}`, "questions[0].default", "value of one of the options"},
	{`{"questions":[{"question":"Q","options":["x","y"],"default":["x","y"]}]}`, "questions[0].default", "one value"},
	{`{"questions":[{"question":"Q","default":["a","b"]}]}`, "questions[0].default", "one value"},
	{`{"questions":[{"question":"Q","default":{"a":1}}]}`, "questions[0].default", "a text, or a list"},
	{`{"questions":[{"question":"Q","default":[["a"]]}]}`, "questions[0].default[0]", "a text"},
	{`{"questions":[{"question":"Q","default":"` + strings.Repeat("d", 4001) + `"}]}`, "questions[0].default", "at most 4000"},
	{`{"questions":[{"question":"Q","placeholder":["p"]}]}`, "questions[0].placeholder", "a text"},
	{`{"questions":[{"question":"Q","placeholder":"` + strings.Repeat("p", 501) + `"}]}`, "questions[0].placeholder", "at most 500"},
	{`{"questions":"{\"id\":}"}`, "questions", "a list"},
	{`{"questions":[{"question":"Q"},"",{"question":"R"}]}`, "questions[1].question", "1 to 4000"},
	{`{"questions":[{"title":["T"]}]}`, "questions[0].title", "a text"},
	{`{"questions":[{"question":"Q","questionType":{"a":1}}]}`, "questions[0].questionType", "a text"},
	{`{"questions":[{"type":"text(Why?)","options":["x"]}]}`, "questions[0].input_type", "leave the options out"},
	{`{"questions":[{"question":"Q","options":"[\"x\""}]}`, "questions[0].options", "a list"},
	{`{"questions":[{"question":"Q","options":[{"name":["x"]}]}]}`, "questions[0].options[0].name", "a text"},
	{`{"questions":[{"question":"Q","multiSelect":{},"options":["x"]}]}`, "questions[0].multiSelect", "true or false"},
	{`{"questions":[{"question":"Q","required":[]}]}`, "questions[0].required", "true or false"},
	{`{"questions":[{"question":"Q","multi":true,"options":["x"],"default":["x","z"]}]}`, "questions[0].default", "value of one of the options"},
	{`["Q"]`, "arguments", "an object"},
	{`"Q"`, "arguments", "an object"},
	{`7`, "arguments", "an object"},
}

// Every spelling of a question arrives at the person as what it means, through
// the whole stack.
func TestFormsAreTakenForWhatTheyMean(t *testing.T) {
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s := create(t, b.Client, api.NewSession{})
	show := func(arguments string) []app.Field {
		t.Helper()
		in := tape.Asked(send(t, b.Client, s.ID, "form "+arguments), app.KindForm)
		tape.Ended(in.RunID)
		a := answerTo(in)
		a.Status = app.StatusCancelled
		if _, err := b.Client.Answer(ctx, a); err != nil {
			t.Fatal(err)
		}
		return in.Questions
	}
	for rows := range slices.Chunk(taken, 20) {
		var spelled []string
		for _, r := range rows {
			spelled = append(spelled, r.spelled)
		}
		got := show(`{"questions":[` + strings.Join(spelled, ",") + `]}`)
		for i, r := range rows {
			if diff := cmp.Diff(r.means, got[i]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", r.spelled, diff)
			}
		}
	}
	for _, r := range whole {
		if diff := cmp.Diff(r.means, show(r.spelled)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", r.spelled, diff)
		}
	}
}

// rpc is a client of parley-mcp that speaks raw lines.
type rpc struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Scanner
}

// toolResult is what a model gets.
type toolResult struct {
	IsError    bool `json:"isError"`
	Structured struct {
		Code, Message, Field, Limit, Got string
		Deferred                         bool `json:"__deferred_user_input__"`
		Success                          bool
		Status                           string
		AskID                            string `json:"ask_id"`
	} `json:"structuredContent"`
}

func (c *rpc) call(id int, tool, arguments string) toolResult {
	c.t.Helper()
	fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, tool, arguments)
	for c.out.Scan() {
		var m struct {
			ID     int
			Result *toolResult
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(c.out.Bytes(), &m); err != nil {
			c.t.Fatalf("no JSON: %s", c.out.Bytes())
		}
		if m.ID != id {
			continue
		}
		if m.Error != nil {
			return toolResult{IsError: true}
		}
		return *m.Result
	}
	c.t.Fatal("parley-mcp ended")
	panic("unreachable")
}

// asAgent starts parley-mcp as the agent that runs would, with its credential.
func asAgent(t *testing.T, b *backend.Backend) *rpc {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(b.Dirs.Runs(), "*", "credential.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("credentials %v, %v", found, err)
	}
	cmd := exec.Command(apptest.Program(t, "parley-mcp"), "interaction")
	cmd.Env = append(os.Environ(), mcp.EnvRunCredential+"="+found[0], mcp.EnvUserClarification+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	c := &rpc{t: t, in: in, out: bufio.NewScanner(out)}
	c.out.Buffer(nil, 4<<20)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	c.out.Scan()
	return c
}

// What has no meaning is refused with the part at fault, and counts for nothing:
// the turn goes on, and a form that can be read is shown. A client that still
// listens when its run has ended for it is told so.
func TestFormsWithoutMeaningAreRefused(t *testing.T) {
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s := create(t, b.Client, api.NewSession{})
	turn := send(t, b.Client, s.ID, "quiet")
	tape.Wait("the agent", func(e app.Event) bool { return e.Type == app.EventAgentStarted })
	c := asAgent(t, b)
	for i, r := range refusedForms {
		got := c.call(i+1, mcp.ToolForm, r.arguments)
		if strings.HasPrefix(r.field, "arguments") && got.IsError {
			continue // the protocol itself has no place for such arguments
		}
		e := got.Structured
		if !got.IsError || e.Code != "invalid_argument" || e.Field != r.field || !strings.Contains(e.Limit, r.limit) || e.Got == "" || !strings.Contains(e.Message, r.field) {
			t.Errorf("%.80s: %+v", r.arguments, got)
		}
	}
	if list, err := b.Client.Interactions(ctx, app.InteractionFilter{SessionID: s.ID}); err != nil || len(list) != 0 {
		t.Fatalf("refused forms were shown: %+v, %v", list, err)
	}
	shown := c.call(1000, mcp.ToolForm, `{"questions":["Go on?"]}`)
	in := tape.Asked(turn, app.KindForm)
	if d := shown.Structured; shown.IsError || !d.Deferred || !d.Success || d.Status != "waiting_for_user_response" || d.AskID != in.ID {
		t.Errorf("a client that listens is told %+v", shown)
	}
	if end := tape.Ended(turn); end.Status != app.TurnDeferred {
		t.Errorf("ended %+v", end)
	}
	if again := c.call(1001, mcp.ToolForm, `{"questions":["And now?"]}`); !again.IsError {
		t.Errorf("a form was shown without a turn: %+v", again)
	}
}
