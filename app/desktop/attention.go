package desktop

import (
	"strings"
	"unicode/utf8"

	"parley/app"
	"parley/app/api"
	"parley/app/mask"
)

// surface is what attention needs of the window and the system around it.
type surface interface {
	SetTitle(title string)
	// Settings are the person's preferences as they are now.
	Settings() app.Settings
	// Raise brings the window up without taking the keyboard.
	Raise()
	// Notify shows or replaces the one system notice of Parley.
	Notify(n notice)
	// Withdraw takes the notice down.
	Withdraw()
}

// notice is what the system shows while the window is not in front. Opening it
// brings up exactly this interaction.
type notice struct {
	InteractionID string
	SessionID     string
	Title         string
	Body          string
}

// attention turns the stream of events into the window's title, a raise and a
// notice. It keeps the open interactions by id and nothing else. It is used by
// one goroutine; SetFront may come from the same one only.
type attention struct {
	out   surface
	front bool // the window has the keyboard
	open  map[string]app.Interaction
	told  map[string]bool // a question is announced once in its life
	shown string          // id in the notice that is up, "" when none is
}

func newAttention(out surface) *attention {
	return &attention{out: out, open: map[string]app.Interaction{}, told: map[string]bool{}}
}

// SetFront says whether the window has the keyboard: then the person sees the
// card itself, and a notice would only repeat it.
func (a *attention) SetFront(front bool) {
	a.front = front
	if !front {
		return
	}
	for id := range a.open {
		a.told[id] = true
	}
	a.withdraw()
}

// Apply takes one frame of the stream.
func (a *attention) Apply(f api.Frame) {
	var fresh []app.Interaction
	if f.Snapshot != nil {
		a.open = map[string]app.Interaction{}
		for _, in := range f.Snapshot.Interactions {
			if in.Waiting() {
				a.open[in.ID] = in
				fresh = append(fresh, in)
			}
		}
	}
	for _, e := range f.Events {
		switch d := e.Data.(type) {
		case *app.Interaction:
			a.open[d.ID] = *d
			fresh = append(fresh, *d)
		case *app.InteractionResolved:
			delete(a.open, d.InteractionID)
			delete(a.told, d.InteractionID)
		}
	}
	if a.shown != "" {
		if _, still := a.open[a.shown]; !still {
			a.withdraw()
		}
	}
	a.announce(fresh)
	a.out.SetTitle(windowTitle(len(a.open)))
}

// announce raises the window and shows one notice for what is new: the newest
// question in full, the others as a count.
func (a *attention) announce(fresh []app.Interaction) {
	var newest *app.Interaction
	for i := range fresh {
		in := &fresh[i]
		if _, open := a.open[in.ID]; !open || a.told[in.ID] {
			continue
		}
		a.told[in.ID] = true
		if newest == nil || in.RequestedAt >= newest.RequestedAt {
			newest = in
		}
	}
	if newest == nil || a.front {
		return
	}
	a.out.Raise()
	settings := a.out.Settings()
	if !settings.Notify {
		return
	}
	a.shown = newest.ID
	a.out.Notify(compose(*newest, len(a.open)-1, settings))
}

func (a *attention) withdraw() {
	if a.shown != "" {
		a.shown = ""
		a.out.Withdraw()
	}
}

// compose writes the notice. With hidden content it says only that somebody
// asks, since a notice may stand on a locked screen.
func compose(in app.Interaction, more int, s app.Settings) notice {
	t := textsFor(s.Language)
	n := notice{InteractionID: in.ID, SessionID: in.SessionID, Title: t.asks(in.Kind)}
	if !s.HideContent {
		if in.SessionTitle != "" {
			n.Title += " · " + shorten(in.SessionTitle, 60)
		}
		// The service keeps what it showed.
		n.Body = shorten(mask.Shapes(question(in)), 200)
	}
	if more > 0 {
		if n.Body != "" {
			n.Body += "\n"
		}
		n.Body += t.more(more)
	}
	return n
}

// question is the text of an interaction that stands first on its card.
func question(in app.Interaction) string {
	switch {
	case in.Approval != nil && in.Approval.Command != "":
		return in.Approval.Command
	case in.Approval != nil:
		return strings.TrimSpace(in.Approval.Title + " " + in.Approval.Detail)
	case in.Question != "":
		return in.Question
	case len(in.Questions) > 0:
		return in.Questions[0].Question
	}
	return ""
}

// shorten cuts a text to n code points on one line.
func shorten(s string, n int) string {
	s = strings.Join(strings.Fields(app.Plain(s)), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
