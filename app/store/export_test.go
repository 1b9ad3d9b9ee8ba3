package store

import (
	"context"
	"io/fs"
	"strconv"
	"time"
)

// LimitPages makes SQLite refuse to grow the file beyond n pages, as a full
// disk does; 0 lifts the limit.
func (d *DB) LimitPages(n int) error {
	if n == 0 {
		n = 1 << 30
	}
	_, err := d.write.Exec("PRAGMA max_page_count = " + strconv.Itoa(n))
	return err
}

// Pages is how many pages the file has.
func (d *DB) Pages() (n int, err error) {
	err = d.write.QueryRow("PRAGMA page_count").Scan(&n)
	return n, err
}

// SetPatience sets how long a write waits for a locked file.
func (d *DB) SetPatience(p time.Duration) { d.patience = p }

// Checkpoint moves everything from the log of writes into the file.
func (d *DB) Checkpoint() error {
	_, err := d.write.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// MigrateTo runs other migrations on the open record.
func (d *DB) MigrateTo(ctx context.Context, migrations fs.FS, now time.Time) error {
	return d.migrateTo(ctx, now, migrations)
}

// Pragma reads a setting of a reading and of the writing connection.
func (d *DB) Pragma(name string) (write, read string, err error) {
	if err = d.write.QueryRow("PRAGMA " + name).Scan(&write); err == nil {
		err = d.read.QueryRow("PRAGMA " + name).Scan(&read)
	}
	return write, read, err
}

// Panic runs a write that panics.
func (d *DB) Panic() error {
	return d.update(context.Background(), func(*tx) error { panic("a bug") })
}

// Migrations are the committed ones by name, and the newest version.
func Migrations() (files map[string][]byte, newest int, err error) {
	entries, err := migrations.ReadDir("migrations")
	files = map[string][]byte{}
	for _, e := range entries {
		if err == nil {
			files[e.Name()], err = migrations.ReadFile("migrations/" + e.Name())
		}
		newest++ // they are numbered from 1 without a gap
	}
	return files, newest, err
}
