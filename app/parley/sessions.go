package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"parley/app"
	"parley/app/api"
)

// sessions lists, shows, resumes, stops, closes, forks and exports conversations.
func (p *program) sessions(ctx context.Context, args []string) (int, error) {
	if len(args) == 0 {
		return 0, usagef("parley sessions wants list, show, resume, stop, close, fork or export.")
	}
	verb, args := args[0], args[1:]
	fs := flags("sessions " + verb)
	var asJSON bool
	if verb != "stop" && verb != "close" { // which have nothing to tell
		fs.BoolVar(&asJSON, "json", false, "")
	}
	var outputs string
	if verb == "export" {
		fs.StringVar(&outputs, "outputs", "", "")
	}
	rest, err := parse(fs, args)
	if err != nil {
		return 0, err
	}
	if verb == "resume" { // tells a first interrupt from a second itself
		return p.resume(ctx, rest, asJSON)
	}
	ctx, stop := p.untilInterrupt(ctx)
	defer stop()
	p.heeds = true
	switch {
	case verb == "list" && len(rest) == 0:
		return p.look(ctx, func(b *backend) (int, error) { return exitDone, p.listSessions(ctx, b, asJSON) })
	case verb == "show" && len(rest) == 1:
		return p.look(ctx, withSession(ctx, rest[0], func(b *backend, s app.Session) (int, error) {
			return exitDone, p.showSession(ctx, b, s, asJSON)
		}))
	case verb == "export" && len(rest) == 1:
		return p.look(ctx, withSession(ctx, rest[0], func(b *backend, s app.Session) (int, error) {
			return exitDone, p.export(ctx, b, s, asJSON, outputs)
		}))
	case verb == "fork" && len(rest) == 1:
		return p.with(ctx, withSession(ctx, rest[0], func(b *backend, s app.Session) (int, error) {
			return exitDone, p.forkSession(ctx, b, s, asJSON)
		}))
	case verb == "stop" && len(rest) == 1:
		return p.look(ctx, withSession(ctx, rest[0], func(b *backend, s app.Session) (int, error) {
			return exitDone, b.Stop(ctx, s.ID)
		}))
	case verb == "close" && len(rest) == 1:
		return p.look(ctx, withSession(ctx, rest[0], func(b *backend, s app.Session) (int, error) {
			_, err := b.Client.Close(ctx, s.ID)
			return exitDone, err
		}))
	case verb == "-h", verb == "--help", verb == "help":
		return 0, errHelp
	case slices.Contains([]string{"show", "stop", "close", "fork", "export"}, verb):
		return 0, usagef("parley sessions %s wants the id of one session.", verb)
	default:
		return 0, usagef("parley sessions doesn't know what %q means.", strings.Join(append([]string{verb}, rest...), " "))
	}
}

// withSession is f on the session that part names.
func withSession(ctx context.Context, part string, f func(*backend, app.Session) (int, error)) func(*backend) (int, error) {
	return func(b *backend) (int, error) {
		s, err := findSession(ctx, b, part)
		if err != nil {
			return 0, err
		}
		return f(b, s)
	}
}

func findSession(ctx context.Context, b *backend, part string) (app.Session, error) {
	list, err := b.Sessions(ctx)
	if err != nil {
		return app.Session{}, err
	}
	return find(list, part, "session", func(s app.Session) string { return s.ID })
}

func (p *program) listSessions(ctx context.Context, b *backend, asJSON bool) error {
	list, err := b.Sessions(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		for _, s := range list {
			if err := p.line(s); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list) == 0 {
		p.say("There is no session yet.")
		return nil
	}
	w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tAGENT\tSTATE\tASKS\tCHANGED\tTITLE")
	for _, s := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\n", shortID(s.ID), oneLine(s.Agent, 12), stateOf(s), s.WaitingFor,
			time.UnixMilli(s.UpdatedAt).Format(time.DateTime), oneLine(s.Title, 60))
	}
	return w.Flush()
}

// stateOf is a session's state in a word. A form that waits has no turn under way.
func stateOf(s app.Session) string {
	if s.State == app.StateIdle && s.WaitingFor > 0 {
		return "form waits"
	}
	return string(s.State)
}

// shownSession is a session with what runs for it now.
type shownSession struct {
	app.Session
	Processes []app.Process `json:"processes"`
}

func (p *program) showSession(ctx context.Context, b *backend, s app.Session, asJSON bool) error {
	processes, err := b.Processes(ctx, s.ID)
	if err != nil {
		return err
	}
	if asJSON {
		return p.line(shownSession{s, processes})
	}
	w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
	for _, row := range [][2]string{
		{"id", s.ID}, {"title", s.Title}, {"agent", s.Agent}, {"profile", s.Profile}, {"folder", s.Cwd}, {"branch", s.Branch},
		{"model", s.Model}, {"mode", s.Mode}, {"state", stateOf(s)}, {"asks", fmt.Sprint(s.WaitingFor)},
		{"queued", fmt.Sprint(len(s.Queued))}, {"last turn", string(s.LastStatus)}, {"agent's own id", s.NativeID},
		{"forked from", s.ForkedFrom},
	} {
		if row[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", row[0], oneLine(row[1], 400))
		}
	}
	if err := w.Flush(); err != nil || len(processes) == 0 {
		return err
	}
	fmt.Fprintln(w, "\nPID\tPROCESS\tMEMORY\tSINCE\tWAITS FOR\tTOLD FROM")
	for _, q := range processes {
		fmt.Fprintf(w, "%d\t%s%s\t%.1f MB\t%s\t%s\t%s\n", q.PID, strings.Repeat("  ", q.Depth), oneLine(q.Name, 24),
			float64(q.RSSBytes)/1e6, (time.Duration(q.AgeMS) * time.Millisecond).Round(time.Second), waitsFor(q), oneLine(q.Because, 120))
	}
	return w.Flush()
}

// forkSession begins a session with a copy of another one's conversation.
func (p *program) forkSession(ctx context.Context, b *backend, s app.Session, asJSON bool) error {
	fork, err := b.Fork(ctx, s.ID)
	if err != nil {
		return err
	}
	if asJSON {
		return p.line(fork)
	}
	_, err = fmt.Fprintln(p.Out, fork.ID)
	p.say("It knows what was said in %s. Go on in it: parley sessions resume %s PROMPT", shortID(s.ID), shortID(fork.ID))
	return err
}

// waitsFor is what a process waits for, in words.
func waitsFor(q app.Process) string {
	words := map[app.ProcessWait]string{
		app.WaitAnswer: "your answer", app.WaitMessage: "your next message", app.WaitNothing: "nothing: it works",
		app.WaitRead: "input", app.WaitWrite: "its output to be read", app.WaitChild: "a process that it started",
		app.WaitEvent: "something to happen", app.WaitTimer: "a time to pass", app.WaitLock: "another of its threads",
		app.WaitDisk: "the system", app.WaitSignal: "a signal", app.WaitStopped: "somebody to let it go on",
	}[q.Waits]
	if words == "" {
		return "it can't be told"
	}
	if q.On != "" {
		words += ": " + oneLine(q.On, 80)
	}
	return words
}

// resume sends the next message of a session and follows its turn. Without one
// it goes on with what waits: a form is asked here, or an answer that was given
// goes out.
func (p *program) resume(ctx context.Context, rest []string, asJSON bool) (int, error) {
	if len(rest) == 0 {
		return 0, usagef("parley sessions resume wants the id of a session, and a prompt unless something waits in it.")
	}
	text := ""
	if len(rest) > 1 {
		var err error
		if text, err = p.prompt(rest[1:]); err != nil {
			return 0, err
		}
	}
	return p.repeat(ctx, withSession(ctx, rest[0], func(b *backend, s app.Session) (int, error) {
		t := p.talk(b, asJSON)
		t.last = s.LastSeq
		if s.Closed { // going on with it is to open it again
			var err error
			if s, err = b.Resume(ctx, s.ID); err != nil {
				return 0, err
			}
			if text == "" && s.State == app.StateIdle && len(s.Queued) == 0 && s.WaitingFor == 0 {
				p.say("The session is open again. Say what the agent is to do: parley sessions resume %s PROMPT", shortID(s.ID))
				return exitDone, nil
			}
		}
		form, waits, owed, err := newestForm(ctx, b, s.ID)
		switch {
		case err != nil:
			return 0, err
		case waits && !t.ask.here():
			p.say("%s", plain(asked(form)))
			p.say("A form waits in this session, so nothing was sent.")
			return exitDeferred, nil
		case waits && text == "":
			return t.follow(ctx, func(context.Context) (app.SessionID, app.TurnID, error) {
				t.ask.add(form)
				return s.ID, "", nil
			})
		case text != "":
			return t.follow(ctx, func(ctx context.Context) (app.SessionID, app.TurnID, error) {
				reply, err := b.Send(ctx, s.ID, api.NewMessage{Text: text})
				return s.ID, reply.TurnID, err
			})
		case len(s.Queued) == 0 && !owed && s.LastStatus != app.TurnDeferred:
			return 0, usagef("Nothing waits in this session. Say what the agent is to do: parley sessions resume %s PROMPT", shortID(s.ID))
		}
		t.joined = true
		return t.follow(ctx, func(ctx context.Context) (app.SessionID, app.TurnID, error) {
			now, err := b.Resume(ctx, s.ID)
			if err != nil {
				return s.ID, "", err
			}
			turn, err := underWay(ctx, b, s)
			if err == nil {
				err = t.askWaiting(ctx, s.ID)
			}
			if err == nil && turn == "" && now.State == app.StateIdle && len(now.Queued) == 0 {
				err = usagef("Nothing waits in this session. Say what the agent is to do: parley sessions resume %s PROMPT", shortID(s.ID))
			}
			return s.ID, turn, err
		})
	}))
}

// askWaiting asks what the session's turn asked before it was joined.
func (t *talk) askWaiting(ctx context.Context, id app.SessionID) error {
	list, err := t.c.Interactions(ctx, app.InteractionFilter{State: app.InteractionsWaiting, SessionID: id})
	for _, in := range list {
		if t.ask.here() {
			t.ask.add(in)
		} else {
			t.p.say("%s", plain(asked(in)))
		}
	}
	return err
}

// underWay finds the turn that ran when the session was read, such as the one
// that a form's answer had begun. "" is none.
func underWay(ctx context.Context, b *backend, s app.Session) (app.TurnID, error) {
	for before := s.LastSeq + 1; ; {
		page, err := b.Events(ctx, s.ID, before, 0, 1000)
		if err != nil {
			return "", err
		}
		for _, e := range slices.Backward(page.Events) {
			if e.Type == app.EventTurnStarted {
				return e.TurnID, nil
			}
			if _, ended := e.Data.(*app.TurnEnded); ended {
				return "", nil
			}
		}
		if !page.More || len(page.Events) == 0 {
			return "", nil
		}
		before = page.Events[0].Seq
	}
}

// newestForm finds the form that a session waits for, or whose answer was given
// and has not reached the agent.
func newestForm(ctx context.Context, b *backend, id app.SessionID) (form app.Interaction, waits, owed bool, err error) {
	list, err := b.Interactions(ctx, app.InteractionFilter{SessionID: id})
	i := slices.IndexFunc(list, func(in app.Interaction) bool { return in.Kind == app.KindForm })
	if err != nil || i < 0 {
		return form, false, false, err
	}
	form = list[i]
	waits = form.Waiting()
	return form, waits, !waits && form.Outcome.Reason == app.ReasonResponse && form.DeliveredAt == 0, nil
}
