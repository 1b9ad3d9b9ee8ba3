package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"parley/app"
)

// Pauses before a client tries to reach the back end again.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Stream reads one stream to its end and calls on with each frame, the present
// first. It returns why the stream ended: the cause of ctx, the error of on, or
// what went wrong with the connection.
func (c *Client) Stream(ctx context.Context, on func(Frame) error) error {
	resp, err := c.do(ctx, "GET", "/api/stream", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := lines.ReadBytes('\n')
		switch {
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return app.Errorf(app.CodeUnavailable, "Parley's back end has ended.")
		case err != nil:
			return app.Errorf(app.CodeUnavailable, "The connection to Parley's back end broke: %w", err)
		}
		text, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			continue // a heartbeat, or the empty line behind an event
		}
		var f Frame
		if err := json.Unmarshal(text, &f); err != nil {
			return fmt.Errorf("read a frame: %w", err)
		}
		if err := on(f); err != nil {
			return err
		}
	}
}

// Follow keeps a stream up until ctx ends: when the back end goes it tries
// again, at growing distances. Each new connection begins with the present; all
// but the first are marked as Resync, since events may have passed meanwhile.
// It returns the cause of ctx, or an error that trying again can't mend, such as
// app.CodeForbidden.
func (c *Client) Follow(ctx context.Context, on func(Frame)) error {
	again := false
	wait := firstRetry
	for {
		err := c.Stream(ctx, func(f Frame) error {
			f.Resync = f.Resync || again && f.Snapshot != nil
			again, wait = true, firstRetry
			on(f)
			return nil
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if code := app.ErrorCode(err); code != app.CodeUnavailable && code != app.CodeClosing {
			return err
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
		wait = min(2*wait, lastRetry)
	}
}
