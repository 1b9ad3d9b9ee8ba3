package main

import (
	"context"
	"flag"
	"slices"
	"time"

	"parley/app"
)

// pastFlags choose a part of all that was ever asked.
type pastFlags struct {
	history bool
	export  string // md or json, "" lists
	filter  app.HistoryFilter
	since   string
	until   string
	limit   int
}

func historyFlags(fs *flag.FlagSet) *pastFlags {
	h := &pastFlags{}
	fs.BoolVar(&h.history, "history", false, "")
	fs.StringVar(&h.export, "export", "", "")
	fs.StringVar(&h.filter.Search, "search", "", "")
	fs.StringVar(&h.filter.SessionID, "session", "", "")
	fs.StringVar(&h.filter.Agent, "agent", "", "")
	fs.StringVar((*string)(&h.filter.Kind), "kind", "", "")
	fs.StringVar((*string)(&h.filter.End), "end", "", "")
	fs.StringVar(&h.since, "since", "", "")
	fs.StringVar(&h.until, "until", "", "")
	fs.IntVar(&h.limit, "limit", 50, "")
	return h
}

// asked reports whether the past is asked for, and reads its flags. present says
// that a flag asks for the present.
func (h *pastFlags) asked(fs *flag.FlagSet, present bool) (bool, error) {
	chosen := false
	fs.Visit(func(f *flag.Flag) {
		chosen = chosen || slices.Contains([]string{"search", "session", "agent", "kind", "end", "since", "until", "limit"}, f.Name)
	})
	past := h.history || h.export != ""
	switch {
	case !past && chosen:
		return false, usagef("--search, --session, --agent, --kind, --end, --since, --until and --limit choose from the past: add --history or --export.")
	case past && present:
		return false, usagef("--history and --export are about the past, --watch and --moved-on about the present.")
	case h.export != "" && h.export != "md" && h.export != "json":
		return false, usagef("--export wants md or json.")
	case h.limit < 1:
		return false, usagef("--limit wants a number above 0.")
	}
	var err1, err2 error
	h.filter.Since, err1 = day("--since", h.since)
	h.filter.Until, err2 = day("--until", h.until)
	if err1 == nil {
		err1 = err2
	}
	return past, err1
}

// day reads a point in time as a person writes it, in local time: a day, or a day
// and a time. "" is 0.
func day(name, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t.UnixMilli(), nil
		}
	}
	return 0, usagef("%s wants a day such as 2026-11-30, or a day and a time.", name)
}

// history lists or exports what was asked before. An export is all of it.
func (p *program) history(ctx context.Context, h *pastFlags, asJSON bool) (int, error) {
	return p.look(ctx, func(b *backend) (int, error) {
		if h.filter.SessionID != "" {
			s, err := findSession(ctx, b, h.filter.SessionID)
			if err != nil {
				return 0, err
			}
			h.filter.SessionID = s.ID
		}
		if h.export != "" {
			return exitDone, b.ExportHistory(ctx, h.export, h.filter, p.Out)
		}
		var list []app.Interaction
		for f := h.filter; len(list) < h.limit; {
			f.Limit = h.limit - len(list)
			page, err := b.History(ctx, f)
			if err != nil {
				return 0, err
			}
			list = append(list, page.Interactions...)
			if f.Cursor = page.Next; f.Cursor == "" {
				break
			}
		}
		return exitDone, p.list(list, asJSON)
	})
}
