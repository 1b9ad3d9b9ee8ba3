package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/mattn/go-sqlite3"

	"parley/app"
	"parley/app/store/sqlgen"
)

const (
	// maxGroup bounds how many writes share a transaction.
	maxGroup = 128
	// lockPatience is how long a write waits for another program to let go of
	// the file before it fails: a backup may hold it for seconds.
	lockPatience = 15 * time.Second
)

// tx is one write: its statements, its moment, and the events it makes true.
type tx struct {
	*sqlgen.Queries
	ctx    context.Context
	now    int64 // Unix milliseconds
	events []app.Event
}

// job is a write that waits for its turn.
type job struct {
	ctx    context.Context
	fn     func(*tx) error
	events []app.Event
	err    error
	done   chan struct{} // closed when err is final and the events are out
}

// update runs fn in a transaction. When it returns nil, what fn did is
// committed and its events have been handed on. ctx ends the wait for a turn,
// not the write: once begun, its end is always known.
func (d *DB) update(ctx context.Context, fn func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d.isClosing() {
		return errClosed
	}
	j := &job{ctx: ctx, fn: fn, done: make(chan struct{})}
	select {
	case d.jobs <- j:
	case <-d.closing:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	<-j.done
	return j.err
}

// serve is the writing goroutine.
func (d *DB) serve() {
	defer close(d.stopped)
	for {
		select {
		case j := <-d.jobs:
			d.commit(d.group(j))
		case <-d.closing:
			return
		}
	}
}

// group gathers the writes that wait now.
func (d *DB) group(first *job) []*job {
	group := []*job{first}
	for len(group) < maxGroup {
		select {
		case j := <-d.jobs:
			group = append(group, j)
		default:
			return group
		}
	}
	return group
}

// commit carries out a group. A write that fails takes nothing else with it,
// unless the file itself fails: then none of the group is true.
func (d *DB) commit(group []*job) {
	err := d.transact(group)
	d.noteDamage(err)
	var events []app.Event
	for _, j := range group {
		switch {
		case err != nil:
			j.err = storageError(err, "write")
		case j.err != nil:
			j.err = storageError(j.err, "write")
		default:
			events = append(events, j.events...)
		}
	}
	if len(events) > 0 && d.cfg.Committed != nil {
		d.cfg.Committed(events)
	}
	for _, j := range group {
		close(j.done)
	}
}

func (d *DB) transact(group []*job) error {
	// The group's own context: a caller that goes away must not tear the others'
	// transaction.
	ctx := context.Background()
	sqlTx, err := d.begin(ctx)
	if err != nil {
		return err
	}
	defer sqlTx.Rollback()
	for _, j := range group {
		if err := savepoint(ctx, sqlTx, "SAVEPOINT one"); err != nil {
			return err
		}
		j.err = d.run(ctx, sqlTx, j)
		if j.err != nil {
			if wholeFile(j.err) {
				return j.err
			}
			if err := savepoint(ctx, sqlTx, "ROLLBACK TO one"); err != nil {
				return errors.Join(err, j.err)
			}
		}
		if err := savepoint(ctx, sqlTx, "RELEASE one"); err != nil {
			return err
		}
	}
	return sqlTx.Commit()
}

// run calls one write. A panic in it is that caller's error, not the end of
// everyone's record.
func (d *DB) run(ctx context.Context, sqlTx *sql.Tx, j *job) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic in a write: %v", r)
		}
	}()
	if err := j.ctx.Err(); err != nil {
		return err
	}
	t := &tx{Queries: sqlgen.New(sqlTx), ctx: ctx, now: d.now()}
	if err := j.fn(t); err != nil {
		return err
	}
	j.events = t.events
	return nil
}

func savepoint(ctx context.Context, sqlTx *sql.Tx, statement string) error {
	_, err := sqlTx.ExecContext(ctx, statement)
	return err
}

// begin takes the write lock, patiently when another program has it, unless
// Parley is closing.
func (d *DB) begin(ctx context.Context) (*sql.Tx, error) {
	for until := time.Now().Add(d.patience); ; {
		sqlTx, err := d.write.BeginTx(ctx, nil)
		if err == nil || !locked(err) || time.Now().After(until) || d.isClosing() {
			return sqlTx, err
		}
	}
}

func (d *DB) isClosing() bool {
	select {
	case <-d.closing:
		return true
	default:
		return false
	}
}

// locked reports that another connection holds the file.
func locked(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}

// wholeFile reports an error after which SQLite may have rolled the whole
// transaction back by itself, so that nothing more may run in it.
func wholeFile(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return false
	}
	switch e.Code {
	case sqlite3.ErrFull, sqlite3.ErrIoErr, sqlite3.ErrNomem, sqlite3.ErrBusy, sqlite3.ErrInterrupt,
		sqlite3.ErrCorrupt, sqlite3.ErrReadonly, sqlite3.ErrCantOpen, sqlite3.ErrNotADB:
		return true
	}
	return false
}
