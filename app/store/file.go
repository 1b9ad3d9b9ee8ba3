package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"parley/app"
)

const (
	// markSuffix names the file that asks the next start for a whole check.
	markSuffix = ".check"
	// stamp is how a time is written in a file's name.
	stamp = "20060102T150405"
)

// refuseRealHome keeps tests away from a person's own record.
func refuseRealHome(path string) error {
	if !testing.Testing() {
		return nil
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return nil // there is no such folder, so opening it fails by itself
	}
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return fmt.Errorf("find the folder for temporary files: %w", err)
	}
	if rel, err := filepath.Rel(temp, folder); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return fmt.Errorf("a test must not open a record outside %s: %s", temp, path)
	}
	return nil
}

// kept is what was found damaged and kept aside.
type kept struct {
	record string // where the record was moved to
	log    string // where the log of writes was copied to
}

// prepareFile makes sure that there is a file that can be opened: it makes a new
// one, readable by its owner alone, and keeps aside what is damaged.
func prepareFile(ctx context.Context, path string, now time.Time) (kept, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return kept{}, unusable(path, err)
	}
	info, err := f.Stat()
	f.Close()
	if err != nil {
		return kept{}, unusable(path, err)
	}
	if info.Size() == 0 {
		// New, unless a log of writes to it says that there was more.
		if wal, err := os.Stat(path + "-wal"); err != nil || wal.Size() == 0 {
			return kept{}, nil
		}
		return moveAside(path, now)
	}
	var k kept
	if garbled(path + "-wal") {
		if k.log, err = copyAside(path+"-wal", now); err != nil {
			return k, err
		}
	}
	err = check(ctx, path)
	if cutOff(err) {
		if err = rollBack(ctx, path); err == nil {
			err = check(ctx, path)
		}
	}
	if err == nil {
		return k, os.RemoveAll(path + markSuffix)
	}
	if !damaged(err) && !errors.Is(err, errUnsound) {
		return kept{}, storageError(err, "check")
	}
	return moveAside(path, now)
}

func unusable(path string, err error) error {
	message := fmt.Sprintf("Parley's record %s can't be opened: %v.", path, errors.Unwrap(err))
	switch {
	case errors.Is(err, fs.ErrPermission):
		message = fmt.Sprintf("Parley may not write %s. Make that file and its folder writable, or choose another data folder.", path)
	case errors.Is(err, syscall.ENOSPC):
		message = fmt.Sprintf("The disk that holds %s is full. Free some space and start Parley again; what was recorded before is safe.", path)
	case errors.Is(err, syscall.EROFS):
		message = fmt.Sprintf("%s lies on a disk that can only be read. Make it writable, or choose another data folder.", path)
	case errors.Is(err, fs.ErrNotExist):
		message = fmt.Sprintf("The data folder %s does not exist.", filepath.Dir(path))
	}
	return &app.Error{Code: app.CodeStorageFailed, Message: message, Err: err}
}

var errUnsound = errors.New("the integrity check failed")

// check looks at the head of the file, and at all of it when a mark asks for
// that. It changes nothing.
func check(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite3", readDSN(path))
	if err != nil {
		return err
	}
	defer db.Close()
	var n int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n); err != nil {
		return err
	}
	if _, err := os.Stat(path + markSuffix); err != nil {
		return nil
	}
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", errUnsound, verdict)
	}
	return nil
}

// cutOff reports a transaction that is left to be undone: its writer was killed
// while SQLite kept the old pages in a journal beside the file, as it does until
// a new record is switched to a log of writes. Who may only read can't undo it.
func cutOff(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && e.ExtendedCode == sqlite3.ErrReadonlyRollback
}

// rollBack lets SQLite undo such a transaction, as its first look at the file
// does when it may write.
func rollBack(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite3", dsn(path, "mode=rw&_busy_timeout=1000"))
	if err != nil {
		return err
	}
	defer db.Close()
	var n int
	return db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n)
}

// moveAside renames the file and what belongs to it, so that a rescue can be
// tried later, and makes room for a new one. Nothing is overwritten.
func moveAside(path string, now time.Time) (kept, error) {
	aside := asideName(path, now)
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kept{}, unusable(path, err)
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return kept{}, unusable(path, err)
	}
	return kept{record: aside}, errors.Join(f.Close(), os.RemoveAll(path+markSuffix))
}

// copyAside copies a file that SQLite will go on with as far as it can.
func copyAside(path string, now time.Time) (string, error) {
	aside := asideName(path, now)
	from, err := os.Open(path)
	if err != nil {
		return "", unusable(path, err)
	}
	defer from.Close()
	to, err := os.OpenFile(aside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", unusable(aside, err)
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err != nil {
		return "", errors.Join(unusable(aside, err), os.Remove(aside))
	}
	return aside, nil
}

// asideName is a name for a damaged file that nothing bears.
func asideName(path string, now time.Time) string {
	first := path + ".damaged-" + now.Format(stamp)
	aside := first
	for n := 2; ; n++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside
		}
		aside = fmt.Sprintf("%s-%d", first, n)
	}
}

// writeDSN sets everything that a connection needs when it is made, since a
// pragma given later holds for one connection only. The lock is taken when a
// transaction begins: one that starts reading and writes later can't wait for
// it and fails.
func writeDSN(path string) string {
	return dsn(path, "_journal_mode=WAL&_synchronous=NORMAL&_busy_timeout=1000&_foreign_keys=on&_txlock=immediate&_stmt_cache_size=64")
}

func readDSN(path string) string {
	return dsn(path, "mode=ro&_query_only=1&_busy_timeout=15000&_stmt_cache_size=64")
}

func dsn(path, options string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	return "file:" + (&url.URL{Path: slashed}).EscapedPath() + "?" + options
}
