package override

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replace puts text in place of a file that still holds old, else ErrChanged;
// nil is no file. A reader sees the old text or the new one, and a full disk
// leaves the old one. Links are followed and stay; mode and owner are kept.
func replace(path string, old, text []byte) error {
	return place(path, text, func(target string) error {
		now, err := os.ReadFile(target)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			now = nil
		case err != nil:
			return err
		}
		if (now == nil) != (old == nil) || !bytes.Equal(now, old) {
			return ErrChanged
		}
		return nil
	})
}

// overwrite is replace for a file that is ours alone.
func overwrite(path string, text []byte) error {
	return place(path, text, func(string) error { return nil })
}

// place writes beside the file, asks whether it may go on, and renames.
func place(path string, text []byte, may func(target string) error) (err error) {
	target, err := follow(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	mode, exists := fs.FileMode(0o600), err == nil
	if exists {
		mode = info.Mode().Perm()
		if mode&0o200 == 0 {
			return fmt.Errorf("%w: %s", ErrReadOnly, target)
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), ".mcp-overrides-*")
	if err != nil {
		return fmt.Errorf("write beside the file: %w", err)
	}
	defer func() {
		if rest := os.Remove(tmp.Name()); rest != nil && !errors.Is(rest, fs.ErrNotExist) {
			err = errors.Join(err, rest)
		}
	}()
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Chmod(mode))
	if err == nil && exists {
		err = keepOwner(tmp, info)
	}
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("write beside the file: %w", err)
	}
	if err := may(target); err != nil {
		return err
	}
	if !exists {
		// A link is made only where nothing is, so a file that came meanwhile is
		// not lost.
		switch err := os.Link(tmp.Name(), target); {
		case err == nil:
			syncFolder(target)
			return nil
		case errors.Is(err, fs.ErrExist):
			return ErrChanged
		}
		// Some file systems have no links.
	}
	if err := os.Rename(tmp.Name(), target); err != nil {
		return err
	}
	syncFolder(target)
	return nil
}

// remove takes a file away that still holds old.
func remove(path string, old []byte) error {
	target, err := follow(path)
	if err != nil {
		return err
	}
	if now, err := os.ReadFile(target); err != nil || !bytes.Equal(now, old) {
		return errors.Join(ErrChanged, err)
	}
	if err := os.Remove(target); err != nil {
		return err
	}
	syncFolder(target)
	return nil
}

// maxLinks bounds a chain of links, as systems do.
const maxLinks = 40

// follow is the file at the end of a chain of links; it need not exist.
func follow(path string) (string, error) {
	for range maxLinks {
		next, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link, or nothing at all
		}
		if !filepath.IsAbs(next) {
			// A link lies in the real folder, whatever it was called on the way.
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			next = filepath.Join(dir, next)
		}
		path = next
	}
	return "", fmt.Errorf("too many links lead on from %s", path)
}

// syncFolder makes a rename last through a power cut. Not every system can, and
// the file is whole all the same.
func syncFolder(path string) {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return
	}
	defer dir.Close()
	_ = dir.Sync()
}
