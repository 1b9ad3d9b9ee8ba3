package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/app"
	"parley/mcp"
)

// File is the preferences and the file they rest in.
type File struct {
	path string

	// writing is held by the one who changes the file: a channel and not a
	// mutex, since it is held while the disk works.
	writing chan struct{}

	mu      sync.Mutex // guards the fields below
	now     app.Settings
	problem error
	subs    map[chan app.Settings]struct{}
}

// Open reads the file at path. It fails only when the folder cannot be used; a
// broken file leaves the defaults in force and a Problem.
func Open(path string) (*File, error) {
	if info, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("open settings: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("open settings: %s is not a folder", filepath.Dir(path))
	}
	f := &File{path: path, writing: make(chan struct{}, 1), subs: map[chan app.Settings]struct{}{}}
	f.now, _, f.problem = read(path)
	return f, nil
}

// read returns the settings in force and every key of the file, known or not.
// A file that is missing is no problem; with a problem the defaults are in
// force.
func read(path string) (app.Settings, map[string]json.RawMessage, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Defaults(), nil, nil
	}
	if err != nil {
		return Defaults(), nil, fmt.Errorf("read settings: %w", err)
	}
	var keys map[string]json.RawMessage
	s := Defaults()
	for _, into := range []any{&keys, &s} {
		if err := json.Unmarshal(data, into); err != nil {
			return Defaults(), nil, app.Errorf(app.CodeInvalidArgument, "%s cannot be understood, so the defaults are in force: %w", path, err)
		}
	}
	if err := verify(s); err != nil {
		return Defaults(), nil, app.Errorf(app.CodeInvalidArgument, "%s is refused, so the defaults are in force: %w", path, err)
	}
	s.ACPAgents = acpComplete(s.ACPAgents)
	return s, keys, nil
}

// Get returns the settings in force.
func (f *File) Get() app.Settings {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Problem says why the file is not in force, nil when it is.
func (f *File) Problem() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.problem
}

// Limits are the times of questions as the settings have them.
func (f *File) Limits() mcp.Limits {
	s := f.Get()
	return mcp.Limits{
		Deadline: time.Duration(s.DeadlineSeconds) * time.Second,
		MaxWait:  time.Duration(s.MaxWaitSeconds) * time.Second,
	}.Clamp()
}

// Set takes new settings as a whole. A refused change (app.CodeInvalidArgument)
// or one that could not be stored (app.CodeStorageFailed) changes nothing.
func (f *File) Set(ctx context.Context, s app.Settings) (app.Settings, error) {
	if err := verify(s); err != nil {
		return app.Settings{}, err
	}
	s.ACPAgents = acpComplete(s.ACPAgents)
	select {
	case f.writing <- struct{}{}:
	case <-ctx.Done():
		return app.Settings{}, ctx.Err()
	}
	defer func() { <-f.writing }()

	if err := f.store(s); err != nil {
		return app.Settings{}, app.Errorf(app.CodeStorageFailed, "The settings could not be saved: %w", err)
	}
	f.publish(s)
	return s, nil
}

// store writes s over the file, keeping keys that this version does not know,
// the mode, and the link when the file is one.
func (f *File) store(s app.Settings) error {
	path := f.path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	_, keys, problem := read(path)
	if problem != nil {
		// The broken file may hold work of the person's: keep it.
		aside := fmt.Sprintf("%s.broken-%d", path, time.Now().UnixMilli())
		if err := os.Rename(path, aside); err != nil {
			return fmt.Errorf("put the broken file aside: %w", err)
		}
	}
	ours, err := json.Marshal(s)
	if err != nil {
		return err
	}
	all := map[string]json.RawMessage{}
	maps.Copy(all, keys)
	var known map[string]json.RawMessage
	if err := json.Unmarshal(ours, &known); err != nil {
		return err
	}
	maps.Copy(all, known)
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return replace(path, append(data, '\n'))
}

// publish makes s the present and tells everybody. Set calls it, one at a time.
func (f *File) publish(s app.Settings) {
	f.mu.Lock()
	f.now, f.problem = s, nil
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

// Subscribe returns the settings in force and a channel with every later
// change, the newest when the reader is slow. stop ends it; the channel is not
// closed.
func (f *File) Subscribe() (now app.Settings, changes <-chan app.Settings, stop func()) {
	sub := make(chan app.Settings, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subs[sub] = struct{}{}
	return f.now, sub, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.subs, sub)
	}
}
