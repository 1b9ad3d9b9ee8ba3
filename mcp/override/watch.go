package override

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Times of the watch. A change is seen within a second in every case.
const (
	settle    = 150 * time.Millisecond // of quiet before the file is read: editors save in several steps
	settleMax = 600 * time.Millisecond // even if there is no quiet
	goneFor   = 400 * time.Millisecond // before a missing file counts as deleted: some editors delete and make anew
	lookEvery = 800 * time.Millisecond // while the system does not tell us of changes
)

// Serve watches the file until the context ends. It follows the file through
// links, through being replaced and through its folder coming and going. Where
// the system cannot tell of changes it looks by itself.
func (f *File) Serve(ctx context.Context) error {
	w := &watch{file: f}
	if events, err := fsnotify.NewWatcher(); err != nil {
		f.cfg.Log.Warn("the MCP overrides are looked at every second, since the system does not tell of changes", "error", err)
	} else {
		defer events.Close()
		w.events = events
	}
	return w.serve(ctx)
}

// String names the service in a log.
func (f *File) String() string { return "MCP overrides" }

// watch is the state of one Serve.
type watch struct {
	file   *File
	events *fsnotify.Watcher // nil: the system gave none
	names  map[string]bool   // paths whose change may be the file's
	whole  bool              // all folders are watched
}

func (w *watch) serve(ctx context.Context) error {
	var incoming chan fsnotify.Event
	var failures chan error
	if w.events != nil {
		incoming, failures = w.events.Events, w.events.Errors
	}
	quiet, look := time.NewTimer(0), time.NewTimer(lookEvery)
	defer quiet.Stop()
	defer look.Stop()
	var first, missing time.Time // of a burst of events; since when the file is not there
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-incoming:
			if !ok {
				incoming = nil
				continue
			}
			if !w.names[filepath.Clean(e.Name)] || e.Op == fsnotify.Chmod {
				continue
			}
			if first.IsZero() {
				first = time.Now()
			}
			quiet.Reset(max(0, min(settle, settleMax-time.Since(first))))
		case err, ok := <-failures:
			if !ok {
				failures = nil
				continue
			}
			// Events may have been lost: look.
			w.file.cfg.Log.Debug("watch the MCP overrides", "error", err)
			quiet.Reset(0)
		case <-quiet.C:
			first = time.Time{}
			w.follow()
			if again := w.reload(ctx, &missing); again {
				quiet.Reset(goneFor / 4)
			}
		case <-look.C:
			if !w.whole {
				w.follow()
				if again := w.reload(ctx, &missing); again {
					quiet.Reset(goneFor / 4)
				}
			}
			look.Reset(lookEvery)
		}
	}
}

// reload takes what is there now. It asks to be called again while a file is
// missing that may come back.
func (w *watch) reload(ctx context.Context, missing *time.Time) (again bool) {
	f := w.file
	select {
	case f.changing <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	defer func() { <-f.changing }()
	s := f.read()
	if s.text == nil && s.err == nil && f.State().Text != nil {
		if missing.IsZero() {
			*missing = time.Now()
		}
		if time.Since(*missing) < goneFor {
			return true
		}
	}
	*missing = time.Time{}
	if f.take(s) {
		st := f.State()
		f.cfg.Log.Info("MCP overrides", "in_force", string(st.Force), "problems", len(st.Problems))
	}
	return false
}

// follow watches the folders of the file and of every link on the way to it,
// and no others.
func (w *watch) follow() {
	w.names = map[string]bool{}
	want := map[string]bool{}
	path := w.file.cfg.Path
	for range maxLinks {
		dir := filepath.Dir(path)
		want[dir] = true
		w.names[filepath.Clean(path)] = true
		w.names[dir] = true // the folder itself was removed
		next, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(next) {
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				dir = real
			}
			next = filepath.Join(dir, next)
		}
		path = next
	}
	w.whole = w.events != nil
	if w.events == nil {
		return
	}
	watched := map[string]bool{}
	for _, dir := range w.events.WatchList() {
		watched[dir] = true
	}
	for dir := range want {
		if watched[dir] {
			continue
		}
		if err := w.events.Add(dir); err != nil {
			w.whole = false // it may be gone for a while
		}
	}
	for dir := range watched {
		if !want[dir] {
			_ = w.events.Remove(dir) // it may be gone already
		}
	}
}
