package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
		NotifyFinished:    true,
		NotifySound:       true,
		QuestionCommand:   []string{},
		ACPAgents:         []app.ACPAgent{},
		LeaveOutOwn:       []string{},
		DefaultMode:       "ask",
		KeepRunningOnQuit: "ask",
		KeepLogFiles:      3,
		KeepBackups:       3,
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
		{"on_quit", s.KeepRunningOnQuit, []string{"ask", "stop", "keep"}},
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
	if err := quietFits(s); err != nil {
		return err
	}
	for _, f := range []struct {
		field   string
		got     int
		lo, hi  int
		measure string
	}{
		{"keep_session_days", s.KeepSessionDays, 0, 36500, "days"},
		{"keep_output_days", s.KeepOutputDays, 0, 36500, "days"},
		{"keep_log_files", s.KeepLogFiles, 1, 50, "files"},
		{"keep_backups", s.KeepBackups, 1, 50, "copies"},
	} {
		if f.got < f.lo || f.got > f.hi {
			return invalid(f.field, fmt.Sprintf("%d to %d %s", f.lo, f.hi, f.measure), fmt.Sprint(f.got))
		}
	}
	if len(s.QuestionCommand) > 0 && !filepath.IsAbs(s.QuestionCommand[0]) {
		return invalid("question_command", "a program by its whole path, then its arguments", s.QuestionCommand[0])
	}
	for i, agent := range s.LeaveOutOwn {
		// An agent that is not there now may be there again tomorrow.
		if agent == "" || len(agent) > 64 || slices.Contains(s.LeaveOutOwn[:i], agent) {
			return invalid("leave_out_own", "names of agents, each once", agent)
		}
	}
	return acpFits(s.ACPAgents)
}

// quietFits checks the quiet hours: two times of day, or none.
func quietFits(s app.Settings) error {
	if s.QuietFrom == "" && s.QuietUntil == "" {
		return nil
	}
	for _, f := range []struct{ field, got string }{{"quiet_from", s.QuietFrom}, {"quiet_until", s.QuietUntil}} {
		if _, err := time.Parse(clock, f.got); err != nil || len(f.got) != len(clock) {
			return invalid(f.field, "a time of day such as 22:30, or both left empty", f.got)
		}
	}
	if s.QuietFrom == s.QuietUntil {
		return invalid("quiet_until", "another time than quiet_from", s.QuietUntil)
	}
	return nil
}

// clock is how a time of day is written.
const clock = "15:04"

func invalid(field, limit, got string) error {
	return &app.Error{
		Code:    app.CodeInvalidArgument,
		Message: fmt.Sprintf("%s must be %s, not %q.", field, limit, got),
		Field:   field, Limit: limit, Got: got,
	}
}
