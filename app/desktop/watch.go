//go:build desktop

package desktop

import (
	"context"
	"sync"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"parley/app"
	"parley/app/api"
)

var watchStart sync.Once

// watchOnce starts the watcher with the first page; later pages find it running.
func (w *window) watchOnce() { watchStart.Do(func() { go w.watch() }) }

// watch follows the back end's stream and keeps title, raise and notice right.
// It is the one owner of attention's state.
func (w *window) watch() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	notes := newNotifier(w.log, func(n notice) {
		if c := w.shell.ctx.Load(); c != nil {
			runtime.WindowUnminimise(*c) // presents it: a click asks for the window
		}
		w.shell.open(openRequest{SessionID: n.SessionID, InteractionID: n.InteractionID})
	})
	defer notes.Close()
	att := newAttention(&wailsSurface{w: w, notes: notes}, time.Now)

	frames := make(chan api.Frame)
	go func() {
		err := w.back.client.Follow(ctx, func(f api.Frame) {
			select {
			case frames <- f:
			case <-ctx.Done():
			}
		})
		if err != nil && ctx.Err() == nil {
			w.log.Error("the stream of events ended", "err", err)
		}
	}()
	for {
		var due <-chan time.Time
		if at := att.Due(); !at.IsZero() {
			due = time.After(time.Until(at))
		}
		select {
		case <-w.over:
			return
		case <-due:
			att.Tick()
		case f := <-frames:
			if !w.shell.quitting.Load() { // what ends with the quit is no news
				att.Apply(f)
			}
		case front := <-w.front:
			att.SetFront(front)
		}
	}
}

// wailsSurface is the window and the notification service.
type wailsSurface struct {
	w     *window
	notes *notifier
}

func (s *wailsSurface) SetTitle(title string) {
	if ctx := s.w.shell.ctx.Load(); ctx != nil {
		runtime.WindowSetTitle(*ctx, title)
	}
}

// Settings are asked for when there is something to announce, which is seldom.
func (s *wailsSurface) Settings() app.Settings {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	set, err := s.w.back.client.Settings(ctx)
	if err != nil {
		s.w.log.Info("settings are out of reach, so a notice hides its content", "err", err)
		return app.Settings{Notify: true, NotifySound: true, HideContent: true}
	}
	return set
}

// Claim asks the back end, which remembers what was told. When it doesn't answer,
// a notice too many is better than a question that nobody sees.
func (s *wailsSurface) Claim(ids []string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	ours, err := s.w.back.client.Noticed(ctx, ids)
	if err != nil {
		s.w.log.Info("it is not known what was told before", "err", err)
		return ids
	}
	return ours
}

func (s *wailsSurface) Quitting() bool  { return s.w.shell.quitting.Load() }
func (s *wailsSurface) Raise()          { raiseQuietly() }
func (s *wailsSurface) Notify(n notice) { s.notes.Show(n) }
func (s *wailsSurface) Withdraw()       { s.notes.Withdraw() }
