package settings

import (
	"fmt"
	"slices"
	"strings"

	"parley/app"
	"parley/mcp"
)

// Defaults are the preferences of somebody who never changed any.
func Defaults() app.Settings {
	return app.Settings{
		DeadlineSeconds:   int(mcp.DefaultDeadline.Seconds()),
		MaxWaitSeconds:    int(mcp.DefaultMaxWait.Seconds()),
		SendKey:           "enter",
		Notify:            true,
		DefaultMode:       "ask",
		KeepRunningOnQuit: "ask",
	}
}

// maxWaitLimit bounds how long one question may be kept open: a week.
const maxWaitLimit = 7 * 24 * 3600

// verify checks the whole; the error names the field for the page.
func verify(s app.Settings) error {
	for _, f := range []struct {
		field, got string
		allowed    []string
	}{
		{"language", s.Language, []string{"", "en", "zh-CN"}},
		{"theme", s.Theme, []string{"", "light", "dark"}},
		{"send_key", s.SendKey, []string{"enter", "ctrl_enter"}},
		{"default_mode", s.DefaultMode, []string{"plan", "ask", "edits", "full"}},
		{"on_quit", s.KeepRunningOnQuit, []string{"ask", "stop"}},
	} {
		if !slices.Contains(f.allowed, f.got) {
			return invalid(f.field, "one of "+strings.Trim(strings.Join(f.allowed, ", "), ", "), f.got)
		}
	}
	lo, hi := int(mcp.MinDeadline.Seconds()), int(mcp.MaxDeadline.Seconds())
	if s.DeadlineSeconds < lo || s.DeadlineSeconds > hi {
		return invalid("deadline_s", fmt.Sprintf("%d to %d seconds", lo, hi), fmt.Sprint(s.DeadlineSeconds))
	}
	if s.MaxWaitSeconds < s.DeadlineSeconds || s.MaxWaitSeconds > maxWaitLimit {
		return invalid("max_wait_s", fmt.Sprintf("%d (the deadline) to %d seconds", s.DeadlineSeconds, maxWaitLimit), fmt.Sprint(s.MaxWaitSeconds))
	}
	return nil
}

func invalid(field, limit, got string) error {
	return &app.Error{
		Code:    app.CodeInvalidArgument,
		Message: fmt.Sprintf("%s must be %s, not %q.", field, limit, got),
		Field:   field, Limit: limit, Got: got,
	}
}
