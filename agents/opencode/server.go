package opencode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"

	"parley/agents"
	"parley/agents/jsonl"
)

// server speaks to the CLI's HTTP server. Its methods may be called from any
// goroutine.
type server struct {
	base     string // "http://127.0.0.1:4096"
	password string
	http     *http.Client
}

// user is the name that goes with the password.
const user = "opencode"

func newServer(base, password string) *server {
	return &server{base: base, password: password, http: &http.Client{Transport: &http.Transport{
		Proxy: nil, // a person's is for the network, not for the loopback
		// One that was kept might be closed just as a call is sent over it, and one
		// that is made for a call that has gone would stay for good.
		DisableKeepAlives: true,
	}}}
}

// refusal is an answer that is an error.
type refusal struct {
	Status int
	Body   string
}

// Error implements error.
func (r *refusal) Error() string { return fmt.Sprintf("status %d: %s", r.Status, r.Body) }

// answerLimit is the longest answer that is read, in bytes.
const answerLimit = 64 << 20

// call makes a request. in is nil for none, and the answer is read into out
// unless that is nil. A server that cannot be reached is agents.ErrClosed, since
// it is the CLI itself; an answer that is an error is a *refusal.
func (s *server) call(ctx context.Context, method, path string, in, out any) error {
	resp, err := s.send(ctx, method, path, in)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	switch {
	case err != nil:
		return fmt.Errorf("%s %s: %w", method, path, unreached(ctx, err))
	case resp.StatusCode >= http.StatusMultipleChoices:
		return &refusal{Status: resp.StatusCode, Body: agents.Redact(string(body[:min(len(body), 4<<10)]))}
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("read the answer to %s %s: %w", method, path, err)
	}
	return nil
}

// events begins to listen to everything that happens.
func (s *server) events(ctx context.Context) (io.ReadCloser, error) {
	resp, err := s.send(ctx, http.MethodGet, "/event", nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, &refusal{Status: resp.StatusCode}
	}
	return resp.Body, nil
}

func (s *server) send(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, body)
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(user, s.password)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, unreached(ctx, err)
	}
	return resp, nil
}

// unreached explains why there is no answer.
func unreached(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w: %w", agents.ErrClosed, err)
}

// sessionPath is the path of something of a conversation.
func sessionPath(id, what string) string { return "/session/" + url.PathEscape(id) + what }

// listening is what the CLI prints once it can be reached.
var listening = regexp.MustCompile(`listening on (http://(?:127\.0\.0\.1|\[::1\]|localhost):\d+)\b`)

// readEvents reads the server's events to their end. handle gets every event,
// other what is none, skipped is told of one that was too long to take.
func readEvents(stream io.Reader, handle func(f frame, data []byte), other func([]byte), skipped func(error)) {
	reader := jsonl.NewReader(stream)
	for {
		line, err := reader.Next()
		if tooLong, ok := errors.AsType[*jsonl.TooLongError](err); ok {
			skipped(tooLong)
			continue
		}
		if err != nil {
			return // the end of the process says why
		}
		data, ok := bytes.CutPrefix(line.Data, []byte("data:"))
		if !ok {
			continue // the other fields of an event say nothing here
		}
		var f frame
		if json.Unmarshal(data, &f) != nil || f.Type == "" {
			other(data)
			continue
		}
		handle(f, data)
	}
}
