//go:build desktop

package desktop

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"sync/atomic"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// Events that go from Go to the page. The page never sends events of its own:
// removing the last listener of a name in the page would remove Go's too.
const (
	eventOpen = "parley:open" // openRequest: bring up a session, and an interaction in it
	eventQuit = "parley:quit" // int: agents that would be stopped; the page asks once
)

// openRequest is the data of eventOpen.
type openRequest struct {
	SessionID     string `json:"session_id"`
	InteractionID string `json:"interaction_id"`
}

// Shell is what the page may ask of the window, and all of it: everything else
// goes through the API. Wails binds its exported methods, each call on a
// goroutine of its own; this version of Wails does not recover a panic in one,
// so each does itself.
type Shell struct {
	log      *slog.Logger
	ctx      atomic.Pointer[context.Context] // Wails' context; nil before start-up
	ready    atomic.Bool                     // the page has said that it listens
	quitting atomic.Bool                     // the person has agreed to quit
	keeping  atomic.Bool                     // and wants the agents to go on
	pending  atomic.Pointer[openRequest]     // what to bring up once the page listens
}

// Ready says that the page listens for events: those sent before are lost. It
// returns what should be brought up, if anything.
func (s *Shell) Ready() (r openRequest, err error) {
	defer s.recovered("Ready", &err)
	s.ready.Store(true)
	if p := s.pending.Swap(nil); p != nil {
		r = *p
	}
	return r, nil
}

// PickFolder opens the system's dialog; "" means that the person closed it.
func (s *Shell) PickFolder(start string) (path string, err error) {
	defer s.recovered("PickFolder", &err)
	ctx := s.ctx.Load()
	if ctx == nil {
		return "", nil
	}
	return runtime.OpenDirectoryDialog(*ctx, runtime.OpenDialogOptions{DefaultDirectory: start, CanCreateDirectories: true})
}

// OpenLink opens a link in the person's browser or mail program. Other schemes
// are refused: the text came from an agent.
func (s *Shell) OpenLink(link string) (err error) {
	defer s.recovered("OpenLink", &err)
	u, err := url.Parse(link)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto") {
		return fmt.Errorf("only web and mail links are opened")
	}
	if ctx := s.ctx.Load(); ctx != nil {
		runtime.BrowserOpenURL(*ctx, u.String())
	}
	return nil
}

// Quit ends the program after the person agreed to it in the page.
func (s *Shell) Quit() (err error) {
	defer s.recovered("Quit", &err)
	s.quit()
	return nil
}

// Leave closes the window, as Quit does, and lets the back end go on until its
// agents are done.
func (s *Shell) Leave() (err error) {
	defer s.recovered("Leave", &err)
	s.keeping.Store(true)
	s.quit()
	return nil
}

// quit may be called from any goroutine and more than once.
func (s *Shell) quit() {
	s.quitting.Store(true)
	if ctx := s.ctx.Load(); ctx != nil {
		runtime.Quit(*ctx)
	}
}

// open brings an interaction up in the page, now or once it listens.
func (s *Shell) open(r openRequest) {
	ctx := s.ctx.Load()
	if ctx == nil || !s.ready.Load() {
		s.pending.Store(&r)
		return
	}
	runtime.EventsEmit(*ctx, eventOpen, r)
}

// askQuit reports whether the page was there to ask the person.
func (s *Shell) askQuit(agents int) bool {
	ctx := s.ctx.Load()
	if ctx == nil || !s.ready.Load() {
		return false
	}
	runtime.EventsEmit(*ctx, eventQuit, agents)
	return true
}

func (s *Shell) recovered(where string, err *error) {
	if p := recover(); p != nil {
		s.log.Error("a call of the page failed", "call", where, "panic", p)
		*err = fmt.Errorf("something went wrong inside Parley; the log has the details")
	}
}
