package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
// person has enough. With JSON each line is a whole interaction, as it is then.
func (p *program) watch(ctx context.Context, b *backend, asJSON bool) error {
	shown := map[string]bool{} // by id: was it shown as settled
	var failed error
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	err := b.Follow(ctx, func(f api.Frame) {
		if err := p.watchFrame(ctx, b, f, asJSON, shown); err != nil && failed == nil {
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

func (p *program) watchFrame(ctx context.Context, b *backend, f api.Frame, asJSON bool, shown map[string]bool) error {
	if f.Snapshot != nil {
		for _, in := range f.Snapshot.Interactions {
			if err := p.watched(in, asJSON, shown); err != nil {
				return err
			}
		}
	}
	for _, e := range f.Events {
		var id string
		switch d := e.Data.(type) {
		case *app.Interaction:
			id = d.ID
		case *app.InteractionResolved:
			id = d.InteractionID
		default:
			continue
		}
		in, err := b.Interaction(ctx, id)
		if err != nil {
			return err
		}
		if err := p.watched(in, asJSON, shown); err != nil {
			return err
		}
	}
	return nil
}

// watched prints a question that is new, or newly settled. What had ended
// before the watch began is not news.
func (p *program) watched(in app.Interaction, asJSON bool, shown map[string]bool) error {
	settledBefore, known := shown[in.ID]
	if known && settledBefore == !in.Waiting() || !known && !in.Waiting() {
		return nil
	}
	shown[in.ID] = !in.Waiting()
	if asJSON {
		return p.line(in)
	}
	if in.Waiting() {
		_, err := fmt.Fprintf(p.Out, "%s\n", plain(asked(in)))
		return err
	}
	_, err := fmt.Fprintf(p.Out, "%s %s\n", shortID(in.ID), plain(settled(*in.Outcome)))
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
