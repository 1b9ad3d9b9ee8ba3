package fakemodel_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/agents/fakemodel"
)

// ask sends one request of the Responses API.
func ask(t *testing.T, s *fakemodel.Server, input string) *http.Response {
	t.Helper()
	body := `{"model":"m1","stream":true,"instructions":"be good","input":` + input + `,"tools":[
		{"type":"function","name":"run","description":"runs","parameters":{}},
		{"type":"custom","name":"patch","description":"patches"},
		{"type":"namespace","name":"mcp__desk","tools":[{"type":"function","name":"ask","description":"asks","parameters":{}}]}]}`
	resp, err := http.Post(s.URL()+"/v1/responses", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

const hello = `[{"type":"message","role":"developer","content":[{"type":"input_text","text":"be brief"}]},
	{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"},{"type":"input_image","image_url":"data:"}]}]`

// item is an item of output, as it was finished.
type item struct {
	Type      string
	Name      string
	Namespace string
	Arguments string
	Input     string
	Content   []struct{ Text string }
	Summary   []struct{ Text string }
}

// read reads an answer to its end: its finished items, the texts of its pieces
// joined, and the type of its last event.
func readAnswer(t *testing.T, r io.Reader) (items []item, pieces, last string) {
	t.Helper()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type  string
			Item  item
			Delta string
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		if e.Type == "response.output_item.done" {
			items = append(items, e.Item)
		}
		pieces += e.Delta
		last = e.Type
	}
	return items, pieces, last
}

func TestResponsesStreamsEveryKindOfBlock(t *testing.T) {
	s := start(t, fakemodel.Step{When: fakemodel.UserSays("hello"), Reply: fakemodel.Blocks(
		fakemodel.Thinking("hm"), fakemodel.TextBlock("Good morning, 问题🤔, and all that goes with it."),
		fakemodel.ToolUse("c1", "run", `{"a":1}`), fakemodel.ToolUse("c2", "mcp__desk__ask", `{}`), fakemodel.ToolUse("c3", "patch", "*** Begin"),
	)})
	items, pieces, last := readAnswer(t, ask(t, s, hello).Body)
	if len(items) != 5 || last != "response.completed" {
		t.Fatalf("%d items, ended by %s", len(items), last)
	}
	if want := "hmGood morning, 问题🤔, and all that goes with it." + `{"a":1}{}*** Begin`; pieces != want {
		t.Errorf("pieces %q", pieces)
	}
	if items[0].Summary[0].Text != "hm" || !strings.HasPrefix(items[1].Content[0].Text, "Good morning") {
		t.Errorf("texts %+v %+v", items[0], items[1])
	}
	if c := items[2]; c.Type != "function_call" || c.Name != "run" || c.Namespace != "" || c.Arguments != `{"a":1}` {
		t.Errorf("function %+v", c)
	}
	if c := items[3]; c.Name != "ask" || c.Namespace != "mcp__desk" {
		t.Errorf("function of a namespace %+v", c)
	}
	if c := items[4]; c.Type != "custom_tool_call" || c.Input != "*** Begin" {
		t.Errorf("tool of free text %+v", c)
	}
	r := s.Requests()[0]
	if r.System != "be good\nbe brief" || r.LastUserText() != "hello" || r.Messages[0].Parts[1].Type != "image" || len(r.Tools) != 3 {
		t.Errorf("request %+v", r)
	}
}

func TestResponsesReadsResultsOfCalls(t *testing.T) {
	s := start(t, fakemodel.Step{When: fakemodel.HasResult("c1"), Reply: fakemodel.Text("done")})
	items, _, _ := readAnswer(t, ask(t, s, `[{"type":"message","role":"user","content":"go"},
		{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},
		{"type":"function_call","call_id":"c1","namespace":"mcp__desk","name":"ask","arguments":"{}"},
		{"type":"custom_tool_call","call_id":"c2","name":"patch","input":"x"},
		{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"blue"}]},
		{"type":"custom_tool_call_output","call_id":"c2","output":"ok"}]`).Body)
	if len(items) != 1 || items[0].Content[0].Text != "done" {
		t.Errorf("answered %+v", items)
	}
	r := s.Requests()[0]
	if p, _ := r.ToolResult("c1"); p.Text != "blue" {
		t.Errorf("result %+v", p)
	}
	if p, _ := r.ToolResult("c2"); p.Text != "ok" {
		t.Errorf("result %+v", p)
	}
	if p := r.Messages[2].Parts[0]; p.Type != "tool_use" || p.Name != "mcp__desk__ask" {
		t.Errorf("call %+v", p)
	}
}

func TestResponsesFaults(t *testing.T) {
	reset := time.Unix(1_900_000_000, 0)
	s := start(t,
		fakemodel.Step{Reply: fakemodel.Unauthorized()}, fakemodel.Step{Reply: fakemodel.RateLimited(0, reset)},
		fakemodel.Step{Reply: fakemodel.RateLimited(time.Second, time.Time{})}, fakemodel.Step{Reply: fakemodel.Overloaded()},
		fakemodel.Step{Reply: fakemodel.ContextFull()},
	)
	for _, want := range []struct {
		status int
		says   string
	}{
		{401, `"code":"invalid_api_key"`}, {429, `"resets_at":1900000000`}, {429, `"code":"rate_limit_exceeded"`}, {529, `overloaded`},
		{200, `response.failed`},
		{400, `fits no step`}, // the script is at its end
	} {
		resp := ask(t, s, hello)
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != want.status || !strings.Contains(string(body), want.says) {
			t.Errorf("status %d, %v: %s; want %d with %s", resp.StatusCode, err, body, want.status, want.says)
		}
	}
}

func TestResponsesBreaksOff(t *testing.T) {
	s := start(t, fakemodel.Step{Reply: fakemodel.Reply{Blocks: []fakemodel.Block{fakemodel.TextBlock("Good morning")}, CutAfter: 3}})
	if _, err := io.ReadAll(ask(t, s, hello).Body); err == nil {
		t.Error("the stream ended in good order")
	}
}
