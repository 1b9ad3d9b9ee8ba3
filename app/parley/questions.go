package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"parley/app"
	"parley/app/api"
)

// questions lists what agents wait for.
func (p *program) questions(ctx context.Context, args []string) (int, error) {
	fs := flags("questions")
	asJSON := fs.Bool("json", false, "")
	watch := fs.Bool("watch", false, "")
	movedOn := fs.Bool("moved-on", false, "")
	h := historyFlags(fs)
	if err := none(fs, args); err != nil {
		return 0, err
	}
	if past, err := h.asked(fs, *watch || *movedOn); err != nil || past {
		if err != nil {
			return 0, err
		}
		return p.history(ctx, h, *asJSON)
	}
	state := app.InteractionsWaiting
	if *movedOn {
		state = app.InteractionsMovedOn
	}
	if *watch && *movedOn {
		return 0, usagef("--watch and --moved-on don't go together.")
	}
	if *watch {
		return p.with(ctx, func(b *backend) (int, error) { return exitDone, p.watch(ctx, b, *asJSON) })
	}
	return p.look(ctx, func(b *backend) (int, error) {
		list, err := b.Interactions(ctx, app.InteractionFilter{State: state})
		if err != nil {
			return 0, err
		}
		return exitDone, p.list(list, *asJSON)
	})
}

func (p *program) list(list []app.Interaction, asJSON bool) error {
	if asJSON {
		for _, in := range list {
			if err := p.line(in); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list) == 0 {
		p.say("Nothing is asked.")
		return nil
	}
	w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tAGENT\tSESSION\tLEFT\tQUESTION")
	for _, in := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", shortID(in.ID), oneLine(in.Agent, 12), oneLine(in.SessionTitle, 24),
			leftOrEnd(in), oneLine(whatIsAsked(in), 80))
	}
	return w.Flush()
}

func leftOrEnd(in app.Interaction) string {
	if in.Waiting() {
		return left(in)
	}
	return string(in.Outcome.Reason)
}

// shortID is the end of an id: its beginning is a time, alike in all of a day.
func shortID(id string) string { return id[max(0, len(id)-8):] }

// watch prints each question that waits, that comes, and how it ends, until the
// person has enough. With JSON each line is a whole interaction, as it is then. It
// outlives the questions' sessions and the back end.
func (p *program) watch(ctx context.Context, b *backend, asJSON bool) error {
	w := questionWatch{p: p, b: b, asJSON: asJSON, shown: map[string]app.Interaction{}}
	var failed error
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	err := b.Follow(ctx, func(f api.Frame) {
		if err := w.frame(ctx, f); err != nil && failed == nil {
			failed = err
			stop(err)
		}
	})
	if failed != nil {
		err = failed
	}
	if errors.Is(err, errInterrupted) {
		return nil
	}
	return err
}

// questionWatch prints questions as they come and end.
type questionWatch struct {
	p      *program
	b      *backend
	asJSON bool
	shown  map[string]app.Interaction // those that waited when they were printed last
}

func (w *questionWatch) frame(ctx context.Context, f api.Frame) error {
	if f.Snapshot != nil {
		if err := w.present(ctx, *f.Snapshot); err != nil {
			return err
		}
	}
	for _, e := range f.Events {
		var told app.Interaction
		switch d := e.Data.(type) {
		case *app.Interaction:
			told = *d
		case *app.InteractionResolved:
			told = w.shown[d.InteractionID]
			told.ID, told.Outcome = d.InteractionID, &d.Outcome
		default:
			continue
		}
		if err := w.tell(w.now(ctx, told)); err != nil {
			return err
		}
	}
	return nil
}

// present prints what waits and, when events were missed, how those ended that no
// longer do. What the record no longer has went with its session.
func (w *questionWatch) present(ctx context.Context, s app.Snapshot) error {
	here := map[string]bool{}
	for _, in := range s.Interactions {
		here[in.ID] = true
		if err := w.tell(in); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.shown)) {
		if here[id] {
			continue
		}
		if err := w.tell(w.now(ctx, w.shown[id])); err != nil {
			return err
		}
	}
	return nil
}

// now is a question as the record has it, or as it was told when the record can't
// say: its session was deleted, or the back end is about to end.
func (w *questionWatch) now(ctx context.Context, told app.Interaction) app.Interaction {
	if in, err := w.b.Interaction(ctx, told.ID); err == nil {
		return in
	}
	return told
}

// tell prints a question that is new, or newly settled. What had ended before the
// watch began is not news.
func (w *questionWatch) tell(in app.Interaction) error {
	if _, known := w.shown[in.ID]; known == in.Waiting() {
		return nil
	}
	if in.Waiting() {
		w.shown[in.ID] = in
	} else {
		delete(w.shown, in.ID)
	}
	if w.asJSON {
		return w.p.line(in)
	}
	if in.Waiting() {
		_, err := fmt.Fprintf(w.p.Out, "%s\n", plain(asked(in)))
		return err
	}
	_, err := fmt.Fprintf(w.p.Out, "%s %s\n", shortID(in.ID), plain(settled(*in.Outcome)))
	return err
}

// agents lists what is installed.
func (p *program) agents(ctx context.Context, args []string) (int, error) {
	fs := flags("agents")
	asJSON := fs.Bool("json", false, "")
	refresh := fs.Bool("refresh", false, "")
	if err := none(fs, args); err != nil {
		return 0, err
	}
	return p.look(ctx, func(b *backend) (int, error) {
		list, err := b.Agents(ctx, *refresh)
		if err != nil {
			return 0, err
		}
		if *asJSON {
			return exitDone, p.line(list)
		}
		w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "AGENT\tSTATE\tVERSION\tPATH")
		for _, a := range list.Agents {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", a.Family, strings.ReplaceAll(string(a.State), "_", " "), cmp.Or(a.Version, "-"), cmp.Or(a.Path, "-"))
		}
		if err := w.Flush(); err != nil {
			return 0, err
		}
		for _, a := range list.Agents {
			if a.Problem != nil && a.State != api.AgentNotFound {
				p.say("%s: %s %s", a.Family, plain(a.Problem.Title), plain(a.Problem.Advice))
			}
		}
		if report, err := b.DoctorReport(ctx); err == nil {
			for _, f := range report.Changed {
				p.say("%s: another version than the doctor last tried. Try it: parley doctor %s", f, f)
			}
		}
		p.say("%s", strings.TrimSpace("Looked in the PATH of: "+plain(list.PathSource)+". "+plain(list.Problem)))
		return exitDone, nil
	})
}
