package agents_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"parley/agents"
)

func TestARequestIsOpenOnce(t *testing.T) {
	var table agents.Requests
	q := table.Open("1", "")
	if table.Open("1", "") != nil {
		t.Error("the same request was opened twice")
	}
	if other := table.Open("2", ""); other == nil || !other.Take() {
		t.Error("another request was not open")
	}
	if !q.Take() || q.Take() {
		t.Error("a request was not taken once")
	}
	if q.Context().Err() != nil {
		t.Error("taking a request ended its context")
	}
	if table.Open("1", "") == nil {
		t.Error("an id could not be used again")
	}
}

// An id that is used again belongs to the newer request: the older one, whose
// asker comes late, neither takes it nor hides it from a withdrawal.
func TestARequestUnderAnOldID(t *testing.T) {
	var table agents.Requests
	older := table.Open("1", "")
	if ids := table.WithdrawAll(agents.ErrTurnStopped); !slices.Equal(ids, []string{"1"}) {
		t.Errorf("withdrew %q", ids)
	}
	newer := table.Open("1", "")
	if older.Take() {
		t.Error("the older request took what is the newer one's")
	}
	table.Withdraw("1", agents.ErrWithdrawn)
	if got := context.Cause(newer.Context()); got != agents.ErrWithdrawn {
		t.Errorf("the newer one ended because of %v", got)
	}
	if got := context.Cause(older.Context()); got != agents.ErrTurnStopped {
		t.Errorf("the older one ended because of %v", got)
	}
}

func TestRequestsOfOneSubAgentEnd(t *testing.T) {
	var table agents.Requests
	own, sub, abandoned := table.Open("1", ""), table.Open("2", "s"), table.Open("3", "s")
	abandoned.Abandon(agents.ErrClosed)
	if !abandoned.Take() || context.Cause(abandoned.Context()) != agents.ErrClosed {
		t.Error("an abandoned request was not open until it was taken")
	}
	table.WithdrawOf("s", agents.ErrTurnEnded)
	if sub.Take() || context.Cause(sub.Context()) != agents.ErrTurnEnded {
		t.Error("the sub-agent's request did not end")
	}
	if !own.Take() || own.Context().Err() != nil {
		t.Error("the agent's own request ended")
	}
}

// Whoever comes first, a request has one end.
func TestARequestEndsOnce(t *testing.T) {
	var table agents.Requests
	for range 1000 {
		q := table.Open("1", "")
		var taken, withdrawn bool
		var both sync.WaitGroup
		both.Go(func() { taken = q.Take() })
		both.Go(func() { withdrawn = len(table.WithdrawAll(agents.ErrClosed)) == 1 })
		both.Wait()
		if taken == withdrawn {
			t.Fatalf("taken %t, withdrawn %t", taken, withdrawn)
		}
	}
}
