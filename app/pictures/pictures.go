// Package pictures keeps what a person pastes or drops into a message or an
// answer: one folder for each session, one file for each picture. What is kept
// is told by the bytes alone, never by a name or a type that came with them. It
// must not know who sends pictures or which agent takes them. A Store may be
// used from any goroutine.
package pictures

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"parley/app"
)

// Limit is the largest picture, in bytes. Base64 makes a third more of it, which
// still fits the body of a call.
const Limit = 3 << 20

// maxName bounds the name that is shown, in characters.
const maxName = 80

// kinds are the pictures that agents take, with the ends of their files' names.
var kinds = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp",
}

// folder is where pictures lie that an agent reads by itself: below the
// session's own folder, and hidden from git.
const folder = ".parley"

// Store is the pictures of all sessions, below one folder.
type Store struct{ dir string }

// New keeps pictures below dir, which is made with the first one.
func New(dir string) *Store { return &Store{dir} }

// Save keeps a picture of a session. name is shown to the person and is no part
// of the path. app.CodePayloadTooLarge and app.CodeInvalidArgument say what is
// wrong with it, app.CodeStorageFailed that it could not be written.
func (s *Store) Save(session app.SessionID, name string, data []byte) (app.Attachment, error) {
	if len(data) > Limit {
		return app.Attachment{}, &app.Error{Code: app.CodePayloadTooLarge, Field: "data", Limit: "3 MiB",
			Got: fmt.Sprintf("%.1f MiB", float64(len(data))/(1<<20)), Message: "The picture is larger than 3 MiB. Make it smaller, or save it in the folder and name it."}
	}
	mime := http.DetectContentType(data)
	end, ok := kinds[mime]
	if !ok {
		return app.Attachment{}, &app.Error{Code: app.CodeInvalidArgument, Field: "data", Limit: "PNG, JPEG, GIF or WebP", Got: mime,
			Message: "This is no picture that agents take: it must be PNG, JPEG, GIF or WebP."}
	}
	dir, err := s.of(session)
	if err != nil {
		return app.Attachment{}, err
	}
	file := strings.ToLower(rand.Text()) + end
	if err := keep(dir, file, data); err != nil {
		return app.Attachment{}, app.Errorf(app.CodeStorageFailed, "The picture could not be kept: %w", err)
	}
	return app.Attachment{Name: shown(name), Mime: mime, Path: filepath.Join(dir, file)}, nil
}

func keep(dir, file string, data []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return write(root, file, data)
}

// Open opens a picture of a session by the last part of its path, for showing
// it, and tells its type. app.CodeNotFound when there is none.
func (s *Store) Open(session app.SessionID, file string) (io.ReadSeekCloser, string, error) {
	missing := app.Errorf(app.CodeNotFound, "There is no such picture.")
	dir, err := s.of(session)
	mime := typeOf(file)
	if err != nil || mime == "" || file != filepath.Base(file) {
		return nil, "", missing
	}
	f, err := os.Open(filepath.Join(dir, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", missing
	}
	if err != nil {
		return nil, "", fmt.Errorf("open a picture: %w", err)
	}
	return f, mime, nil
}

// Hand puts a picture where an agent that works in cwd may read it by itself,
// and returns it with the path that it has there. A file that is none of ours
// stays where it is.
func (s *Store) Hand(cwd string, a app.Attachment) (app.Attachment, error) {
	if rel, err := filepath.Rel(s.dir, a.Path); err != nil || !filepath.IsLocal(rel) {
		return a, nil
	}
	data, err := os.ReadFile(a.Path)
	if err != nil {
		return a, fmt.Errorf("read a picture: %w", err)
	}
	// A link in the folder must not lead our writing out of it.
	root, err := os.OpenRoot(cwd)
	if err != nil {
		return a, fmt.Errorf("open the agent's folder: %w", err)
	}
	defer root.Close()
	file := filepath.Join(folder, "pictures", filepath.Base(a.Path))
	if err := root.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return a, fmt.Errorf("make a folder for pictures: %w", err)
	}
	// Git never takes up what lies here, this file among it.
	if err := write(root, filepath.Join(folder, ".gitignore"), []byte("*\n")); err != nil && !errors.Is(err, fs.ErrExist) {
		return a, fmt.Errorf("hide pictures from git: %w", err)
	}
	if err := write(root, file, data); err != nil && !errors.Is(err, fs.ErrExist) {
		return a, fmt.Errorf("hand over a picture: %w", err)
	}
	a.Path = filepath.Join(cwd, file)
	return a, nil
}

// Share gives the pictures of one session to another one as well: the same files
// by a second name, so that each session forgets its own.
func (s *Store) Share(from, to app.SessionID) error {
	source, err := s.of(from)
	if err != nil {
		return err
	}
	files, err := os.ReadDir(source)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for pictures: %w", err)
	}
	target, err := s.of(to)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(target, 0o700); err != nil {
		return fmt.Errorf("share pictures: %w", err)
	}
	var errs []error
	for _, file := range files {
		if typeOf(file.Name()) != "" {
			errs = append(errs, os.Link(filepath.Join(source, file.Name()), filepath.Join(target, file.Name())))
		}
	}
	return errors.Join(errs...)
}

// Forget removes all pictures of a session. Those that were handed to an agent
// lie in the person's folder and stay.
func (s *Store) Forget(session app.SessionID) error {
	dir, err := s.of(session)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the pictures of a session: %w", err)
	}
	return nil
}

// of is the folder of a session, whose id must not lead out of ours.
func (s *Store) of(session app.SessionID) (string, error) {
	if session == "" || session != filepath.Base(session) || !filepath.IsLocal(session) {
		return "", app.Errorf(app.CodeNotFound, "There is no such session.")
	}
	return filepath.Join(s.dir, session), nil
}

func typeOf(file string) string {
	for mime, end := range kinds {
		if filepath.Ext(file) == end {
			return mime
		}
	}
	return ""
}

// write makes a file that was not there.
func write(root *os.Root, path string, data []byte) error {
	f, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.Remove(path))
	}
	return nil
}

// shown is a name without what cannot be shown in a line, and not too long.
func shown(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	if r := []rune(strings.TrimSpace(name)); len(r) > maxName {
		return string(r[:maxName])
	} else if len(r) > 0 {
		return string(r)
	}
	return "picture"
}
