package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"parley/app"
)

//go:embed migrations/*.sql
var migrations embed.FS

// backups is how many copies from before a migration are kept.
const backups = 3

// migrate brings the schema up to date. An older record is copied first; a
// newer one is left alone, since this program would misread it.
func migrate(ctx context.Context, db *sql.DB, path string, now time.Time) error {
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	return migrateTo(ctx, db, path, now, sub)
}

func migrateTo(ctx context.Context, db *sql.DB, path string, now time.Time, sub fs.FS) error {
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, sub, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return storageError(err, "prepare migrations")
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return storageError(err, "read the schema's version")
	}
	switch {
	case current > target:
		return &app.Error{Code: app.CodeStorageNewer, Message: fmt.Sprintf(
			"This record was written by a newer Parley (its version is %d, this program knows up to %d). Start the newer Parley, or use another data folder.",
			current, target)}
	case current == target:
		return nil
	case current > 0:
		if err := backup(ctx, db, path, current, now); err != nil {
			return err
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		return storageError(fmt.Errorf("migrate from version %d: %w", current, err), "migrate")
	}
	return checkForeignKeys(ctx, db)
}

// checkForeignKeys finds rows that a migration left without their owner, which
// SQLite doesn't check by itself while tables are rebuilt.
func checkForeignKeys(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, "PRAGMA foreign_key_check")
	if err != nil {
		return storageError(err, "check foreign keys")
	}
	defer rows.Close()
	if rows.Next() {
		return &app.Error{Code: app.CodeStorageFailed, Message: "Parley's record could not be brought up to date: rows without an owner were left. The copy from before lies beside it."}
	}
	return storageError(rows.Err(), "check foreign keys")
}

// backup copies the record as it is into a file of its own beside it and keeps
// the newest few. Without a copy there is no migration.
func backup(ctx context.Context, db *sql.DB, path string, version int64, now time.Time) error {
	prefix := path + ".backup-"
	to := fmt.Sprintf("%s%s-v%d", prefix, now.UTC().Format(stamp), version)
	f, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return unusable(to, err)
	}
	f.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		os.Remove(to)
		return storageError(err, "back the record up")
	}
	return prune(prefix)
}

// prune removes all but the newest backups. Their names sort by time.
func prune(prefix string) error {
	entries, err := os.ReadDir(filepath.Dir(prefix))
	if err != nil {
		return unusable(filepath.Dir(prefix), err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(prefix)) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	for _, name := range names[:max(0, len(names)-backups)] {
		if err := os.Remove(filepath.Join(filepath.Dir(prefix), name)); err != nil {
			return unusable(name, err)
		}
	}
	return nil
}
