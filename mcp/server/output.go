package server

import (
	"context"
	"io"
	"sync"
)

// output is the way to the CLI. It holds that a request gets one answer, that
// nothing follows an answer or a cancel, and that nothing overtakes: progress
// and answers of a request leave in the order in which they were sent.
type output struct {
	// write is held while a line goes out; that is its purpose, lines must not
	// mix. A cancel never waits for it.
	write sync.Mutex
	w     io.Writer

	mu   sync.Mutex // guards open
	open map[string]*request
}

// request is one that the CLI waits for. A CLI may use its id again once it is
// closed, so what is late for the first must not pass for the second.
type request struct {
	id     string
	cancel context.CancelCauseFunc
}

func newOutput(w io.Writer) *output {
	return &output{w: w, open: map[string]*request{}}
}

// begin opens a request. It is nil for an id that is still open: the same
// request came twice.
func (o *output) begin(id string, cancel context.CancelCauseFunc) *request {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open[id] != nil {
		return nil
	}
	r := &request{id, cancel}
	o.open[id] = r
	return r
}

// cancel closes a request and ends its context with cause. A request that was
// answered already, or never made, is none: some CLIs cancel after every
// success.
func (o *output) cancel(id string, cause error) {
	o.mu.Lock()
	r := o.open[id]
	delete(o.open, id)
	o.mu.Unlock()
	if r != nil {
		r.cancel(cause)
	}
}

// answer closes a request and sends its last line, unless it was cancelled.
func (o *output) answer(r *request, line []byte) (sent bool, err error) {
	o.write.Lock()
	defer o.write.Unlock()
	o.mu.Lock()
	open := o.open[r.id] == r
	if open {
		delete(o.open, r.id)
	}
	o.mu.Unlock()
	if !open {
		return false, nil
	}
	return true, o.line(line)
}

// during sends a line about a request while it is open.
func (o *output) during(r *request, line []byte) error {
	o.write.Lock()
	defer o.write.Unlock()
	o.mu.Lock()
	open := o.open[r.id] == r
	o.mu.Unlock()
	if !open {
		return nil
	}
	return o.line(line)
}

// send sends a line that belongs to no request.
func (o *output) send(line []byte) error {
	o.write.Lock()
	defer o.write.Unlock()
	return o.line(line)
}

// line writes one line in one piece; write must be held, and line is not used
// by its maker any more.
func (o *output) line(line []byte) error {
	_, err := o.w.Write(append(line, '\n'))
	return err
}
