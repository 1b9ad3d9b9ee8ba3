package session_test

import (
	"context"
	"testing"
	"time"

	"parley/agents"
	"parley/app"
	"parley/app/apptest"
	"parley/app/question"
	"parley/app/session"
)

// lateDesk takes back the questions of a turn only once its agent was told to
// stop.
type lateDesk struct {
	*question.Desk
	tb      testing.TB
	stopped <-chan struct{}
}

func (d lateDesk) CancelTurn(ctx context.Context, id app.TurnID, cause app.Cause) error {
	select {
	case <-d.stopped:
	case <-time.After(apptest.Patience):
		d.tb.Error("the agent was not told to stop before its questions were taken back")
	}
	return d.Desk.CancelTurn(ctx, id, cause)
}

// An agent hears of a stop before its question ends: the end alone would have
// it ask its model what to do next. The question ends for the stop all the
// same, also when the agent asked before its message was said to be sent.
func TestTheAgentHearsOfAStopFirst(t *testing.T) {
	for name, early := range map[string]bool{"sent": false, "being sent": true} {
		t.Run(name, func(t *testing.T) {
			told, release := make(chan struct{}, 1), make(chan struct{})
			sent := make(chan struct{})
			w := newWorld(t, func(_ *session.Config, ad *adapter) {
				ad.interrupted = told
				ad.sent = func(agents.Turn) {
					if early {
						<-release
					}
					close(sent)
				}
			})
			w.cfg.Desk = lateDesk{w.desk, t, told}
			w.open()
			s := w.create(app.NewSession{})
			turn := w.send(s.ID, "approve a1\nwait")
			in := w.asked(turn)
			if !early {
				<-sent
			}
			if err := w.m.Stop(context.Background(), s.ID); err != nil {
				t.Fatal(err)
			}
			close(release)
			if end := w.ended(turn); end.Status != app.TurnInterrupted {
				t.Fatalf("ended %+v", end)
			}
			rec, err := w.db.Interaction(context.Background(), in.ID)
			if err != nil || rec.Outcome == nil || rec.Outcome.Reason != app.ReasonCancelled || rec.Outcome.Cause != app.CauseTurnStopped {
				t.Fatalf("recorded %+v, %v", rec.Outcome, err)
			}
		})
	}
}
