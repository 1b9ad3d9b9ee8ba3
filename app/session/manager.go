package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"

	"parley/app"
)

// Manager finds the owner of a session and hands it what is to be done.
type Manager struct {
	cfg    Config
	grants *grants

	work   sync.WaitGroup // everything that was started and has not ended
	report report

	mu     sync.Mutex // guards the fields below
	actors map[app.SessionID]*actor
	closed bool
}

// New makes a manager. Nothing runs until a session is used.
func New(cfg Config) (*Manager, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Manager{cfg: cfg, grants: newGrants(), actors: map[app.SessionID]*actor{}}, nil
}

var errQuitting = &app.Error{Code: app.CodeClosing, Message: "Parley is closing. Try again in a moment."}

// goes runs f on a goroutine that Shutdown waits for.
func (m *Manager) goes(f func()) { m.work.Go(f) }

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// actor returns the owner of a session and starts it when there is none.
func (m *Manager) actor(ctx context.Context, id app.SessionID) (*actor, error) {
	if a, err := m.running(id); a != nil || err != nil {
		return a, err
	}
	row, err := m.cfg.Records.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	queue, err := m.cfg.Records.Queue(ctx, id)
	if err != nil {
		return nil, err
	}
	form, err := m.owed(ctx, id)
	if err != nil {
		return nil, err
	}
	return m.adopt(row, queue, form, nil, false)
}

func (m *Manager) running(id app.SessionID) (*actor, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errQuitting
	}
	return m.actors[id], nil
}

// adopt starts the owner of a session, unless somebody just did.
func (m *Manager) adopt(row app.Session, queue []app.Turn, form *owedForm, env map[string]string, fast bool) (*actor, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errQuitting
	}
	if a, ok := m.actors[row.ID]; ok {
		return a, nil
	}
	a := &actor{
		m: m, id: row.ID, log: m.cfg.Log.With("session", row.ID), ctx: context.Background(),
		inbox: make(chan func(), 16), ears: make(chan said, 4*batch), gone: make(chan struct{}),
		session: row, env: env, fast: fast, tools: map[string]*toolCall{}, out: out{hide: m.cfg.Secrets.Hide},
		// What an earlier run left waiting is not sent unasked.
		queue: queue, held: len(queue) > 0, form: form,
	}
	m.actors[row.ID] = a
	m.work.Go(a.run)
	return a, nil
}

// forget takes an actor that is about to end out of the register.
func (m *Manager) forget(a *actor) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.actors[a.id] == a {
		delete(m.actors, a.id)
	}
}

// on runs f on the goroutine of a session's owner. One that was just put away
// is replaced by a new one.
func on[T any](ctx context.Context, m *Manager, id app.SessionID, f func(*actor) (T, error)) (T, error) {
	for {
		a, err := m.actor(ctx, id)
		if err != nil {
			var zero T
			return zero, err
		}
		v, err := call(ctx, a, func() (T, error) {
			if a.ending != nil {
				var zero T
				return zero, errAway
			}
			return f(a)
		})
		if !errors.Is(err, errAway) {
			return v, err
		}
		select {
		case <-a.gone:
		case <-ctx.Done():
			return v, ctx.Err()
		}
	}
}

// AtWork counts the sessions in which a turn is under way.
func (m *Manager) AtWork(ctx context.Context) int {
	n := 0
	for _, a := range m.all() {
		busy, err := call(ctx, a, func() (bool, error) { return a.turn != nil, nil })
		if busy && err == nil {
			n++
		}
	}
	return n
}

// all are the sessions' owners now.
func (m *Manager) all() []*actor {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.actors))
}

// Shutdown puts every session away, all at once: questions end as cancelled,
// process trees are ended. It returns when all of it is done or ctx has ended;
// no call is accepted from its beginning on. app.CodeStorageFailed says how much
// the record would not take until the end.
func (m *Manager) Shutdown(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()

	for _, a := range m.all() {
		m.goes(func() {
			a.post(func() { a.putAway(exitQuit, app.CauseQuit, nil) })
		})
	}
	done := make(chan struct{})
	go func() {
		m.work.Wait()
		close(done)
	}()
	select {
	case <-done:
		m.tellReport(0)
		return m.report.loss()
	case <-ctx.Done():
		m.tellReport(len(m.all()))
		return fmt.Errorf("end the sessions: %w", context.Cause(ctx))
	}
}
