package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"parley/app"
)

const (
	// doctorPause is the time between looks at how far the doctor is.
	doctorPause = 200 * time.Millisecond
	// doctorEnd is how long a run that is called off may take to clear away.
	doctorEnd = 30 * time.Second
)

// doctor has the doctor try agents and prints what it found. Its exit code says
// whether a check failed. A run that is left takes what it started with it.
func (p *program) doctor(ctx context.Context, args []string) (int, error) {
	fs := flags("doctor")
	asJSON := fs.Bool("json", false, "")
	families, err := parse(fs, args)
	if err != nil {
		return 0, err
	}
	return p.repeat(ctx, func(b *backend) (int, error) {
		report, err := b.StartDoctor(ctx, families)
		if err != nil {
			return 0, err
		}
		report, err = p.watchDoctor(ctx, b, report)
		if err != nil {
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), doctorEnd)
			defer cancel()
			_, stopErr := b.StopDoctor(end)
			return 0, cmp.Or(err, stopErr)
		}
		tried := triedIn(report)
		if *asJSON {
			report.Agents = tried
			err = p.line(report)
		} else {
			err = p.printDoctor(tried)
		}
		for _, a := range tried {
			if a.Failed() {
				return exitFailed, err
			}
		}
		return exitDone, err
	})
}

// triedIn are the agents of the newest run.
func triedIn(r app.DoctorReport) []app.DoctorAgent {
	tried := []app.DoctorAgent{}
	for _, a := range r.Agents {
		if a.StartedAt >= r.StartedAt {
			tried = append(tried, a)
		}
	}
	return tried
}

// watchDoctor tells of each check as it ends.
func (p *program) watchDoctor(ctx context.Context, b *backend, report app.DoctorReport) (app.DoctorReport, error) {
	told := map[string]int{}
	began := map[string]bool{}
	for {
		for _, a := range report.Agents {
			if a.State == app.DoctorQueued || a.StartedAt < report.StartedAt {
				continue
			}
			if !began[a.Family] {
				began[a.Family] = true
				p.say("%s %s: trying", a.Family, a.Version)
			}
			for _, c := range a.Checks[told[a.Family]:] {
				told[a.Family]++
				if c.State != app.CheckNotTried {
					p.say("%s %s: %s %s", a.Family, a.Version, checkNames[c.Check], figure(c))
				}
			}
		}
		if !report.Running {
			return report, nil
		}
		select {
		case <-time.After(doctorPause):
		case <-ctx.Done():
			return report, context.Cause(ctx)
		}
		var err error
		if report, err = b.DoctorReport(ctx); err != nil {
			return report, cmp.Or(context.Cause(ctx), err)
		}
	}
}

// checkNames head the columns of the table.
var checkNames = map[app.Check]string{
	app.CheckStarts: "starts", app.CheckTools: "tools", app.CheckApproval: "permission", app.CheckQuestion: "question",
	app.CheckCancel: "stop", app.CheckResume: "resume", app.CheckWaits: "waits", app.CheckLeft: "left",
}

// figure is what a check showed, in a word.
func figure(c app.CheckResult) string {
	mark := map[app.CheckState]string{app.CheckPassed: "ok", app.CheckWarning: "ok!", app.CheckFailed: "FAILED"}[c.State]
	switch {
	case c.State == app.CheckNotTried:
		return "not tried"
	case c.Check == app.CheckTools:
		return fmt.Sprintf("%s %d of %d", mark, c.Count, c.Of)
	case c.Check == app.CheckLeft && c.Count == 0:
		return mark + " nothing"
	case c.Check == app.CheckLeft:
		return fmt.Sprintf("%s %d", mark, c.Count)
	case c.Check == app.CheckWaits && c.State == app.CheckPassed:
		return fmt.Sprintf("%s %s (%s of %s tried)", mark, took(c.MS), took(c.TriedMS), took(c.TriedLimitMS))
	case c.MS == 0:
		return mark
	}
	return mark + " " + took(c.MS)
}

// took is a measured time.
func took(ms int64) string {
	switch d := time.Duration(ms) * time.Millisecond; {
	case d < time.Second:
		return fmt.Sprintf("%d ms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d%time.Minute == 0:
		return fmt.Sprintf("%d min", d/time.Minute)
	default:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	}
}

// printDoctor prints a table of all checks, and below it what is to be said.
func (p *program) printDoctor(tried []app.DoctorAgent) error {
	head := []string{"AGENT", "VERSION", "LOGIN"}
	for _, c := range app.Checks() {
		head = append(head, checkNames[c])
	}
	var rows [][]string
	for _, a := range tried {
		row := []string{a.Family, cmp.Or(a.Version, "-"), a.Login}
		for _, c := range a.Checks {
			row = append(row, figure(c))
		}
		rows = append(rows, row)
	}
	if err := p.table(head, rows); err != nil {
		return err
	}
	for _, a := range tried {
		said := map[string]bool{}
		for _, c := range a.Checks {
			f := c.Finding
			if f == nil || said[f.Code] || f.Code == "before_failed" || f.Code == "question_first" {
				continue
			}
			said[f.Code] = true
			if _, err := fmt.Fprintf(p.Out, "\n%s\n", advice(*f)); err != nil {
				return err
			}
		}
	}
	return nil
}

// advice is a finding with what to do about it.
func advice(f app.Finding) string {
	text := plain(f.Text)
	if f.Line > 0 {
		text += fmt.Sprintf(" (Line %d of the file.)", f.Line)
	}
	if f.Advice != "" {
		text += " " + plain(f.Advice)
	}
	if f.Command != "" {
		text += "\n  " + plain(f.Command)
	}
	if f.Detail != "" {
		text += "\n" + indent(plain(f.Detail), "  | ")
	}
	return text
}
