package opencode_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/agents"
)

// entry is one line of a tape, a recorded conversation with the CLI's server: a
// request to it, the answer to one, or an event from it. Requests and answers
// are named by method and path.
type entry struct {
	Send   string          `json:"send,omitempty"`
	Answer string          `json:"answer,omitempty"`
	Status int             `json:"status,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"`
	Event  json.RawMessage `json:"event,omitempty"`
}

// password of a server that plays a tape.
const password = "the password"

// recorder stands between a conversation and the real server and writes down
// what passes.
type recorder struct {
	home string // a person's; it is not written down

	mu   sync.Mutex // guards tape
	tape bytes.Buffer
}

func (r *recorder) note(e entry) {
	data, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tape.Write(append(bytes.ReplaceAll(bytes.ReplaceAll(data, []byte(r.home), []byte("/scratch")), []byte(strings.TrimPrefix(r.home, "/")), []byte("scratch")), '\n'))
}

// noise are events that come at their own times and say nothing here.
var noise = regexp.MustCompile(`"type":"(server\.heartbeat|plugin\.|catalog\.|integration\.|reference\.|session\.updated|session\.diff|lsp\.|file\.watcher)`)

// serve is an http.Handler in front of the server at base.
func (r *recorder) serve(base string) http.HandlerFunc {
	return func(w http.ResponseWriter, in *http.Request) {
		body, _ := io.ReadAll(in.Body)
		key := in.Method + " " + in.URL.Path
		r.note(entry{Send: key, Body: json.RawMessage(body)})
		out, err := http.NewRequestWithContext(in.Context(), in.Method, base+in.URL.Path, bytes.NewReader(body))
		if err != nil {
			panic(err)
		}
		out.Header = in.Header.Clone()
		out.Header.Del("Accept-Encoding") // an answer that is packed could not be read here
		resp, err := http.DefaultClient.Do(out)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer resp.Body.Close()
		if in.URL.Path != "/event" {
			answer, err := io.ReadAll(resp.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			r.note(entry{Answer: key, Status: resp.StatusCode, Body: needed(in.URL.Path, answer)})
			w.WriteHeader(resp.StatusCode)
			w.Write(answer)
			return
		}
		r.note(entry{Answer: key, Status: resp.StatusCode})
		lines := bufio.NewReaderSize(resp.Body, 1<<20)
		for {
			line, err := lines.ReadBytes('\n')
			if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && !noise.Match(data) {
				r.note(entry{Event: json.RawMessage(bytes.TrimSpace(data))})
			}
			if _, werr := w.Write(line); err != nil || werr != nil {
				return
			}
			if http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	}
}

// needed is an answer without the parts, of hundreds of kilobytes, that nobody
// reads.
func needed(path string, answer []byte) json.RawMessage {
	var into any
	switch path {
	case "/agent":
		into = &[]struct {
			Name       string            `json:"name"`
			Mode       string            `json:"mode"`
			Permission []json.RawMessage `json:"permission"`
		}{}
	case "/command":
		into = &[]struct {
			Name string `json:"name"`
		}{}
	case "/config/providers":
		into = &struct {
			Providers []struct {
				ID     string `json:"id"`
				Models map[string]struct {
					Limit map[string]int64 `json:"limit"`
				} `json:"models"`
			} `json:"providers"`
		}{}
	case "/config":
		into = &struct {
			Model string `json:"model"`
		}{}
	default:
		return json.RawMessage(answer)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		panic(err)
	}
	short, err := json.Marshal(into)
	if err != nil {
		panic(err)
	}
	return short
}

// asked is a request to a server that plays a tape.
type asked struct {
	key    string
	body   []byte
	answer chan entry
}

// player is a server that plays a tape: it waits for each recorded request, and
// answers and tells what was recorded after it. At the end of the tape the
// program ends.
type player struct {
	t        *testing.T
	requests chan asked
	events   chan json.RawMessage
	over     chan struct{}
	sent     []string // what was sent in the place of what was recorded
}

// play starts a player and returns the connection to it, and a run folder.
func play(t *testing.T, path string) (agents.Conn, string, *player) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var tape []entry
	for line := range bytes.Lines(data) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		tape = append(tape, e)
	}
	p := &player{t: t, requests: make(chan asked), events: make(chan json.RawMessage), over: make(chan struct{})}
	server := httptest.NewServer(p)
	out, program := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		fmt.Fprintf(program, "opencode server listening on %s\n", server.URL)
		p.play(tape)
		close(p.over)
		program.Close()
	}()
	t.Cleanup(func() {
		out.Close()
		server.CloseClientConnections()
		server.Close()
		<-ended
	})
	run := t.TempDir()
	if err := os.WriteFile(filepath.Join(run, "server-password"), []byte(password), 0o600); err != nil {
		t.Fatal(err)
	}
	in, input := io.Pipe()
	go io.Copy(io.Discard, in)
	return agents.Conn{In: input, Out: out, Done: ended}, run, p
}

// ServeHTTP implements http.Handler.
func (p *player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if user, pass, _ := r.BasicAuth(); user != "opencode" || pass != password {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	body, _ := io.ReadAll(r.Body)
	a := asked{key: r.Method + " " + r.URL.Path, body: body, answer: make(chan entry, 1)}
	select {
	case p.requests <- a:
	case <-p.over:
		w.WriteHeader(http.StatusGone)
		return
	}
	var e entry
	select {
	case e = <-a.answer:
	case <-p.over:
		select {
		case e = <-a.answer: // it came first
		default:
			e.Status = http.StatusGone
		}
	}
	w.WriteHeader(e.Status)
	if r.URL.Path != "/event" {
		w.Write(e.Body)
		return
	}
	http.NewResponseController(w).Flush()
	for {
		select {
		case event := <-p.events:
			fmt.Fprintf(w, "data: %s\n\n", event)
			http.NewResponseController(w).Flush()
		case <-p.over:
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (p *player) play(tape []entry) {
	var came, heard []asked // those that the tape has not come to, and those without an answer
	take := func(from []asked, key string) (asked, []asked, bool) {
		i := slices.IndexFunc(from, func(a asked) bool { return a.key == key })
		if i < 0 {
			return asked{}, from, false
		}
		return from[i], slices.Delete(slices.Clone(from), i, i+1), true
	}
	for n, e := range tape {
		switch {
		case e.Send != "":
			a, rest, ok := take(came, e.Send)
			for !ok {
				select {
				case next := <-p.requests:
					came = append(came, next)
				case <-p.t.Context().Done():
					p.t.Errorf("entry %d: %s did not come", n+1, e.Send)
					return
				}
				a, rest, ok = take(came, e.Send)
			}
			came, heard = rest, append(heard, a)
			if len(a.body) > 0 {
				p.sent = append(p.sent, a.key+" "+string(a.body))
			}
		case e.Answer != "":
			a, rest, ok := take(heard, e.Answer)
			if !ok {
				p.t.Errorf("entry %d answers what was not asked: %s", n+1, e.Answer)
				return
			}
			heard = rest
			a.answer <- e
		default:
			for told := false; !told; {
				select {
				case p.events <- e.Event:
					told = true
				case next := <-p.requests:
					came = append(came, next)
				case <-p.t.Context().Done():
					return
				}
			}
		}
	}
}
