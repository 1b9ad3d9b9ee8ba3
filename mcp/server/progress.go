package server

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// progressEvery is how often a waiting call says that it lives: often enough
// for CLIs that end a quiet call, and well over the second that the limit asks.
const progressEvery = 2 * time.Second

type progressNote struct {
	JSONRPC string         `json:"jsonrpc"`
	Method  string         `json:"method"`
	Params  progressParams `json:"params"`
}

type progressParams struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress int             `json:"progress"` // seconds waited; it has no end known beforehand
	Message  string          `json:"message"`
}

// reportProgress tells the CLI from time to time that c still waits, if its
// call brought a token. The returned function ends it.
func (s *Server) reportProgress(ctx context.Context, c *call) (stop func()) {
	if c.token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		began := time.Now()
		// Not a ticker: after a stall two of its ticks come close together.
		timer := time.NewTimer(progressEvery)
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			waited := int(time.Since(began).Seconds())
			line, err := json.Marshal(progressNote{"2.0", "notifications/progress", progressParams{
				Token: c.token, Progress: waited, Message: fmt.Sprintf("Waiting for the person (%d s)", waited),
			}})
			if err != nil || c.tell(line) != nil {
				return // a broken pipe ends the connection by itself
			}
			timer.Reset(progressEvery)
		}
	}()
	return cancel
}
