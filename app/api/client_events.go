package api

import (
	"context"

	"parley/app"
)

// EachEvent calls do with every durable event of a session, from the first to
// the newest one there is when the last page is read. It stops with the first
// error of do and returns it.
func (c *Client) EachEvent(ctx context.Context, id app.SessionID, do func(app.Event) error) error {
	// The first page is the first event alone: without a bound above and below,
	// the API gives the newest page.
	before, after := int64(2), int64(0)
	for {
		page, err := c.Events(ctx, id, before, after, maxPage)
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			if err := do(e); err != nil {
				return err
			}
			after = e.Seq
		}
		if len(page.Events) == 0 || before == 0 && !page.More {
			return nil
		}
		before = 0
	}
}
