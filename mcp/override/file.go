package override

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/mcp/catalogue"
)

// Errors of a change. Others are *Invalid, or the disk's.
var (
	// ErrChanged: the file is not what the change was made for. Nothing was
	// written; look at it again.
	ErrChanged = errors.New("the file was changed meanwhile")
	// ErrReadOnly: its owner has closed the file to changes.
	ErrReadOnly = errors.New("the file is read-only")
	// ErrNothingToUndo: there is no change of ours to take back.
	ErrNothingToUndo = errors.New("there is nothing to undo")
	// ErrNoLastGood: no good state was ever kept.
	ErrNoLastGood = errors.New("no good state of the file is known")
)

// Force says what is in force.
type Force string

// What may be in force.
const (
	ForceFile     Force = "file"      // the text as it is
	ForceNothing  Force = "nothing"   // there is no file, or a broken one and no good state is known
	ForceLastGood Force = "last_good" // the file is broken
)

// State is the file and what of it is in force.
type State struct {
	Config   catalogue.Config // in force
	Force    Force
	GoodAt   time.Time           // since when the config is known; zero when nothing is in force
	Text     []byte              // of the file, good or not; nil when there is none or it cannot be read
	Revision string              // of Text, "" for nil
	Problems []catalogue.Problem // why Text is not in force, empty when it is
	ReadAt   time.Time           // when Text was seen first
	CanUndo  bool                // Text is what a change of ours left
}

// Broken reports whether the file is there and not in force.
func (s State) Broken() bool { return len(s.Problems) > 0 }

// Config is what a File stands on.
type Config struct {
	Path  string           // of the file; it may be a link
	State string           // a private folder, for the last good state and a lock
	Now   func() time.Time // nil is time.Now
	Log   *slog.Logger     // nil is slog.Default
}

// File is the override file.
type File struct {
	cfg Config

	// changing is held by whoever reads or writes the file: a channel and not a
	// mutex, since it is held while the disk works.
	changing chan struct{}

	mu   sync.Mutex // guards the fields below
	now  State
	subs map[chan State]struct{}
}

// Open reads the file. Neither a missing nor a broken one is an error: State
// tells.
func Open(cfg Config) (*File, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if info, err := os.Stat(cfg.State); err != nil {
		return nil, fmt.Errorf("open the override file: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("open the override file: %s is not a folder", cfg.State)
	}
	f := &File{cfg: cfg, changing: make(chan struct{}, 1), subs: map[chan State]struct{}{}}
	f.now.Force = ForceNothing
	if good, at, err := f.lastGood(); err == nil {
		f.now.Config, f.now.Force, f.now.GoodAt = good, ForceLastGood, at
	} else if !errors.Is(err, fs.ErrNotExist) {
		cfg.Log.Warn("read the last good MCP overrides", "error", err)
	}
	f.take(f.read())
	return f, nil
}

// State returns the present.
func (f *File) State() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Subscribe returns the present and a channel with every later state, the
// newest when the reader is slow. stop ends it; the channel is not closed.
func (f *File) Subscribe() (now State, changes <-chan State, stop func()) {
	sub := make(chan State, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subs[sub] = struct{}{}
	return f.now, sub, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.subs, sub)
	}
}

// seen is what one look at the file found.
type seen struct {
	text []byte // nil when there is no file
	err  error  // it is there and cannot be read
}

func (f *File) read() seen {
	text, err := os.ReadFile(f.cfg.Path)
	switch {
	case err == nil:
		return seen{text: append([]byte{}, text...)}
	case errors.Is(err, fs.ErrNotExist):
		return seen{}
	}
	return seen{err: err}
}

// take makes what was seen the present, and reports whether that is news. Its
// caller holds changing, or is Open.
func (f *File) take(s seen) bool {
	old := f.State()
	next := State{Config: old.Config, Force: old.Force, GoodAt: old.GoodAt, Text: s.text, Revision: revision(s.text), ReadAt: f.cfg.Now()}
	switch {
	case s.err != nil:
		next.Problems = []catalogue.Problem{{Text: "The file cannot be read: " + s.err.Error() + "."}}
		if slices.Equal(next.Problems, old.Problems) {
			return false
		}
	case s.text == nil && old.Text == nil && !old.Broken() && !old.ReadAt.IsZero(),
		s.text != nil && next.Revision == old.Revision:
		return false
	case s.text == nil:
		next.Config, next.Force, next.GoodAt = catalogue.Config{}, ForceNothing, time.Time{}
	default:
		config, err := Parse(s.text)
		if err != nil {
			next.Problems = problemsOf(err)
			break
		}
		next.Config, next.Force, next.GoodAt = config, ForceFile, next.ReadAt
		if err := f.keepGood(s.text); err != nil {
			f.cfg.Log.Warn("keep the good MCP overrides", "error", err)
		}
	}
	next.CanUndo = f.undoable(next.Revision)
	if next.Broken() && next.Force == ForceFile {
		next.Force = ForceLastGood
	}
	f.publish(next)
	return true
}

func problemsOf(err error) []catalogue.Problem {
	if bad, ok := errors.AsType[*Invalid](err); ok {
		return bad.Problems
	}
	return []catalogue.Problem{{Text: err.Error()}}
}

func revision(text []byte) string {
	if text == nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// publish makes s the present and tells everybody. One at a time calls it.
func (f *File) publish(s State) {
	f.mu.Lock()
	f.now = s
	subs := slices.Collect(maps.Keys(f.subs))
	f.mu.Unlock()
	for _, sub := range subs {
		// A subscriber wants the newest, so a waiting older one makes room.
		// Nobody else sends and there is room for one: neither step blocks.
		select {
		case <-sub:
		default:
		}
		sub <- s
	}
}

func (f *File) goodPath() string { return filepath.Join(f.cfg.State, "mcp-overrides.last-good.jsonc") }
func (f *File) lockPath() string { return filepath.Join(f.cfg.State, "mcp-overrides.lock") }

func (f *File) lastGood() (catalogue.Config, time.Time, error) {
	text, err := os.ReadFile(f.goodPath())
	if err != nil {
		return catalogue.Config{}, time.Time{}, err
	}
	info, err := os.Stat(f.goodPath())
	if err != nil {
		return catalogue.Config{}, time.Time{}, err
	}
	config, err := Parse(text)
	return config, info.ModTime(), err
}

// keepGood keeps a good text for a time when the file is broken.
func (f *File) keepGood(text []byte) error {
	if old, err := os.ReadFile(f.goodPath()); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return overwrite(f.goodPath(), text)
}

// Edit makes changes in the file as it is now. base is the revision that they
// were made for, or "" when they fit any. A broken file is not edited: the
// error is *Invalid. So is that of a change after which the file would not be
// taken.
func (f *File) Edit(ctx context.Context, base string, changes ...Change) (State, error) {
	return f.change(ctx, base, func(text []byte) ([]byte, error) {
		if text == nil {
			text = []byte(Empty)
		}
		if _, err := Parse(text); err != nil {
			return nil, err
		}
		return Apply(text, changes...)
	})
}

// Replace gives the file a new text as a whole, as an editor does. base is the
// revision that the person saw, "" when there was no file.
func (f *File) Replace(ctx context.Context, base string, text []byte) (State, error) {
	return f.change(ctx, base, func(old []byte) ([]byte, error) {
		if revision(old) != base {
			return nil, ErrChanged
		}
		return text, nil
	})
}

// Undo takes the newest change of ours back, byte for byte, also one of before a
// restart or of another process. When the file was changed since, it is left
// alone: ErrChanged.
func (f *File) Undo(ctx context.Context) (State, error) {
	return f.locked(ctx, func() error {
		list := f.undos()
		if len(list) == 0 {
			return ErrNothingToUndo
		}
		last := list[len(list)-1]
		s := f.read()
		if s.err != nil {
			return s.err
		}
		if revision(s.text) != last.After {
			return ErrChanged
		}
		if err := f.put(s.text, last.Before); err != nil {
			return err
		}
		f.keepUndos(list[:len(list)-1])
		return nil
	})
}

// Restore puts the last good text in place of a broken one, which is kept
// beside the file under the name that is returned.
func (f *File) Restore(ctx context.Context, base string) (st State, aside string, err error) {
	st, err = f.locked(ctx, func() error {
		s := f.read()
		if s.err != nil {
			return s.err
		}
		if revision(s.text) != base {
			return ErrChanged
		}
		good, err := os.ReadFile(f.goodPath())
		if errors.Is(err, fs.ErrNotExist) {
			return ErrNoLastGood
		} else if err != nil {
			return err
		}
		aside = fmt.Sprintf("%s.broken-%d", f.cfg.Path, f.cfg.Now().UnixMilli())
		if err := overwrite(aside, s.text); err != nil {
			return err
		}
		return f.put(s.text, good)
	})
	return st, aside, err
}

// change rewrites the file from its present text, and again when somebody else
// was faster.
func (f *File) change(ctx context.Context, base string, rewrite func(text []byte) ([]byte, error)) (State, error) {
	return f.locked(ctx, func() error {
		for {
			s := f.read()
			if s.err != nil {
				return s.err
			}
			if base != "" && revision(s.text) != base {
				return ErrChanged
			}
			text, err := rewrite(s.text)
			if err != nil {
				return err
			}
			if bytes.Equal(text, s.text) {
				return nil
			}
			if _, err := Parse(text); err != nil {
				return err
			}
			// Noted first: whoever sees the new text finds how to take it back.
			before := f.undos()
			f.keepUndos(append(before[:len(before):len(before)], undo{s.text, revision(text)}))
			if err = f.put(s.text, text); err == nil {
				return nil
			}
			f.keepUndos(before)
			if errors.Is(err, ErrChanged) && ctx.Err() == nil {
				continue
			}
			return err
		}
	})
}

// locked runs do with the file to ourselves, as far as our own writers go (of
// other processes too), and takes what it left.
func (f *File) locked(ctx context.Context, do func() error) (State, error) {
	if err := ctx.Err(); err != nil {
		return f.State(), err
	}
	select {
	case f.changing <- struct{}{}:
	case <-ctx.Done():
		return f.State(), ctx.Err()
	}
	defer func() { <-f.changing }()
	unlock, err := lock(ctx, f.lockPath())
	if err != nil {
		return f.State(), err
	}
	defer unlock()
	err = do()
	f.take(f.read())
	return f.State(), err
}

// put writes the file, or removes it for nil.
func (f *File) put(old, text []byte) error {
	if text == nil {
		return remove(f.cfg.Path, old)
	}
	if err := replace(f.cfg.Path, old, text); err != nil {
		return err
	}
	// The schema is ours and helps editors; without it everything still works.
	schema := filepath.Join(filepath.Dir(f.cfg.Path), SchemaName)
	if now, err := os.ReadFile(schema); err != nil || !bytes.Equal(now, Schema) {
		if err := overwrite(schema, Schema); err != nil {
			f.cfg.Log.Debug("write the schema of the MCP overrides", "error", err)
		}
	}
	return nil
}
