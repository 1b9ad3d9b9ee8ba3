package store

import (
	"context"
	"database/sql"
	"errors"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"parley/app"
)

// storageError turns a database error into one that a person can act on. An
// error that carries a code already, or that is a context's, stays as it is.
func storageError(err error, doing string) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, ok := errors.AsType[*app.Error](err); ok {
		return err
	}
	if errors.Is(err, sql.ErrConnDone) {
		return errClosed
	}
	message, known := explain(err)
	if !known {
		message = "Parley's record could not be used. The log has the details."
	}
	return &app.Error{Code: app.CodeStorageFailed, Message: message, Err: errors.Join(errors.New(doing), err)}
}

// explain says in a sentence what is wrong with the record and what to do about
// it; known is false when the error doesn't tell.
func explain(err error) (sentence string, known bool) {
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return "", false
	}
	// Beside the record lie files that need room too; of them SQLite knows only
	// that something failed.
	switch e.SystemErrno {
	case syscall.ENOSPC:
		e.Code = sqlite3.ErrFull
	case syscall.EROFS:
		e.Code = sqlite3.ErrReadonly
	}
	switch e.Code {
	case sqlite3.ErrFull:
		return "The disk is full, so nothing more can be recorded. Free some space and try again; what was recorded before is safe.", true
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return "Another program keeps Parley's record locked. Close that program (a database browser, a backup) and try again.", true
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrAuth:
		return "Parley may not write its record. Make the data folder writable and try again.", true
	case sqlite3.ErrCantOpen:
		return "Parley's record can't be opened. Check that the data folder exists and that you may use it.", true
	case sqlite3.ErrIoErr:
		return "The disk reported an error while Parley's record was used. Check the disk, then start Parley again.", true
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return "Parley's record is damaged. Quit and start Parley again: it keeps the damaged file aside and goes on with a new one.", true
	case sqlite3.ErrTooBig:
		return "This is too large to be recorded.", true
	}
	return "", false
}

// damaged reports that the file is no sound database.
func damaged(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB)
}

// duplicate reports that a row with this key exists.
func duplicate(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.ExtendedCode == sqlite3.ErrConstraintUnique || e.ExtendedCode == sqlite3.ErrConstraintPrimaryKey)
}

// orNotFound names what a query found nothing of.
func orNotFound(err error, message string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return &app.Error{Code: app.CodeNotFound, Message: message}
	}
	return err
}
