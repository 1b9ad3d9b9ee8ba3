package bridge

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"sync"
	"time"
)

// ErrGone says that the connection closed while a call waited: the app is gone.
var ErrGone = errors.New("the app is gone")

// ErrWithdrawn is the cause to end Clarify's context with when the CLI took the
// call back. The app is then told so; any other end of the context just closes
// the request.
var ErrWithdrawn = errors.New("the call was withdrawn")

// withdrawLimit bounds how long a withdrawn call waits for the app to hear of
// it. Nothing waits for Clarify's return by then.
const withdrawLimit = 2 * time.Second

// maxReply is the longest final line of a clarify stream, in bytes.
const maxReply = 16 << 20

// Clarify asks and waits for the end of the question, however long that takes.
// It returns ErrGone as soon as the connection closes, and the cause of ctx
// when that ends first.
func (c *Client) Clarify(ctx context.Context, q ClarifyRequest) (ClarifyResult, error) {
	q.ID = rand.Text()
	streamCtx, drop := context.WithCancel(context.WithoutCancel(ctx))
	defer drop()
	call := waiting{opened: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(call.ended)
		call.result, call.err = c.stream(streamCtx, q, call.opened)
	}()
	select {
	case <-call.ended:
		return call.result, call.err
	case <-ctx.Done():
	}
	if errors.Is(context.Cause(ctx), ErrWithdrawn) {
		c.withdraw(streamCtx, q.ID, &call)
	}
	drop()
	<-call.ended
	return ClarifyResult{}, context.Cause(ctx)
}

// waiting is a call on its way; result and err may be read once ended is closed.
type waiting struct {
	opened chan struct{} // the app can cancel the call
	ended  chan struct{}
	result ClarifyResult
	err    error
}

// withdraw tells the app that the CLI cancelled the call. The app must know the
// call first, or the cancel could overtake it on its own connection. If the
// telling fails the closing of the request still ends the question.
func (c *Client) withdraw(ctx context.Context, id string, call *waiting) {
	ctx, cancel := context.WithTimeout(ctx, withdrawLimit)
	defer cancel()
	select {
	case <-call.opened:
		_ = c.post(ctx, PathCancel, CancelRequest{ID: id}, nil)
	case <-call.ended:
	case <-ctx.Done():
	}
}

// stream sends the question and reads lines until one is not blank. It closes
// opened when the app has announced the call.
func (c *Client) stream(ctx context.Context, q ClarifyRequest, opened chan struct{}) (ClarifyResult, error) {
	var once sync.Once
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		Got1xxResponse: func(int, textproto.MIMEHeader) error {
			once.Do(func() { close(opened) })
			return nil
		},
	})
	resp, err := c.send(ctx, PathClarify, q)
	if err != nil {
		return ClarifyResult{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return ClarifyResult{}, refusal(resp)
	}
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := ReadLine(lines, maxReply)
		if err != nil {
			return ClarifyResult{}, c.lost(ctx, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		return decodeReply(line)
	}
}

func decodeReply(line []byte) (ClarifyResult, error) {
	var reply ClarifyReply
	err := json.Unmarshal(line, &reply)
	switch {
	case err == nil && reply.Error != nil:
		return ClarifyResult{}, reply.Error
	case err == nil && reply.Result != nil:
		return *reply.Result, nil
	case err == nil:
		err = errors.New("neither result nor error")
	}
	return ClarifyResult{}, &Error{
		Status: http.StatusBadGateway, Code: CodeInternal,
		Message: "Parley's answer can't be read. Restart this agent in Parley.",
		Err:     fmt.Errorf("decode reply: %w", err),
	}
}
