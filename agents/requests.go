package agents

import (
	"context"
	"sync"
)

// Requests are what a CLI asks and a person has to answer, by the CLI's own ids.
// Each is ended once: by who takes it, or by being withdrawn. The zero value is
// ready, and its methods may be called from any goroutine.
type Requests struct {
	mu   sync.Mutex // guards the field below
	open map[string]*Request
}

// Request is one of them.
type Request struct {
	table  *Requests
	id     string
	whose  string
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// Open opens a request. It returns nil while one with this id is open: the same
// came again, and it gets its one answer. whose names the sub-agent that asks, ""
// for none.
func (r *Requests) Open(id, whose string) *Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[id] != nil {
		return nil
	}
	if r.open == nil {
		r.open = map[string]*Request{}
	}
	q := &Request{table: r, id: id, whose: whose}
	q.ctx, q.cancel = context.WithCancelCause(context.Background())
	r.open[id] = q
	return q
}

// Context ends once nobody waits for the answer, and its cause says why.
func (q *Request) Context() context.Context { return q.ctx }

// Abandon ends the request's context and leaves it open: the CLI hears from who
// takes it that there is no answer.
func (q *Request) Abandon(cause error) { q.cancel(cause) }

// Take ends the request and reports whether it was open, so that its answer is the
// caller's to give. One that came under the same id after this was withdrawn stays.
func (q *Request) Take() bool {
	q.table.mu.Lock()
	defer q.table.mu.Unlock()
	if q.table.open[q.id] != q {
		return false
	}
	delete(q.table.open, q.id)
	return true
}

// Withdraw ends the request with this id, if it is open.
func (r *Requests) Withdraw(id string, cause error) {
	r.withdraw(cause, func(q *Request) bool { return q.id == id })
}

// WithdrawOf ends all that a sub-agent asked.
func (r *Requests) WithdrawOf(whose string, cause error) {
	r.withdraw(cause, func(q *Request) bool { return q.whose == whose })
}

// WithdrawAll ends all that are open and returns their ids.
func (r *Requests) WithdrawAll(cause error) (ids []string) {
	return r.withdraw(cause, func(*Request) bool { return true })
}

func (r *Requests) withdraw(cause error, which func(*Request) bool) (ids []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, q := range r.open {
		if which(q) {
			delete(r.open, id)
			q.cancel(cause)
			ids = append(ids, id)
		}
	}
	return ids
}
