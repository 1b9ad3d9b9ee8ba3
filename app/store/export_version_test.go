package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// MakeVersion makes a record as an older version had it, and fills it.
func MakeVersion(ctx context.Context, path string, version int64, fill func(exec func(string) error) error) error {
	db, err := sql.Open("sqlite3", writeDSN(path))
	if err != nil {
		return err
	}
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, sub, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = provider.UpTo(ctx, version)
	if err == nil {
		err = fill(func(q string) error { _, err := db.ExecContext(ctx, q); return err })
	}
	return errors.Join(err, db.Close())
}
