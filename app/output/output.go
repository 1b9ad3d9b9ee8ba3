// Package output keeps the outputs of tools that are too long for the record:
// one file each, in a folder for each session. It knows ids and bytes and
// neither the record nor who shows them. A file is never changed once it has its
// name, so all methods may be called from any goroutine.
package output

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/app"
)

// Files are the kept outputs below one folder.
type Files struct{ dir string }

// New keeps outputs below dir, which is made with the first one.
func New(dir string) *Files { return &Files{dir: dir} }

const ending = ".txt"

// partial begins the name of a file that is being written.
const partial = "part-"

// Keep writes the pieces of a text into a new file and returns its id and its
// size in bytes. When it returns, the file is whole; a crash before leaves one
// without a name, which Prune removes.
func (f *Files) Keep(session app.SessionID, pieces iter.Seq[string]) (id string, size int64, err error) {
	dir, err := f.folder(session)
	if err != nil {
		return "", 0, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", 0, fmt.Errorf("keep an output: %w", err)
	}
	part, err := os.CreateTemp(dir, partial)
	if err != nil {
		return "", 0, fmt.Errorf("keep an output: %w", err)
	}
	for piece := range pieces {
		n, werr := part.WriteString(piece)
		size += int64(n)
		if err = werr; err != nil {
			break
		}
	}
	id = rand.Text()
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), filepath.Join(dir, id+ending))
	}
	if err != nil {
		return "", 0, fmt.Errorf("keep an output: %w", errors.Join(err, os.Remove(part.Name())))
	}
	return id, size, nil
}

// Open opens an output for reading; the caller closes it. One that is not, or no
// longer, there is app.CodeNotFound.
func (f *Files) Open(session app.SessionID, id string) (*os.File, error) {
	dir, err := f.folder(session)
	if err != nil || !plain(id) {
		return nil, errGone
	}
	file, err := os.Open(filepath.Join(dir, id+ending))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errGone
	}
	if err != nil {
		return nil, fmt.Errorf("open an output: %w", err)
	}
	return file, nil
}

var errGone = app.Errorf(app.CodeNotFound, "This output is not kept any more.")

// Share gives the outputs of one session to another one as well, under the same
// ids: the same files by a second name, so that each session forgets its own.
func (f *Files) Share(from, to app.SessionID) error {
	source, err := f.folder(from)
	if err != nil {
		return err
	}
	files, err := os.ReadDir(source)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for outputs: %w", err)
	}
	target, err := f.folder(to)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(target, 0o700); err != nil {
		return fmt.Errorf("share outputs: %w", err)
	}
	var errs []error
	for _, file := range files {
		if filepath.Ext(file.Name()) == ending {
			errs = append(errs, os.Link(filepath.Join(source, file.Name()), filepath.Join(target, file.Name())))
		}
	}
	return errors.Join(errs...)
}

// Forget removes all outputs of a session.
func (f *Files) Forget(session app.SessionID) error {
	dir, err := f.folder(session)
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// Prune removes what is of no more use: the outputs of sessions that known does
// not know, those that were written before the given time (the zero time: none),
// and what a crash left half-written an hour ago or earlier.
func (f *Files) Prune(known func(app.SessionID) bool, before time.Time) error {
	folders, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for outputs: %w", err)
	}
	var errs []error
	for _, folder := range folders {
		dir := filepath.Join(f.dir, folder.Name())
		if !known(folder.Name()) {
			errs = append(errs, os.RemoveAll(dir))
			continue
		}
		files, err := os.ReadDir(dir)
		errs = append(errs, err)
		for _, file := range files {
			info, err := file.Info()
			if err != nil {
				continue // it has just been removed, or got its name
			}
			cut := strings.HasPrefix(file.Name(), partial) && time.Since(info.ModTime()) > time.Hour
			if cut || info.ModTime().Before(before) {
				errs = append(errs, os.Remove(filepath.Join(dir, file.Name())))
			}
		}
	}
	return errors.Join(errs...)
}

// folder is where a session's outputs lie. Ids come from callers, so what could
// be a path is none.
func (f *Files) folder(session app.SessionID) (string, error) {
	if !plain(session) {
		return "", errGone
	}
	return filepath.Join(f.dir, session), nil
}

// plain reports whether a name is letters, digits and hyphens alone.
func plain(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for _, r := range name {
		if r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return true
}
