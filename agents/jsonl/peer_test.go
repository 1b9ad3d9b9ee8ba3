package jsonl_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/agents/jsonl"
)

// chunks keeps writes apart.
type chunks struct{ all []string }

func (c *chunks) Write(p []byte) (int, error) {
	c.all = append(c.all, string(p))
	return len(p), nil
}

func (c *chunks) Close() error {
	c.all = append(c.all, "end")
	return nil
}

// ask is a request of these tests' protocol.
func ask(body string) func(id string) any {
	return func(id string) any { return map[string]string{"id": id, "body": body} }
}

// written closes the Peer and returns what was written.
func written(t *testing.T, p *jsonl.Peer) []string {
	t.Helper()
	dst := new(chunks)
	go p.Write(dst)
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return dst.all
}

func TestPeerKeepsLinesApart(t *testing.T) {
	p := jsonl.NewPeer("")
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if err := p.Send(map[string]any{"n": i, "html": "<a & b>\n"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	lines := written(t, p)
	seen := map[int]bool{}
	for _, line := range lines[:len(lines)-1] {
		var v struct{ N int }
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "}\n") {
			t.Errorf("not one line: %q", line)
		}
		if !strings.Contains(line, `<a & b>\n`) {
			t.Errorf("text was changed: %q", line)
		}
		seen[v.N] = true
	}
	if len(seen) != 50 {
		t.Errorf("%d of 50 lines arrived", len(seen))
	}
}

func TestPeerWritesInOrderAndThenEndsTheInput(t *testing.T) {
	p := jsonl.NewPeer("parley-")
	never := func(json.RawMessage, error) { t.Error("nobody answered") }
	if err := errors.Join(p.Send(1), p.Request(ask("a"), never), p.Request(ask("b"), never), p.Send(2)); err != nil {
		t.Fatal(err)
	}
	want := []string{"1\n", `{"body":"a","id":"parley-1"}` + "\n", `{"body":"b","id":"parley-2"}` + "\n", "2\n", "end"}
	if diff := cmp.Diff(want, written(t, p)); diff != "" {
		t.Error(diff)
	}
	if err := p.Send(3); !errors.Is(err, agents.ErrClosed) {
		t.Errorf("a line after the end: %v", err)
	}
	if err := p.Request(ask("c"), never); !errors.Is(err, agents.ErrClosed) {
		t.Errorf("a request after the end: %v", err)
	}
}

// What can be no line is its sender's error, and others go on.
func TestPeerRefusesWhatIsNoJSON(t *testing.T) {
	p := jsonl.NewPeer("")
	if err := p.Send(func() {}); err == nil || errors.Is(err, agents.ErrClosed) {
		t.Errorf("a function as a line: %v", err)
	}
	err := p.Request(func(string) any { return func() {} }, func(json.RawMessage, error) { t.Error("it was not sent") })
	if err == nil || errors.Is(err, agents.ErrClosed) {
		t.Errorf("a function as a request: %v", err)
	}
	if err := p.Send("good"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"\"good\"\n", "end"}, written(t, p)); diff != "" {
		t.Error(diff)
	}
	p.Over() // tells nobody
}

func TestPeerPairsAnswers(t *testing.T) {
	p := jsonl.NewPeer("r")
	var heard []string
	hear := func(who string) jsonl.Reply {
		return func(result json.RawMessage, err error) {
			heard = append(heard, fmt.Sprintf("%s %s %v", who, result, err))
		}
	}
	for _, who := range []string{"a", "b", "c", "d"} {
		if err := p.Request(ask(who), hear(who)); err != nil {
			t.Fatal(err)
		}
	}
	refused := errors.New("refused")
	for _, answer := range []struct {
		id   string
		err  error
		want bool
	}{{"r3", nil, true}, {"r1", refused, true}, {"r1", nil, false}, {"2", nil, false}, {"", nil, false}, {"r9", nil, false}} {
		if got := p.Replied(answer.id, json.RawMessage(answer.id), answer.err); got != answer.want {
			t.Errorf("somebody waits for %q: %v", answer.id, got)
		}
	}
	p.Over()
	p.Over()
	if p.Replied("r2", nil, nil) {
		t.Error("an answer after the end was taken")
	}
	want := []string{"c r3 <nil>", "a r1 refused", "b  " + agents.ErrClosed.Error(), "d  " + agents.ErrClosed.Error()}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Error(diff)
	}
}

func TestPeerCall(t *testing.T) {
	refused, unusable := errors.New("refused"), errors.New("unusable")
	for name, test := range map[string]struct {
		answer   func(p *jsonl.Peer)
		accepted func(json.RawMessage) error
		want     error
	}{
		"an answer":           {answer: func(p *jsonl.Peer) { p.Replied("1", json.RawMessage("7"), nil) }},
		"a refusal":           {answer: func(p *jsonl.Peer) { p.Replied("1", nil, refused) }, want: refused},
		"the end":             {answer: (*jsonl.Peer).Over, want: agents.ErrClosed},
		"an unusable answer":  {answer: func(p *jsonl.Peer) { p.Replied("1", json.RawMessage("7"), nil) }, accepted: func(json.RawMessage) error { return unusable }, want: unusable},
		"a refusal is no use": {answer: func(p *jsonl.Peer) { p.Replied("1", nil, refused) }, accepted: func(json.RawMessage) error { return unusable }, want: refused},
	} {
		t.Run(name, func(t *testing.T) {
			p := jsonl.NewPeer("")
			line := func(string) any { go test.answer(p); return "ask" }
			if err := p.Call(t.Context(), line, test.accepted); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
	t.Run("patience ends", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		p := jsonl.NewPeer("")
		if err := p.Call(ctx, func(string) any { cancel(refused); return "ask" }, nil); !errors.Is(err, refused) {
			t.Errorf("got %v, want the cause", err)
		}
		if !p.Replied("1", nil, nil) {
			t.Error("a late answer is still one to a request of ours")
		}
	})
}

// An agent that reads nothing holds up nobody but who waits for the end of the
// writing, and that one only as long as it wants.
func TestPeerNeverWaitsForAnAgentThatDoesNotRead(t *testing.T) {
	fromUs, in := io.Pipe()
	p := jsonl.NewPeer("")
	go p.Write(in)
	for range 10_000 {
		if err := p.Send("x"); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	impatient := errors.New("impatient")
	cancel(impatient)
	if err := p.Close(ctx); !errors.Is(err, impatient) {
		t.Errorf("closed with %v", err)
	}
	var got bytes.Buffer
	if _, err := got.ReadFrom(fromUs); err != nil { // to the end of the input
		t.Fatal(err)
	}
	if n := strings.Count(got.String(), "\"x\"\n"); n != 10_000 {
		t.Errorf("%d lines arrived", n)
	}
	<-p.Done()
}

func TestPeerNoticesThatNobodyListens(t *testing.T) {
	fromUs, in := io.Pipe()
	fromUs.Close()
	p := jsonl.NewPeer("")
	go p.Write(in)
	if err := p.Send("x"); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if err := p.Send("y"); !errors.Is(err, agents.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// However requests, answers and the end meet, a request has an error or exactly
// one answer.
func TestPeerAnswersOnce(t *testing.T) {
	for range 200 {
		p := jsonl.NewPeer("")
		var mu sync.Mutex
		failed, told := 0, map[int]int{}
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() {
				err := p.Request(ask("x"), func(json.RawMessage, error) {
					mu.Lock()
					told[n]++
					mu.Unlock()
				})
				if err != nil {
					mu.Lock()
					failed++
					told[n]++
					mu.Unlock()
				}
			})
		}
		wg.Go(func() {
			for id := range 4 {
				p.Replied(fmt.Sprint(id+1), nil, nil)
			}
			p.Over()
		})
		wg.Wait()
		for n := range 8 {
			if told[n] != 1 {
				t.Fatalf("request %d was told %d times of its end (%d of 8 failed)", n, told[n], failed)
			}
		}
	}
}

func TestEach(t *testing.T) {
	var heard []string
	jsonl.NewReaderLimit(strings.NewReader("{}\nlog\nmuch too long\n{\"a\":1}"), 8).Each(
		func(l jsonl.Line) { heard = append(heard, fmt.Sprintf("%s %v", l.Data, l.JSON)) },
		func(e *jsonl.TooLongError) { heard = append(heard, fmt.Sprint("skipped ", e.Size)) })
	if diff := cmp.Diff([]string{"{} true", "log false", "skipped 13", `{"a":1} true`}, heard); diff != "" {
		t.Error(diff)
	}
}
