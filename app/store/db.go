// Package store is Parley's record: one SQLite file with sessions, turns,
// events, interactions, drafts and plans. It owns the file, its schema and the
// order of events; it knows the rules of package app and no other part of
// Parley.
//
// Concurrency: one goroutine writes. Writes that wait at the same time share a
// transaction, each in a savepoint of its own. After the commit the events of
// the transaction are handed to Config.Committed on that goroutine, in order,
// and only then do the writers return: persisted before published, published
// before anyone acts on it. Readers use connections of their own and see whole
// transactions. All methods may be called from any goroutine.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"parley/app"
	"parley/app/store/sqlgen"
)

// The second line notes what the code was made from, so that a test can tell
// without the generator whether the SQL was changed since.
//
//go:generate go tool -modfile=../../build/tools/sqlc/go.mod sqlc generate
//go:generate sh -c "cat migrations/*.sql queries/*.sql sqlc.yaml | sha256sum > sqlgen/sources.sha256"

// readers is the number of connections for reading.
const readers = 4

// Config says where the record lies and who hears of it.
type Config struct {
	Path string           // of the database file; its folder must exist
	Now  func() time.Time // nil is time.Now
	// Committed gets the events of each transaction, in order. It runs on the
	// writing goroutine: it must return quickly and must not call the store.
	// May be nil.
	Committed func([]app.Event)
	Log       *slog.Logger // nil is slog.Default
	Version   string       // of the program, for the snapshot
	Backups   int          // copies from before migrations that are kept; 0 is 3
}

// DB is the open record.
type DB struct {
	cfg     Config
	write   *sql.DB // one connection, used by the writing goroutine alone
	read    *sql.DB
	jobs    chan *job
	closing chan struct{} // closed by Close: nothing more is taken on
	stopped chan struct{} // closed when the writing goroutine has ended
	close   func() error  // does its work once

	patience time.Duration // with a file that another program has locked
	aside    kept
}

// Open opens the record, makes it if there is none, and brings an older one up
// to date after backing it up. A damaged file is moved aside, never
// overwritten: KeptAside tells where it is. A file that another program has
// locked is waited for, up to 15 seconds.
//
// Errors: app.CodeStorageNewer when a newer Parley wrote the file,
// app.CodeStorageFailed when it can't be used, with what to do.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Backups == 0 {
		cfg.Backups = 3
	}
	path, err := filepath.Abs(cfg.Path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	cfg.Path = path
	if err := refuseRealHome(path); err != nil {
		return nil, err
	}
	d := &DB{
		cfg:      cfg,
		jobs:     make(chan *job),
		closing:  make(chan struct{}),
		stopped:  make(chan struct{}),
		patience: lockPatience,
	}
	err = patiently(ctx, func() error {
		d.aside, err = prepareFile(ctx, path, cfg.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	if d.aside.record != "" {
		cfg.Log.Error("the record was damaged and has been kept aside", "path", d.aside.record)
	}
	if d.aside.log != "" {
		cfg.Log.Error("the log of writes beside the record was damaged; a copy has been kept aside", "path", d.aside.log)
	}
	d.close = sync.OnceValue(func() error {
		close(d.closing)
		<-d.stopped
		return d.disconnect()
	})
	if err := patiently(ctx, func() error { return d.connect(ctx) }); err != nil {
		return nil, err
	}
	go d.serve()
	return d, nil
}

// patiently does something again while another program has the file locked.
func patiently(ctx context.Context, do func() error) error {
	for until := time.Now().Add(lockPatience); ; {
		err := do()
		if !locked(err) || time.Now().After(until) || ctx.Err() != nil {
			return err
		}
	}
}

// connect opens the connections; what was opened is closed when it fails.
func (d *DB) connect(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, d.disconnect())
		}
	}()
	if d.write, err = sql.Open("sqlite3", writeDSN(d.cfg.Path)); err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	d.write.SetMaxOpenConns(1)
	if err := d.migrate(ctx); err != nil {
		return err
	}
	if d.read, err = sql.Open("sqlite3", readDSN(d.cfg.Path)); err != nil {
		return fmt.Errorf("open store for reading: %w", err)
	}
	d.read.SetMaxOpenConns(readers)
	d.read.SetMaxIdleConns(readers)
	if err := d.read.PingContext(ctx); err != nil {
		return storageError(err, "open")
	}
	return nil
}

// disconnect closes the connections. The last one to close folds the log of
// writes into the file.
func (d *DB) disconnect() error {
	var errs []error
	for _, pool := range []*sql.DB{d.read, d.write} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	d.read, d.write = nil, nil
	return errors.Join(errs...)
}

// Close finishes the writes that have been taken on and closes the file. Later
// calls fail with app.CodeUnavailable. It may be called twice.
func (d *DB) Close() error { return d.close() }

// KeptAside is where a damaged record was moved to when this one was opened, ""
// when it was sound.
func (d *DB) KeptAside() string { return d.aside.record }

// KeptLog is where a copy lies of a damaged log of writes that was found beside
// a sound record, "" when there was none: the last entries may be missing.
func (d *DB) KeptLog() string { return d.aside.log }

// now is the store's clock in Unix milliseconds.
func (d *DB) now() int64 { return d.cfg.Now().UnixMilli() }

// query runs fn on one consistent state of the record.
func (d *DB) query(ctx context.Context, fn func(q *sqlgen.Queries) error) error {
	if d.isClosing() {
		return errClosed
	}
	tx, err := d.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return storageError(err, "read")
	}
	defer tx.Rollback()
	err = fn(sqlgen.New(tx))
	d.noteDamage(err)
	return storageError(err, "read")
}

// noteDamage leaves a mark for the next start, which then checks the whole file
// before it is used again.
func (d *DB) noteDamage(err error) {
	if damaged(err) {
		if err := os.WriteFile(d.cfg.Path+markSuffix, nil, 0o600); err != nil {
			d.cfg.Log.Error("the damaged record could not be marked", "err", err)
		}
	}
}

var errClosed = &app.Error{Code: app.CodeUnavailable, Message: "Parley is closing."}
