package store

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"parley/app"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the schema up to date. An older record is copied first; a
// newer one is left alone, since this program would misread it.
func (d *DB) migrate(ctx context.Context) error {
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	return d.migrateTo(ctx, d.cfg.Now(), sub)
}

func (d *DB) migrateTo(ctx context.Context, now time.Time, sub fs.FS) error {
	db, path := d.write, d.cfg.Path
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
	}
	var copied string
	if current > 0 {
		if copied, err = backup(ctx, db, path, current, now); err != nil {
			return err
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		return notMigrated(ctx, provider, current, target, copied, err)
	}
	if err := checkForeignKeys(ctx, db); err != nil {
		return err
	}
	return d.prune(copied, d.cfg.Backups)
}

// notMigrated says what a failed migration leaves: each step is a transaction,
// so the record is whole, of the version that was reached.
func notMigrated(ctx context.Context, provider *goose.Provider, from, to int64, copied string, cause error) error {
	cause = fmt.Errorf("migrate from version %d: %w", from, cause)
	left := "it was left as it is"
	if reached, err := provider.GetDBVersion(ctx); err != nil || reached != from {
		left = "only a part of the way was gone; the copy from before is " + copied
	} else if copied != "" {
		// It equals the record, and a start that fails again and again would push
		// better ones out.
		cause = errors.Join(cause, os.Remove(copied))
	}
	if message, known := explain(cause); known {
		return &app.Error{Code: app.CodeStorageFailed, Message: message, Err: cause}
	}
	return &app.Error{Code: app.CodeStorageFailed, Err: cause, Message: fmt.Sprintf(
		"Parley's record could not be brought up to date (from version %d to %d): %s. Start the Parley that you used before, or report this with the last lines of the log.",
		from, to, left)}
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

// backup copies the record as it is into a file of its own beside it and returns
// the copy's path. Without a copy there is no migration. Until it is whole and
// on the disk the copy bears another name.
func backup(ctx context.Context, db *sql.DB, path string, version int64, now time.Time) (string, error) {
	to := fmt.Sprintf("%s%s%s-v%d", path, backupInfix, now.UTC().Format(stamp), version)
	part := to + partSuffix
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", unusable(part, err)
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", part)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(storageError(err, "back the record up"), os.Remove(part))
	}
	if err := os.Rename(part, to); err != nil {
		return "", unusable(to, err)
	}
	return to, nil
}

// Parts of the names of copies.
const (
	backupInfix = ".backup-"
	partSuffix  = ".part" // not whole yet, or cut off
)

var backupName = regexp.MustCompile(`\.backup-(\d{8}T\d{6})-v(\d+)$`)

// prune removes what was cut off and all but the newest copies, never the one
// just made. Newest is the higher version, then the later time: versions only
// rise, while the clock may have been set back.
func (d *DB) prune(made string, keep int) error {
	found, err := filepath.Glob(escapeGlob(d.cfg.Path) + backupInfix + "*")
	if err != nil {
		return fmt.Errorf("look for copies: %w", err)
	}
	type copied struct {
		path, time string
		version    int64
	}
	var whole []copied
	var errs []error
	for _, path := range found {
		if strings.Contains(filepath.Base(path), partSuffix) { // or its journal
			errs = append(errs, os.Remove(path))
			continue
		}
		m := backupName.FindStringSubmatch(path)
		if m == nil || path == made {
			continue // not ours, or not to be touched
		}
		v, _ := strconv.ParseInt(m[2], 10, 64) // digits; one too long to count sorts as the oldest
		whole = append(whole, copied{path, m[1], v})
	}
	slices.SortFunc(whole, func(a, b copied) int {
		return cmp.Or(cmp.Compare(b.version, a.version), strings.Compare(b.time, a.time))
	})
	if made != "" {
		keep--
	}
	for _, c := range whole[min(max(keep, 0), len(whole)):] {
		errs = append(errs, os.Remove(c.path))
	}
	return errors.Join(errs...)
}

// Prune keeps the newest n copies from before migrations and removes the others.
func (d *DB) Prune(n int) error { return d.prune("", n) }

// escapeGlob has a path stand for itself in a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}
