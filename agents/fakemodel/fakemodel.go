// Package fakemodel is a scripted model server on the loopback: a real agent
// CLI talks to it as if it were its provider, and a script says what the model
// answers. It speaks the Messages, the Chat Completions and the Gemini API, streaming
// or not, and the Responses API, which only streams; scripts and recorded requests
// look the same for all.
// Tests of the families use it, and the doctor, to see what a CLI on this machine
// really does without an account and without cost.
//
//	call := fakemodel.ToolUse("t1", "Bash", `{"command":"true"}`)
//	s, err := fakemodel.Start(fakemodel.Script{
//		fakemodel.Say("hello"),                                // answers the first request
//		{When: fakemodel.UserSays("run it"), Reply: fakemodel.Blocks(call)},
//		{When: fakemodel.HasResult("t1"), Reply: fakemodel.Text("done")},
//	})
//	defer s.Close()
//	// start the CLI with ANTHROPIC_BASE_URL=s.URL() and any key
//	first, err := s.Await(ctx, 1)    // a receipt: the first request is here
//
// Each request is answered by the first step that is not used up and whose When
// agrees; a request that no step answers gets status 400 and is listed by
// Unmatched, so that a script that does not fit fails loudly. Everything that
// was asked is kept: Requests, Await, and accessors of Request such as
// ToolResult.
//
// It imports the standard library alone and knows no family. All methods may
// be called from any goroutine; each request is served on one of its own, and
// Close returns when the last of them has ended.
package fakemodel

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Server is a running fake model.
type Server struct {
	listener net.Listener
	http     *http.Server
	served   chan struct{} // closed when Serve returned
	closing  chan struct{} // closed by Close: whatever waits gives up
	handlers sync.WaitGroup
	closed   sync.Once

	mu        sync.Mutex
	steps     []*armed
	requests  []Request
	unmatched []Request
	arrived   chan struct{} // closed and replaced at each new request
}

// armed is a step with what is left of it.
type armed struct {
	Step
	left int // answers, -1 without end
}

// Start listens on a free port of the loopback and serves script.
func Start(script Script) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s := &Server{
		listener: listener,
		served:   make(chan struct{}),
		closing:  make(chan struct{}),
		arrived:  make(chan struct{}),
	}
	s.Add(script...)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.answer(messages))
	mux.HandleFunc("POST /v1/responses", s.answer(responses))
	mux.HandleFunc("POST /v1/chat/completions", s.answer(chat))
	mux.HandleFunc("POST /v1beta/models/{call}", s.gemini)
	mux.HandleFunc("POST /v1/messages/count_tokens", s.countTokens)
	mux.HandleFunc("HEAD /", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, Fault{Status: http.StatusNotFound, Type: "not_found_error", Message: r.Method + " " + r.URL.Path + " is not served here"})
	})
	s.http = &http.Server{Handler: s.counted(mux), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener) // always ends with ErrServerClosed, by Close
	}()
	return s, nil
}

// URL is the base address, without a slash at its end.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close ends every running answer and the server.
func (s *Server) Close() {
	s.closed.Do(func() {
		close(s.closing)
		_ = s.http.Close() // its error is that of the listener, which is done with
	})
	<-s.served
	s.handlers.Wait()
}

// Add puts steps behind those that are there.
func (s *Server) Add(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, step := range steps {
		left := step.Times
		if left == 0 {
			left = 1
		}
		s.steps = append(s.steps, &armed{Step: step, left: left})
	}
}

// Requests returns the model requests so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Unmatched returns the requests that no step answered.
func (s *Server) Unmatched() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.unmatched)
}

// Await returns the nth model request (from 1), waiting for it if need be. It
// is recorded before it is answered.
func (s *Server) Await(ctx context.Context, n int) (Request, error) {
	for {
		s.mu.Lock()
		arrived := s.arrived
		if len(s.requests) >= n {
			r := s.requests[n-1]
			s.mu.Unlock()
			return r, nil
		}
		have := len(s.requests)
		s.mu.Unlock()
		select {
		case <-arrived:
		case <-s.closing:
			return Request{}, fmt.Errorf("the model was closed with %d requests, waiting for the %d.", have, n)
		case <-ctx.Done():
			return Request{}, fmt.Errorf("%d requests came, waiting for the %d.: %w", have, n, ctx.Err())
		}
	}
}

// take records r and finds the reply for it; n is its number.
func (s *Server) take(r Request) (n int, reply Reply) {
	s.mu.Lock()
	r.N = len(s.requests) + 1
	s.requests = append(s.requests, r)
	close(s.arrived)
	s.arrived = make(chan struct{})
	candidates := slices.Clone(s.steps)
	s.mu.Unlock()

	// A step's When is the script's code and is called without the lock.
	for _, step := range candidates {
		if step.When != nil && !step.When(r) {
			continue
		}
		s.mu.Lock()
		free := step.left != 0
		if step.left > 0 {
			step.left--
		}
		s.mu.Unlock()
		if !free {
			continue
		}
		if step.Answer != nil {
			return r.N, step.Answer(r)
		}
		return r.N, step.Reply
	}
	s.mu.Lock()
	s.unmatched = append(s.unmatched, r)
	s.mu.Unlock()
	return r.N, BadRequest(fmt.Sprintf("request %d fits no step of the script", r.N))
}

// counted lets Close wait for the handlers, and bounds what one may send.
func (s *Server) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handlers.Add(1)
		defer s.handlers.Done()
		r.Body = http.MaxBytesReader(w, r.Body, 256<<20)
		next.ServeHTTP(w, r)
	})
}

// wait returns true when until is closed or d is over, false when the client
// or the server has gone. A nil until with d 0 does not wait.
func (s *Server) wait(ctx context.Context, until <-chan struct{}, d time.Duration) bool {
	if until == nil && d == 0 {
		return ctx.Err() == nil
	}
	var timer <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-until:
	case <-timer:
	case <-ctx.Done():
		return false
	case <-s.closing:
		return false
	}
	return true
}
