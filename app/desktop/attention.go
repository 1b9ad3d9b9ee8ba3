package desktop

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/app"
	"parley/app/api"
	"parley/app/mask"
)

// Pace of notices.
const (
	// noticeGap is how far apart notices are: what comes meanwhile is merged into
	// the next one.
	noticeGap = 2 * time.Second
	// finishedWait is how long the end of a turn waits for others to be told
	// together with it.
	finishedWait = 5 * time.Second
)

// surface is what attention needs of the window and the system around it.
type surface interface {
	SetTitle(title string)
	// Settings are the person's preferences as they are now.
	Settings() app.Settings
	// Claim returns those of the questions that nobody was told of yet and nobody
	// has seen: each is given out once, whatever windows there are and were.
	Claim(ids []string) []string
	// Quitting says that the person has agreed to quit.
	Quitting() bool
	// Raise brings the window up without taking the keyboard.
	Raise()
	// Notify shows or replaces the one system notice of Parley.
	Notify(n notice)
	// Withdraw takes the notice down.
	Withdraw()
}

// notice is what the system shows while the window is not in front. Opening it
// brings up exactly this interaction, or this session when there is none.
type notice struct {
	InteractionID string
	SessionID     string
	Title         string
	Body          string
	Silent        bool // without the system's sound
}

// attention turns the stream of events into the window's title, a raise and one
// notice: the newest question first, all else as counts. It is used by one
// goroutine, which calls Tick when Due has come.
type attention struct {
	out surface
	now func() time.Time

	front    bool // the window has the keyboard
	open     map[string]app.Interaction
	told     map[string]bool   // waiting questions that need no notice (any more)
	titles   map[string]string // of sessions
	finished []string          // sessions whose turns have ended since the window was in front
	since    time.Time         // when the first of them that was not told did
	untold   int               // of finished, those that no notice has counted
	shown    string            // id of the question in the notice that is up
	up       bool              // a notice is up
	last     time.Time         // when the last notice came up
	quiet    time.Time         // no notice before, zero when none is held back
}

func newAttention(out surface, now func() time.Time) *attention {
	return &attention{out: out, now: now, open: map[string]app.Interaction{}, told: map[string]bool{}, titles: map[string]string{}}
}

// SetFront says whether the window has the keyboard: then no notice is needed.
// What was in view meanwhile the page has reported as seen; what was not, the
// person is told of when they leave.
func (a *attention) SetFront(front bool) {
	a.front = front
	if front {
		a.finished, a.untold, a.quiet = nil, 0, time.Time{}
		a.withdraw()
		return
	}
	a.Tick()
}

// Apply takes one frame of the stream.
func (a *attention) Apply(f api.Frame) {
	if f.Snapshot != nil {
		a.open = map[string]app.Interaction{}
		for _, in := range f.Snapshot.Interactions {
			a.add(in)
		}
		for _, s := range f.Snapshot.Sessions {
			a.titles[s.ID] = s.Title
		}
	}
	for _, e := range f.Events {
		switch d := e.Data.(type) {
		case *app.Interaction:
			a.add(*d)
		case *app.InteractionResolved:
			delete(a.open, d.InteractionID)
			delete(a.told, d.InteractionID)
		case *app.Session:
			a.titles[e.SessionID] = d.Title
		case *app.TurnEnded:
			a.ended(e.SessionID, d.Status)
		}
	}
	if _, still := a.open[a.shown]; a.shown != "" && !still {
		a.goOn()
	}
	a.Tick()
	a.out.SetTitle(windowTitle(len(a.open)))
}

// add takes a question that waits; one that a rule has answered never did.
func (a *attention) add(in app.Interaction) {
	if in.Waiting() {
		a.open[in.ID] = in
	}
}

// ended counts a turn that ended by itself. A stop is the person's own doing,
// and the end of everything when Parley quits.
func (a *attention) ended(session string, status app.TurnStatus) {
	if a.front || a.out.Quitting() || status != app.TurnCompleted && status != app.TurnFailed {
		return
	}
	if a.untold == 0 {
		a.since = a.now()
	}
	a.untold++
	a.finished = append(a.finished, session)
}

// Due is when Tick is to be called; zero when only an event can change anything.
func (a *attention) Due() time.Time {
	questions := len(a.waitsToBeTold()) > 0
	if a.front || a.out.Quitting() || !questions && a.untold == 0 {
		return time.Time{}
	}
	due := a.last.Add(noticeGap)
	if wait := a.since.Add(finishedWait); !questions && wait.After(due) {
		due = wait
	}
	if a.quiet.After(due) {
		due = a.quiet
	}
	return due
}

// waitsToBeTold are the questions without a notice so far, newest first.
func (a *attention) waitsToBeTold() []app.Interaction {
	var list []app.Interaction
	for id, in := range a.open {
		if !a.told[id] {
			list = append(list, in)
		}
	}
	slices.SortFunc(list, func(x, y app.Interaction) int {
		return cmp.Or(cmp.Compare(y.RequestedAt, x.RequestedAt), cmp.Compare(y.ID, x.ID))
	})
	return list
}

// Tick tells what is due.
func (a *attention) Tick() {
	now := a.now()
	if due := a.Due(); due.IsZero() || now.Before(due) {
		return
	}
	s := a.out.Settings()
	if until, quiet := quietUntil(s, now); quiet {
		a.quiet = until
		return
	}
	a.quiet = time.Time{}
	fresh := a.claim(a.waitsToBeTold())
	if !s.NotifyFinished {
		a.finished, a.untold = nil, 0
	}
	if len(fresh) > 0 {
		a.out.Raise()
		a.shown = fresh[0].ID
	} else if a.untold == 0 {
		return
	}
	a.untold = 0
	if !s.Notify {
		a.shown = ""
		return
	}
	a.last, a.up = now, true
	a.out.Notify(a.compose(s))
}

// claim marks questions as told and returns those that this window is to tell of.
func (a *attention) claim(list []app.Interaction) []app.Interaction {
	if len(list) == 0 {
		return nil
	}
	ids := make([]string, 0, len(list))
	for _, in := range list {
		ids = append(ids, in.ID)
		a.told[in.ID] = true
	}
	ours := a.out.Claim(ids)
	return slices.DeleteFunc(list, func(in app.Interaction) bool { return !slices.Contains(ours, in.ID) })
}

// goOn replaces a notice whose question is settled by one of those that it only
// counted, without a sound: they were told of, and still wait. Without one it
// goes.
func (a *attention) goOn() {
	var next app.Interaction
	for id, in := range a.open {
		if a.told[id] && (next.ID == "" || in.RequestedAt > next.RequestedAt) {
			next = in
		}
	}
	if next.ID == "" || !a.up {
		a.withdraw()
		return
	}
	a.shown = next.ID
	n := a.compose(a.out.Settings())
	n.Silent = true
	a.out.Notify(n)
}

func (a *attention) withdraw() {
	a.shown = ""
	if a.up {
		a.up = false
		a.out.Withdraw()
	}
}

// quietUntil returns the end of the quiet hours when now lies in them.
func quietUntil(s app.Settings, now time.Time) (time.Time, bool) {
	from, err1 := time.Parse("15:04", s.QuietFrom)
	until, err2 := time.Parse("15:04", s.QuietUntil)
	if err1 != nil || err2 != nil {
		return time.Time{}, false // none
	}
	at := func(clock time.Time, days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, clock.Hour(), clock.Minute(), 0, 0, now.Location())
	}
	// The hours that began yesterday and those that begin today; they end on the
	// next day when their end is earlier in the day than their beginning.
	over := 0
	if until.Before(from) {
		over = 1
	}
	for _, day := range []int{-1, 0} {
		if begin, end := at(from, day), at(until, day+over); !now.Before(begin) && now.Before(end) {
			return end, true
		}
	}
	return time.Time{}, false
}

// compose writes the notice. With hidden content it says only that somebody
// asks, since a notice may stand on a locked screen.
func (a *attention) compose(s app.Settings) notice {
	t := textsFor(s.Language)
	n := notice{Silent: !s.NotifySound}
	var lines []string
	if in, asks := a.open[a.shown]; asks {
		n.InteractionID, n.SessionID, n.Title = in.ID, in.SessionID, t.asks(in.Kind)
		if !s.HideContent {
			n.Title += titled(in.SessionTitle)
			lines = append(lines, shorten(mask.Shapes(question(in)), 200)) // the service keeps what it showed
		}
		if more := len(a.open) - 1; more > 0 {
			lines = append(lines, t.more(more))
		}
		if len(a.finished) > 0 {
			lines = append(lines, t.finished(len(a.finished)))
		}
	} else {
		n.SessionID, n.Title = a.finished[len(a.finished)-1], t.finished(len(a.finished))
		if len(a.finished) == 1 && !s.HideContent {
			n.Title += titled(a.titles[n.SessionID])
		}
		if len(a.open) > 0 {
			lines = append(lines, t.more(len(a.open)))
		}
	}
	n.Body = strings.TrimPrefix(strings.Join(lines, "\n"), "\n")
	return n
}

func titled(title string) string {
	if title == "" {
		return ""
	}
	return " · " + shorten(title, 60)
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
