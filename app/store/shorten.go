package store

import (
	"strings"

	"parley/app"
)

// shorten returns data with over-long parts cut, and marked where the payload
// has a mark for it. What the person and the agent say to each other is never
// cut.
func shorten(data app.EventData) app.EventData {
	switch d := data.(type) {
	case *app.ToolCompleted:
		return shorten(*d)
	case app.ToolCompleted:
		var cut bool
		d.Output, cut = app.HeadAndTail(d.Output)
		d.Truncated = d.Truncated || cut
		return d
	case *app.ToolStarted:
		return shorten(*d)
	case app.ToolStarted:
		d.Input, _ = app.HeadAndTail(d.Input)
		return d
	case *app.FileChanged:
		return shorten(*d)
	case app.FileChanged:
		d.Diff, _ = app.HeadAndTail(d.Diff)
		return d
	case *app.Unknown:
		return shorten(*d)
	case app.Unknown:
		d.Raw, _ = app.HeadAndTail(d.Raw)
		return d
	}
	return data
}

// text makes s fit for a TEXT column: what isn't UTF-8 becomes the replacement
// character, as it does in JSON.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
