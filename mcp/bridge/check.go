package bridge

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/mcp"
)

// Limits of what a model may send, in Unicode code points after trimming, or in
// items.
const (
	MaxContextID   = 200
	MaxQuestion    = 4000
	MaxHeader      = 60
	MaxOptions     = 20 // counted before duplicates are dropped
	MaxLabel       = 500
	MaxDescription = 1000
	MaxPreview     = 8192
	MaxPreviews    = 32768 // all previews of a question together
	MaxExplanation = 1000
	MaxSteps       = 30
	MaxStepID      = 100
	MaxStep        = 200
)

// Checked returns the question trimmed and without repeated options, or an
// *Error with the first argument that breaks a limit. Order is kept.
func (q ClarifyRequest) Checked() (ClarifyRequest, error) {
	var c checker
	q.ContextID = c.text("context_id", q.ContextID, 1, MaxContextID)
	q.Question = c.text("question", q.Question, 1, MaxQuestion)
	q.Header = c.text("header", q.Header, 0, MaxHeader)
	q.Options = c.options(q.Options, q.FromChoices)
	if c.err != nil {
		return ClarifyRequest{}, c.err
	}
	return q, nil
}

// Checked returns the plan trimmed, or an *Error with the first argument that
// breaks a limit.
func (p PlanRequest) Checked() (PlanRequest, error) {
	var c checker
	p.ContextID = c.text("context_id", p.ContextID, 1, MaxContextID)
	p.Explanation = c.text("explanation", p.Explanation, 0, MaxExplanation)
	p.Plan = c.steps(p.Plan)
	if c.err != nil {
		return PlanRequest{}, c.err
	}
	return p, nil
}

// checker keeps the first breach.
type checker struct{ err *Error }

func (c *checker) refuse(field, limit, got string) {
	if c.err == nil {
		c.err = Invalid(field, limit, got)
	}
}

// text trims a text and holds it to its length; least is 0 for a text that may
// be missing.
func (c *checker) text(field, value string, least, most int) string {
	value = strings.TrimSpace(value)
	limit := fmt.Sprintf("a text of %d to %d characters", least, most)
	if least == 0 {
		limit = fmt.Sprintf("a text of at most %d characters", most)
	}
	switch n := utf8.RuneCountInString(value); {
	case n > most:
		c.refuse(field, limit, fmt.Sprintf("%d characters", n))
	case mcp.Blank(value) && least > 0:
		c.refuse(field, limit, "a blank text")
	case mcp.Blank(value):
		return ""
	}
	return value
}

func (c *checker) options(options []Option, plain bool) []Option {
	name, label := "options", ".label"
	if plain {
		name, label = "choices", ""
	}
	if n := len(options); n > MaxOptions {
		c.refuse(name, fmt.Sprintf("a list of at most %d items", MaxOptions), fmt.Sprintf("%d items", n))
	}
	out := make([]Option, 0, len(options))
	previews := 0
	for i, o := range options {
		at := fmt.Sprintf("%s[%d]", name, i)
		o.Label = c.text(at+label, o.Label, 1, MaxLabel)
		o.Description = c.text(at+".description", o.Description, 0, MaxDescription)
		o.Preview = c.preview(at+".preview", o.Preview)
		previews += utf8.RuneCountInString(o.Preview)
		// An answer names an option by its label, so the first one stands for
		// all that share it.
		if !slices.ContainsFunc(out, func(kept Option) bool { return kept.Label == o.Label }) {
			out = append(out, o)
		}
	}
	if previews > MaxPreviews {
		c.refuse(name, fmt.Sprintf("at most %d characters in all previews together", MaxPreviews), fmt.Sprintf("%d characters", previews))
	}
	return out
}

// preview keeps the spaces of its first line: it may be code.
func (c *checker) preview(field, value string) string {
	value = strings.Trim(strings.TrimRightFunc(value, unicode.IsSpace), "\r\n")
	if n := utf8.RuneCountInString(value); n > MaxPreview {
		c.refuse(field, fmt.Sprintf("a text of at most %d characters", MaxPreview), fmt.Sprintf("%d characters", n))
	}
	return value
}

func (c *checker) steps(steps []PlanStep) []PlanStep {
	if n := len(steps); n < 1 || n > MaxSteps {
		c.refuse("plan", fmt.Sprintf("a list of 1 to %d steps", MaxSteps), fmt.Sprintf("%d steps", n))
	}
	out := make([]PlanStep, 0, len(steps))
	ids := make(map[string]bool, len(steps))
	working := 0
	for i, s := range steps {
		at := fmt.Sprintf("plan[%d]", i)
		s.ID = c.text(at+".id", s.ID, 1, MaxStepID)
		s.Step = c.text(at+".step", s.Step, 1, MaxStep)
		if ids[s.ID] {
			c.refuse(at+".id", "unique in the plan", "a second step with the id "+quote(s.ID))
		}
		ids[s.ID] = true
		switch s.Status {
		case "pending", "completed":
		case "in_progress":
			if working++; working > 1 {
				c.refuse(at+".status", "in_progress for at most one step", "a second step in progress")
			}
		default:
			c.refuse(at+".status", `"pending", "in_progress" or "completed"`, quote(s.Status))
		}
		out = append(out, s)
	}
	return out
}

// quote shows a short piece of what came.
func quote(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
