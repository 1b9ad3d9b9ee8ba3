package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"parley/app"
	"parley/app/store/sqlgen"
)

const (
	defaultPage = 200
	maxPage     = 1000
	// maxPageBytes bounds a page by what it holds: a thousand long tool results
	// would be a message of hundreds of megabytes.
	maxPageBytes = 8 << 20
)

// Append stores events of a session in order and returns the last number. Long
// outputs are cut (see app.MaxPart).
func (d *DB) Append(ctx context.Context, id app.SessionID, facts ...app.Fact) (last int64, err error) {
	err = d.update(ctx, func(t *tx) error {
		if _, err := t.row(id); err != nil {
			return err
		}
		last, err = t.emit(id, facts...)
		return err
	})
	return last, err
}

// emit numbers facts, stores them and notes them for publishing.
func (t *tx) emit(id app.SessionID, facts ...app.Fact) (last int64, err error) {
	last, err = t.TakeSeqs(t.ctx, sqlgen.TakeSeqsParams{N: int64(len(facts)), ID: id})
	if err != nil {
		return 0, orNotFound(err, noSession)
	}
	for i, f := range facts {
		e := app.Event{Seq: last - int64(len(facts)-1-i), At: t.now, SessionID: id, TurnID: f.TurnID, Type: f.Type, Data: shorten(f.Data)}
		data, err := json.Marshal(e.Data)
		if err != nil {
			return 0, fmt.Errorf("encode %s: %w", e.Type, err)
		}
		err = t.InsertEvent(t.ctx, sqlgen.InsertEventParams{
			SessionID: id, Seq: e.Seq, AtMs: e.At, TurnID: e.TurnID, Type: e.Type, Data: string(data),
		})
		if err != nil {
			return 0, err
		}
		t.events = append(t.events, e)
	}
	return last, nil
}

// Events pages through a session's events in rising order: those above after
// and below before (0: no bound), the newest limit of them unless only after is
// given. A page ends early when it grows large. through is the number up to
// which the page is true: the stream goes on from there. more says that the
// session has further events in the direction of reading within the bounds.
func (d *DB) Events(ctx context.Context, id app.SessionID, before, after int64, limit int) (events []app.Event, through int64, more bool, err error) {
	if limit <= 0 {
		limit = defaultPage
	}
	limit = min(limit, maxPage)
	up := before == 0 && after > 0
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		row, err := q.GetSession(ctx, id)
		if err != nil {
			return orNotFound(err, noSession)
		}
		through = row.LastSeq
		if before == 0 {
			before = row.LastSeq + 1
		}
		var seqs []int64
		if seqs, more, err = pageSeqs(ctx, q, id, before, after, limit, up); err != nil || len(seqs) == 0 {
			return err
		}
		low, high := slices.Min(seqs), slices.Max(seqs)
		if up && more {
			through = high
		}
		rows, err := q.ListEvents(ctx, sqlgen.ListEventsParams{SessionID: id, Low: low, High: high})
		if err != nil {
			return err
		}
		events, err = decodeEvents(rows)
		return err
	})
	return events, through, more, err
}

// pageSeqs chooses the numbers of a page by count and by size, at least one.
func pageSeqs(ctx context.Context, q *sqlgen.Queries, id app.SessionID, before, after int64, limit int, up bool) (seqs []int64, more bool, err error) {
	type entry struct{ seq, size int64 }
	var entries []entry
	most := int64(limit) + 1 // one beyond tells whether there is more
	if up {
		rows, err := q.EventSizesUp(ctx, sqlgen.EventSizesUpParams{SessionID: id, After: after, Most: most})
		if err != nil {
			return nil, false, err
		}
		for _, r := range rows {
			entries = append(entries, entry{r.Seq, r.Size})
		}
	} else {
		rows, err := q.EventSizesDown(ctx, sqlgen.EventSizesDownParams{SessionID: id, After: after, Before: before, Most: most})
		if err != nil {
			return nil, false, err
		}
		for _, r := range rows {
			entries = append(entries, entry{r.Seq, r.Size})
		}
	}
	var size int64
	for i, e := range entries {
		size += e.size
		if i == limit || i > 0 && size > maxPageBytes {
			return seqs, true, nil
		}
		seqs = append(seqs, e.seq)
	}
	return seqs, false, nil
}

func decodeEvents(rows []sqlgen.Event) ([]app.Event, error) {
	events := make([]app.Event, 0, len(rows))
	for _, r := range rows {
		data, err := app.DecodeData(r.Type, []byte(r.Data))
		if err != nil {
			return nil, err
		}
		events = append(events, app.Event{Seq: r.Seq, At: r.AtMs, SessionID: r.SessionID, TurnID: r.TurnID, Type: r.Type, Data: data})
	}
	return events, nil
}
