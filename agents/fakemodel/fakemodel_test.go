package fakemodel_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/agents/agenttest/leaks"
	"parley/agents/fakemodel"
)

func TestMain(m *testing.M) { os.Exit(leaks.Run(m)) }

func start(t *testing.T, steps ...fakemodel.Step) *fakemodel.Server {
	t.Helper()
	leaks.Each(t)
	s, err := fakemodel.Start(steps)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		s.Close()
	})
	return s
}

// post sends one streaming request, whose user message is text unless it is a
// whole list of messages.
func post(t *testing.T, ctx context.Context, s *fakemodel.Server, messages string) *http.Response {
	t.Helper()
	if !strings.HasPrefix(messages, "[") {
		data, _ := json.Marshal([]map[string]string{{"role": "user", "content": messages}})
		messages = string(data)
	}
	body := `{"model":"m1","stream":true,"system":[{"type":"text","text":"be good"}],"tools":[{"name":"Bash","description":"d","input_schema":{}}],"messages":` + messages + `}`
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL()+"/v1/messages?beta=true", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("x-api-key", "k")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

type event struct {
	Type  string `json:"type"`
	Index int    `json:"index"`
	Delta struct {
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		Partial    string `json:"partial_json"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage struct {
		Output int `json:"output_tokens"`
	} `json:"usage"`
}

// events reads a stream to its end; the error is that of the connection.
func events(t *testing.T, r io.Reader) ([]event, error) {
	t.Helper()
	var out []event
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		var e event
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		out = append(out, e)
	}
	return out, lines.Err()
}

func TestStreamsEveryKindOfBlock(t *testing.T) {
	text := strings.Repeat("问题🤔 plain ", 20)
	s := start(t, fakemodel.Step{Reply: fakemodel.Reply{
		Usage: fakemodel.Usage{Input: 7, Output: 9},
		Blocks: []fakemodel.Block{
			fakemodel.Thinking("hmm, let me see how this goes"),
			fakemodel.TextBlock(text),
			fakemodel.ToolUseOf("t1", "Bash", map[string]string{"command": "true"}),
			fakemodel.ToolUse("t2", "Read", `{"file_path":"/a"}`),
		},
	}})
	got, err := events(t, post(t, t.Context(), s, "hi").Body)
	if err != nil {
		t.Fatal(err)
	}
	joined := map[int]string{}
	for _, e := range got {
		joined[e.Index] += e.Delta.Text + e.Delta.Thinking + e.Delta.Partial
	}
	want := map[int]string{0: "hmm, let me see how this goes", 1: text, 2: `{"command":"true"}`, 3: `{"file_path":"/a"}`}
	if diff := cmp.Diff(want, joined); diff != "" {
		t.Error(diff)
	}
	end := got[len(got)-2]
	if end.Type != "message_delta" || end.Delta.StopReason != "tool_use" || end.Usage.Output != 9 {
		t.Errorf("end is %+v", end)
	}
}

func TestStepsAreTakenInOrderOfThoseThatAgree(t *testing.T) {
	s := start(t,
		fakemodel.Step{When: fakemodel.UserSays("two"), Reply: fakemodel.Text("second")},
		fakemodel.Say("first"),
		fakemodel.Step{When: fakemodel.HasResult("t1"), Times: fakemodel.Always, Answer: func(r fakemodel.Request) fakemodel.Reply {
			result, _ := r.ToolResult("t1")
			return fakemodel.Text("it said " + result.Text)
		}},
	)
	withResult := `[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"no"}]}]}]`
	for _, c := range []struct{ say, want string }{
		{"one", "first"}, {"two", "second"}, {withResult, "it said no"}, {withResult, "it said no"},
	} {
		got, err := events(t, post(t, t.Context(), s, c.say).Body)
		if err != nil {
			t.Fatal(err)
		}
		var text string
		for _, e := range got {
			text += e.Delta.Text
		}
		if text != c.want {
			t.Errorf("%.20s: got %q, want %q", c.say, text, c.want)
		}
	}
	if resp := post(t, t.Context(), s, "nobody answers this"); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d", resp.StatusCode)
	}
	if n := len(s.Unmatched()); n != 1 {
		t.Errorf("%d unmatched", n)
	}
	first, err := s.Await(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if first.LastUserText() != "one" || first.System != "be good" || first.Header.Get("x-api-key") != "k" || first.N != 1 {
		t.Errorf("recorded %+v", first)
	}
	if _, ok := first.Tool("Bash"); !ok {
		t.Error("the tool was not recorded")
	}
	if p, ok := s.Requests()[2].ToolResult("t1"); !ok || !p.IsError {
		t.Errorf("result %+v %v", p, ok)
	}
}

func TestFaults(t *testing.T) {
	reset := time.Unix(1_900_000_000, 0)
	s := start(t,
		fakemodel.Step{Reply: fakemodel.Unauthorized()},
		fakemodel.Step{Reply: fakemodel.RateLimited(3*time.Second, reset)},
		fakemodel.Step{Reply: fakemodel.Overloaded().WithHeader("x-should-retry", "false")},
	)
	for _, c := range []struct {
		status        int
		header, value string
	}{{401, "retry-after", ""}, {429, "retry-after", "3"}, {529, "x-should-retry", "false"}} {
		resp := post(t, t.Context(), s, "hi")
		var body struct {
			Error struct{ Type, Message string }
		}
		if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != c.status || resp.Header.Get(c.header) != c.value || body.Error.Type == "" {
			t.Errorf("got %d %q %+v, want %+v", resp.StatusCode, resp.Header.Get(c.header), body, c)
		}
	}
}

func TestCutStreamEndsWithoutItsEnd(t *testing.T) {
	s := start(t, fakemodel.Step{Reply: fakemodel.Reply{Blocks: []fakemodel.Block{fakemodel.TextBlock(strings.Repeat("x", 200))}, CutAfter: 4}})
	got, err := events(t, post(t, t.Context(), s, "hi").Body)
	if err == nil {
		t.Error("the connection ended cleanly")
	}
	if len(got) != 4 {
		t.Errorf("%d events came", len(got))
	}
}

// A client that tries again without streaming is cut off as well.
func TestCutWithoutAStream(t *testing.T) {
	s := start(t, fakemodel.Step{Reply: fakemodel.Reply{Blocks: []fakemodel.Block{fakemodel.TextBlock("whole")}, CutAfter: 4}})
	resp, err := http.Post(s.URL()+"/v1/messages", "application/json", strings.NewReader(`{"model":"m1","messages":[]}`))
	if err == nil {
		resp.Body.Close()
		t.Errorf("status %d", resp.StatusCode)
	}
}

// A held block shows its text and stays open until it is let go; a client that
// leaves, or Close, ends it too.
func TestHeldBlock(t *testing.T) {
	release := make(chan struct{})
	held := fakemodel.Step{Reply: fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "half", Until: release})}
	s := start(t, held, held, held)

	resp := post(t, t.Context(), s, "hi")
	head := make([]byte, 1)
	if _, err := resp.Body.Read(head); err != nil {
		t.Fatal(err)
	}
	close(release)
	if got, err := events(t, resp.Body); err != nil || got[len(got)-1].Type != "message_stop" {
		t.Errorf("%v %v", got, err)
	}

	release = make(chan struct{})
	s2 := start(t, fakemodel.Step{Reply: fakemodel.Reply{Until: release}}, fakemodel.Step{Reply: fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "half", Until: release})})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if _, err := s2.Await(ctx, 1); err == nil {
			cancel()
		}
	}()
	req, _ := http.NewRequestWithContext(ctx, "POST", s2.URL()+"/v1/messages", strings.NewReader(`{"messages":[]}`))
	if _, err := http.DefaultClient.Do(req); err == nil {
		t.Error("an answer came before it was let go")
	}
	resp = post(t, t.Context(), s2, "hi")
	s2.Close() // must not wait for the held block
	if got, err := events(t, resp.Body); err == nil {
		t.Errorf("a closed server ended its answer: %v", got)
	}
}

func TestAwaitEndsWithItsContextAndWithTheServer(t *testing.T) {
	s := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Await(ctx, 1); err == nil {
		t.Error("no error")
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.Await(context.Background(), 1)
		done <- err
	}()
	s.Close()
	if err := <-done; err == nil {
		t.Error("no error after Close")
	}
}

func TestOtherDoors(t *testing.T) {
	s := start(t, fakemodel.Say("whole"))
	resp, err := http.Head(s.URL() + "/")
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("HEAD: %v %v", resp, err)
	}
	for _, c := range []struct{ path, want string }{
		{"/v1/messages/count_tokens", `"input_tokens":`},
		{"/v1/messages", `"text":"whole"`},
		{"/v1/elsewhere", "not_found_error"},
	} {
		resp, err := http.Post(s.URL()+c.path, "application/json", strings.NewReader(`{"messages":[{"role":"user","content":"hi"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !strings.Contains(string(body), c.want) {
			t.Errorf("%s: %s", c.path, body)
		}
	}
}

func TestHugeText(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 1<<18) // 4 MiB
	s := start(t, fakemodel.Step{Reply: fakemodel.Reply{Blocks: []fakemodel.Block{fakemodel.TextBlock(text)}, Piece: 1 << 20}})
	got, err := events(t, post(t, t.Context(), s, "hi").Body)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range got {
		n += len(e.Delta.Text)
	}
	if n != len(text) {
		t.Errorf("%d bytes came, %d were sent", n, len(text))
	}
}
