package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"parley/app"
)

// Client speaks the API from Go. It may be used from any goroutine. Errors are
// app.Error with the code that the back end gave; a back end that does not
// answer is app.CodeUnavailable.
type Client struct {
	http *http.Client
	base string
	door app.By
}

// NewClient makes a client over any transport. base is such as
// "http://127.0.0.1:4000"; it is not read by Dial's transport.
func NewClient(rt http.RoundTripper, base string) *Client {
	return &Client{http: &http.Client{Transport: rt}, base: base}
}

// Dial makes a client of the back end that listens on a unix socket. It
// connects with each call: a connection that was kept might have been closed
// just as a call is sent over it, and nobody could tell whether it was taken.
func Dial(socket string) *Client {
	return NewClient(&http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}, "http://parley")
}

// AsWindow returns a client whose calls come from a window, where the door
// leaves that to the caller.
func (c *Client) AsWindow() *Client {
	w := *c
	w.door = app.ByWindow
	return &w
}

// Resolved is the error of an answer that came second. Err carries
// app.CodeAlreadyResolved.
type Resolved struct {
	Outcome *app.Outcome // what settled it, or nil when the back end could not tell
	Late    *app.Late    // the late answer, or nil
	Err     error
}

// Error implements error.
func (e *Resolved) Error() string { return e.Err.Error() }

// Unwrap returns the coded error.
func (e *Resolved) Unwrap() error { return e.Err }

// About tells what answers.
func (c *Client) About(ctx context.Context) (About, error) {
	return get[About](ctx, c, "/api/about")
}

// Agents lists the agents of this computer; refresh looks anew.
func (c *Client) Agents(ctx context.Context, refresh bool) (AgentList, error) {
	if refresh {
		return send[AgentList](ctx, c, "POST", "/api/agents/refresh", nil)
	}
	return get[AgentList](ctx, c, "/api/agents")
}

// CreateSession starts a session.
func (c *Client) CreateSession(ctx context.Context, n NewSession) (app.Session, error) {
	return send[app.Session](ctx, c, "POST", "/api/sessions", n)
}

// Sessions lists the sessions, newest first.
func (c *Client) Sessions(ctx context.Context) ([]app.Session, error) {
	list, err := get[SessionList](ctx, c, "/api/sessions")
	return list.Sessions, err
}

// Session reads one session.
func (c *Client) Session(ctx context.Context, id app.SessionID) (app.Session, error) {
	return get[app.Session](ctx, c, sessionPath(id, ""))
}

// Events reads a page of a session's timeline; see Timeline.
func (c *Client) Events(ctx context.Context, id app.SessionID, before, after int64, limit int) (Timeline, error) {
	q := url.Values{"before": {strconv.FormatInt(before, 10)}, "after": {strconv.FormatInt(after, 10)}, "limit": {strconv.Itoa(limit)}}
	return get[Timeline](ctx, c, sessionPath(id, "/events")+"?"+q.Encode())
}

// Send puts a message into a session.
func (c *Client) Send(ctx context.Context, id app.SessionID, m NewMessage) (MessageReply, error) {
	return send[MessageReply](ctx, c, "POST", sessionPath(id, "/messages"), m)
}

// Stop asks a session's running turn to end.
func (c *Client) Stop(ctx context.Context, id app.SessionID) error {
	_, err := send[Empty](ctx, c, "POST", sessionPath(id, "/stop"), nil)
	return err
}

// Close ends a session's agent and keeps its record.
func (c *Client) Close(ctx context.Context, id app.SessionID) (app.Session, error) {
	return send[app.Session](ctx, c, "POST", sessionPath(id, "/close"), nil)
}

// Resume brings a session's agent up again.
func (c *Client) Resume(ctx context.Context, id app.SessionID) (app.Session, error) {
	return send[app.Session](ctx, c, "POST", sessionPath(id, "/resume"), nil)
}

// Fork begins a session with a copy of another one's conversation.
func (c *Client) Fork(ctx context.Context, id app.SessionID) (app.Session, error) {
	return send[app.Session](ctx, c, "POST", sessionPath(id, "/fork"), nil)
}

// Processes lists what runs for a session, parents before children.
func (c *Client) Processes(ctx context.Context, id app.SessionID) ([]app.Process, error) {
	list, err := get[ProcessList](ctx, c, sessionPath(id, "/processes"))
	return list.Processes, err
}

// AllProcesses lists what runs for all sessions.
func (c *Client) AllProcesses(ctx context.Context) ([]app.ProcessTree, error) {
	list, err := get[ProcessTrees](ctx, c, "/api/processes")
	return list.Trees, err
}

// Interactions lists what is asked, in the order of the inbox.
func (c *Client) Interactions(ctx context.Context, f app.InteractionFilter) ([]app.Interaction, error) {
	q := url.Values{"state": {string(f.State)}, "session": {f.SessionID}, "limit": {strconv.Itoa(f.Limit)}}
	list, err := get[InteractionList](ctx, c, "/api/interactions?"+q.Encode())
	return list.Interactions, err
}

// History reads a page of all that was ever asked.
func (c *Client) History(ctx context.Context, f app.HistoryFilter) (app.HistoryPage, error) {
	q := historyQuery(f)
	q.Set("cursor", f.Cursor)
	if f.Limit > 0 {
		q.Set("limit", strconv.Itoa(f.Limit))
	}
	return get[app.HistoryPage](ctx, c, "/api/history?"+q.Encode())
}

// ExportHistory writes the decision log to w, as "md" or "json".
func (c *Client) ExportHistory(ctx context.Context, format string, f app.HistoryFilter, w io.Writer) error {
	q := historyQuery(f)
	q.Set("format", format)
	resp, err := c.do(ctx, "GET", "/api/history/export?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(w, resp.Body)
	return err
}

func historyQuery(f app.HistoryFilter) url.Values {
	return url.Values{
		"q": {f.Search}, "session": {f.SessionID}, "agent": {f.Agent}, "kind": {string(f.Kind)}, "end": {string(f.End)},
		"since": {strconv.FormatInt(f.Since, 10)}, "until": {strconv.FormatInt(f.Until, 10)},
	}
}

// Rules lists the permissions that were given for good.
func (c *Client) Rules(ctx context.Context) ([]app.Rule, error) {
	list, err := get[RuleList](ctx, c, "/api/approvals")
	return list.Rules, err
}

// RevokeRule takes one back.
func (c *Client) RevokeRule(ctx context.Context, id string) error {
	_, err := send[Empty](ctx, c, "DELETE", "/api/approvals/"+url.PathEscape(id), nil)
	return err
}

// Noticed claims the right to tell of questions in a system notice and returns
// those that nobody has told of.
func (c *Client) Noticed(ctx context.Context, ids []string) ([]string, error) {
	reply, err := send[NoticeClaim](ctx, c, "POST", "/api/interactions/noticed", NoticeClaim{Interactions: ids})
	return reply.Interactions, err
}

// Interaction reads one interaction.
func (c *Client) Interaction(ctx context.Context, id string) (app.Interaction, error) {
	return get[app.Interaction](ctx, c, "/api/interactions/"+url.PathEscape(id))
}

// Environment reads what EnvDiff compares with.
func (c *Client) Environment(ctx context.Context) (Environment, error) {
	return get[Environment](ctx, c, "/api/environment")
}

// Answer answers an interaction. A second answer gets a *Resolved.
func (c *Client) Answer(ctx context.Context, a app.Answer) (app.Reply, error) {
	return send[app.Reply](ctx, c, "POST", "/api/interactions/"+url.PathEscape(a.InteractionID)+"/answer", a)
}

// Serve has the page served to browsers until ctx ends or the back end goes,
// and calls opened with where. It returns why the serving ended.
func (c *Client) Serve(ctx context.Context, in ServeRequest, opened func(ServeReply)) error {
	resp, err := c.do(ctx, "POST", "/api/gateway", in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body := json.NewDecoder(resp.Body)
	var reply ServeReply
	if err := body.Decode(&reply); err != nil {
		return fmt.Errorf("read where the page is served: %w", err)
	}
	opened(reply)
	err = body.Decode(&reply) // waits for the end
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return app.Errorf(app.CodeUnavailable, "Parley's back end has stopped serving the page: %w", err)
}

// Link makes a fresh one-time link to the page that is served.
func (c *Client) Link(ctx context.Context) (ServeReply, error) {
	return send[ServeReply](ctx, c, "POST", "/api/gateway/link", nil)
}

// Settings reads the preferences.
func (c *Client) Settings(ctx context.Context) (app.Settings, error) {
	return get[app.Settings](ctx, c, "/api/settings")
}

// SaveSettings changes the preferences, all or nothing.
func (c *Client) SaveSettings(ctx context.Context, s app.Settings) (app.Settings, error) {
	return send[app.Settings](ctx, c, "PUT", "/api/settings", s)
}

func sessionPath(id app.SessionID, rest string) string {
	return "/api/sessions/" + url.PathEscape(id) + rest
}

func get[Out any](ctx context.Context, c *Client, path string) (Out, error) {
	return send[Out](ctx, c, "GET", path, nil)
}

// send makes one call. in is nil for none.
func send[Out any](ctx context.Context, c *Client, method, path string, in any) (Out, error) {
	var out Out
	resp, err := c.do(ctx, method, path, in)
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		return out, fmt.Errorf("read the reply of %s %s: %w", method, path, err)
	}
	return out, nil
}

// do returns a good response with its body open, or the error that came.
func (c *Client) do(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.door != "" {
		req.Header.Set(DoorHeader, string(c.door))
	}
	resp, err := c.http.Do(req)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, app.Errorf(app.CodeUnavailable, "Parley's back end does not answer: %w", errors.Unwrap(err))
	case resp.StatusCode == http.StatusOK:
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, refusal(resp)
}

// refusal reads the error of a response.
func refusal(resp *http.Response) error {
	var c Conflict
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(&c); err != nil || c.Error.Code == "" {
		return app.Errorf(app.CodeUnavailable, "Parley's back end answered %s.", resp.Status)
	}
	if c.Error.Code == app.CodeAlreadyResolved {
		return &Resolved{Outcome: c.Outcome, Late: c.Late, Err: c.Error.Err()}
	}
	return c.Error.Err()
}
