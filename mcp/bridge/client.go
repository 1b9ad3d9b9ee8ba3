package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// planLimit is how long an app may take to store a plan. A plan is no reason to
// hold up the agent longer.
const planLimit = time.Minute

// Client speaks the child endpoints. A silent app is not a gone app (it may be
// stopped, or the computer asleep), so only Plan has a time limit of its own:
// the other calls wait until they are answered, their context ends or the
// connection closes. Errors are *Error where the app or the socket refused.
type Client struct {
	http  *http.Client
	token string
}

// NewClient makes a client; it dials with each call.
func NewClient(c Credential) *Client {
	var dialer net.Dialer
	return &Client{
		token: c.Token,
		http: &http.Client{Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, "unix", c.Socket)
			},
			DisableCompression: true,
			// One that was kept might be closed just as a question is sent over it, and
			// nobody could tell whether it was taken.
			DisableKeepAlives: true,
		}},
	}
}

// Hello exchanges versions. A reply of another protocol is an *Error with
// CodeVersionMismatch.
func (c *Client) Hello(ctx context.Context, version string) (HelloReply, error) {
	var reply HelloReply
	err := c.post(ctx, PathHello, HelloRequest{Protocol: ProtocolVersion, Version: version, PID: os.Getpid()}, &reply)
	if err != nil {
		return HelloReply{}, err
	}
	if reply.Protocol != ProtocolVersion {
		return HelloReply{}, Mismatch(ProtocolVersion, reply.Protocol)
	}
	return reply, nil
}

// Mismatch is the refusal to talk across an upgrade.
func Mismatch(child, app int) *Error {
	return &Error{
		Status: http.StatusConflict,
		Code:   CodeVersionMismatch,
		Message: fmt.Sprintf("Parley was upgraded while this agent ran, and the two no longer fit together (protocol %d here, %d there). "+
			"Restart this agent in Parley.", child, app),
	}
}

// Ready tells that the CLI has listed the tools.
func (c *Client) Ready(ctx context.Context, r ReadyRequest) error {
	return c.post(ctx, PathReady, r, nil)
}

// Plan stores a plan.
func (c *Client) Plan(ctx context.Context, p PlanRequest) (PlanReply, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, planLimit,
		unusable("Parley didn't take the plan in time. Go on with the work; send the plan again with its next change.", nil))
	defer cancel()
	var reply PlanReply
	err := c.post(ctx, PathPlan, p, &reply)
	return reply, err
}

// Form shows a form, or gets the answer of one when the CLI makes its call
// again. It returns once the run has ended for the form.
func (c *Client) Form(ctx context.Context, f FormRequest) (FormReply, error) {
	var reply FormReply
	err := c.post(ctx, PathForm, f, &reply)
	return reply, err
}

// post sends one request and reads its reply into out, unless out is nil.
func (c *Client) post(ctx context.Context, path string, in, out any) error {
	resp, err := c.send(ctx, path, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return refusal(resp)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxBody))
	if err != nil {
		return c.lost(ctx, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return &Error{Status: http.StatusBadGateway, Code: CodeInternal, Message: "Parley's answer can't be read. Restart this agent in Parley.", Err: err}
	}
	return nil
}

func (c *Client) send(ctx context.Context, path string, in any) (*http.Response, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://parley"+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.lost(ctx, err)
	}
	return resp, nil
}

// lost says why a request got no answer: its context ended, nobody listens at
// the socket, or the connection closed under it.
func (c *Client) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return unusable("Parley isn't running, so nothing can reach the person now. Go on without what depends on it, and say so.", err)
	}
	return fmt.Errorf("%w: %w", ErrGone, err)
}

// refusal reads the error body of an answer.
func refusal(resp *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxBody))
	var body ErrorBody
	if err == nil {
		err = json.Unmarshal(data, &body)
	}
	if err != nil || body.Error == nil || body.Error.Message == "" {
		return &Error{
			Status: resp.StatusCode, Code: CodeInternal,
			Message: fmt.Sprintf("Parley refused with status %d and no reason. Restart this agent in Parley.", resp.StatusCode), Err: err,
		}
	}
	body.Error.Status = resp.StatusCode
	return body.Error
}
