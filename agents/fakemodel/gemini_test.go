package fakemodel_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/agents/fakemodel"
)

const geminiHello = `{"systemInstruction":{"parts":[{"text":"be good"}]},
	"contents":[{"role":"user","parts":[{"text":"hello"},{"inlineData":{"mimeType":"image/png","data":""}}]}],
	"tools":[{"functionDeclarations":[{"name":"run","description":"runs","parametersJsonSchema":{"type":"object"}}]}]}`

// generate sends one request of the Gemini API and returns the answer's body.
func generate(t *testing.T, s *fakemodel.Server, what, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(s.URL()+"/v1beta/models/"+what, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

type geminiAnswer struct {
	Candidates []struct {
		Finish  string `json:"finishReason"`
		Content struct {
			Role  string
			Parts []struct {
				Text    string
				Thought bool
				Call    *struct {
					ID, Name string
					Args     json.RawMessage
				} `json:"functionCall"`
			}
		}
	}
	Usage struct {
		Input  int `json:"promptTokenCount"`
		Cached int `json:"cachedContentTokenCount"`
		Output int `json:"candidatesTokenCount"`
	} `json:"usageMetadata"`
	Error struct {
		Code   int
		Status string
	}
}

// An answer says the same in pieces and whole, and the request reads as those of
// the other APIs do.
func TestGemini(t *testing.T) {
	reply := fakemodel.Reply{
		Blocks: []fakemodel.Block{fakemodel.Thinking("hm"), fakemodel.TextBlock("I run it now, 你好, and then say more."), fakemodel.ToolUse("c1", "run", `{"a":1}`)},
		Usage:  fakemodel.Usage{Input: 10, Output: 3, CacheRead: 5},
	}
	s := start(t, fakemodel.Step{Times: 2, Reply: reply})
	_, body := generate(t, s, "m1:streamGenerateContent?alt=sse", geminiHello)
	var pieces []geminiAnswer
	lines := bufio.NewScanner(strings.NewReader(body))
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var a geminiAnswer
			if err := json.Unmarshal([]byte(data), &a); err != nil {
				t.Fatal(err)
			}
			pieces = append(pieces, a)
		}
	}
	_, body = generate(t, s, "m1:generateContent", geminiHello)
	var whole geminiAnswer
	if err := json.Unmarshal([]byte(body), &whole); err != nil {
		t.Fatal(err)
	}
	for how, answers := range map[string][]geminiAnswer{"in pieces": pieces, "whole": {whole}} {
		var said, thought, finish string
		var calls []string
		for _, a := range answers {
			c := a.Candidates[0]
			finish += c.Finish
			for _, p := range c.Content.Parts {
				switch {
				case p.Call != nil:
					calls = append(calls, p.Call.ID+" "+p.Call.Name+" "+string(p.Call.Args))
				case p.Thought:
					thought += p.Text
				default:
					said += p.Text
				}
			}
			if a.Usage.Input != 15 || a.Usage.Cached != 5 || a.Usage.Output != 3 || c.Content.Role != "model" {
				t.Errorf("%s: %+v", how, a)
			}
		}
		if said != reply.Blocks[1].Text || thought != "hm" || finish != "STOP" || len(calls) != 1 || calls[0] != `c1 run {"a":1}` {
			t.Errorf("%s: said %q, thought %q, called %q, ended by %q", how, said, thought, calls, finish)
		}
	}
	if len(pieces) < 4 {
		t.Errorf("%d pieces", len(pieces))
	}
	for i, streams := range []bool{true, false} {
		r := s.Requests()[i]
		if r.System != "be good" || r.LastUserText() != "hello" || r.Messages[0].Parts[1].Type != "image" || r.Model != "m1" || r.Stream != streams ||
			len(r.Tools) != 1 || r.Tools[0].Name != "run" || string(r.Tools[0].Schema) != `{"type":"object"}` {
			t.Errorf("request %+v", r)
		}
	}
}

func TestGeminiReadsResultsOfCalls(t *testing.T) {
	s := start(t, fakemodel.Step{When: fakemodel.HasResult("c2"), Reply: fakemodel.Text("done")})
	status, body := generate(t, s, "m1:generateContent", `{"contents":[{"role":"user","parts":[{"text":"go"}]},
		{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"id":"c1","name":"run","args":{"a":1}}},{"functionCall":{"id":"c2","name":"run","args":{}}}]},
		{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"run","response":{"output":"blue"}}},{"functionResponse":{"id":"c2","name":"run","response":{"error":"red"}}}]}]}`)
	if status != http.StatusOK || !strings.Contains(body, `"done"`) {
		t.Errorf("answered %d %s", status, body)
	}
	r := s.Requests()[0]
	if p, _ := r.ToolResult("c1"); p.Text != "blue" || p.IsError {
		t.Errorf("the first result is %+v", p)
	}
	if p, _ := r.ToolResult("c2"); p.Text != "red" || !p.IsError {
		t.Errorf("the second result is %+v", p)
	}
	if r.LastUserText() != "go" || r.Messages[1].Role != "assistant" || string(r.Messages[1].Parts[1].Input) != `{"a":1}` {
		t.Errorf("request %+v", r)
	}
}

// Errors stand where the API has them, also in the middle of an answer; what is
// not served says so.
func TestGeminiFaults(t *testing.T) {
	broken := fakemodel.ContextFull()
	broken.Blocks = []fakemodel.Block{fakemodel.TextBlock("So")}
	s := start(t, fakemodel.Step{Reply: fakemodel.Unauthorized()}, fakemodel.Step{Reply: broken})
	status, body := generate(t, s, "m1:streamGenerateContent", geminiHello)
	var a geminiAnswer
	if err := json.Unmarshal([]byte(body), &a); err != nil || status != http.StatusUnauthorized || a.Error.Code != status || a.Error.Status != "AUTHENTICATION_ERROR" {
		t.Errorf("%d %s %v", status, body, err)
	}
	if status, body = generate(t, s, "m1:streamGenerateContent", geminiHello); status != http.StatusOK ||
		!strings.Contains(body, `"So"`) || !strings.Contains(body, "CONTEXT_LENGTH_EXCEEDED") || strings.Contains(body, "STOP") {
		t.Errorf("%d %s", status, body)
	}
	if status, body = generate(t, s, "m1:embedContent", geminiHello); status != http.StatusNotFound || !strings.Contains(body, "embedContent") {
		t.Errorf("%d %s", status, body)
	}
}
