package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"parley/app"
	"parley/app/store/sqlgen"
)

// History reads a page of all that was ever asked, newest first. Filters that
// are empty ask for everything. A cursor that is none is
// app.CodeInvalidArgument.
func (d *DB) History(ctx context.Context, f app.HistoryFilter) (page app.HistoryPage, err error) {
	p, err := historyParams(f)
	if err != nil {
		return page, err
	}
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		rows, err := q.ListHistory(ctx, p)
		page.Interactions, err = fromInteractions(rows, err, d.now())
		return err
	})
	if f.Limit > 0 && len(page.Interactions) > f.Limit { // one more was asked for, to know whether there is one
		page.Interactions = page.Interactions[:f.Limit]
		page.Next = cursorAt(page.Interactions[f.Limit-1])
	}
	return page, err
}

func historyParams(f app.HistoryFilter) (p sqlgen.ListHistoryParams, err error) {
	p = sqlgen.ListHistoryParams{
		SessionID: f.SessionID, Agent: f.Agent, Kind: f.Kind, Ended: string(f.End),
		Since: f.Since, Until: math.MaxInt64, BeforeMs: math.MaxInt64, Most: -1,
	}
	if f.Until > 0 {
		p.Until = f.Until
	}
	if f.Limit > 0 {
		p.Most = int64(f.Limit) + 1
	}
	if f.Cursor != "" {
		ms, id, ok := strings.Cut(f.Cursor, "_")
		p.BeforeMs, err = strconv.ParseInt(ms, 10, 64)
		if !ok || err != nil {
			return p, &app.Error{Code: app.CodeInvalidArgument, Field: "cursor", Got: f.Cursor, Message: "This is no place in the history."}
		}
		p.BeforeID = id
	}
	words, err := json.Marshal(strings.Fields(strings.ToLower(f.Search)))
	if err != nil {
		return p, fmt.Errorf("encode a search: %w", err)
	}
	p.Words = string(words)
	return p, nil
}

// cursorAt names the place behind an interaction.
func cursorAt(in app.Interaction) string {
	return strconv.FormatInt(in.RequestedAt, 10) + "_" + in.ID
}

// saveText keeps what a search looks through. It holds nothing of a draft: what
// was not sent belongs to no history.
func (t *tx) saveText(in app.Interaction) error {
	return t.SaveInteractionText(t.ctx, sqlgen.SaveInteractionTextParams{InteractionID: in.ID, Text: strings.ToLower(text(searchable(in)))})
}

// searchable is every text of an interaction that a person may remember.
func searchable(in app.Interaction) string {
	all := []string{in.Question, in.Header, in.SessionTitle, in.URL}
	options := func(list []app.Option) {
		for _, o := range list {
			all = append(all, o.Label, o.Description)
		}
	}
	options(in.Options)
	for _, f := range in.Questions {
		all = append(all, f.Question, f.Header, f.Description)
		options(f.Options)
	}
	if a := in.Approval; a != nil {
		all = append(all, a.Title, a.Detail, a.Why)
	}
	if o := in.Outcome; o != nil {
		all = append(all, o.Response, o.Note)
	}
	if l := in.Late; l != nil {
		all = append(all, l.Response)
	}
	return strings.Join(all, "\n")
}
