package session

import (
	"strconv"
	"strings"

	"parley/agents"
	"parley/app"
)

func appUsage(u *agents.Usage) *app.Usage {
	if u == nil {
		return nil
	}
	return &app.Usage{
		InputTokens: u.Input, OutputTokens: u.Output, CachedTokens: u.Cached,
		CostUSD: u.CostUSD, ContextUsed: u.ContextUsed, ContextWindow: u.Window,
	}
}

func appProblem(p agents.Problem) *app.Problem {
	out := &app.Problem{
		Code: p.Code, Title: redact(p.Title), Advice: redact(p.Advice), Command: p.Command, Evidence: redact(p.Evidence),
	}
	if !p.ResetAt.IsZero() {
		out.ResetAt = p.ResetAt.UnixMilli()
	}
	return out
}

// nativeSteps brings a CLI's own task list into the shape and the bounds of
// ours: at most 30 steps of at most 200 code points, one of them in work.
func nativeSteps(in []agents.PlanStep) []app.PlanStep {
	const most, longest = 30, 200
	out := make([]app.PlanStep, 0, min(len(in), most))
	seen := map[string]bool{}
	working := false
	for i, s := range in {
		text := strings.TrimSpace(redact(s.Step))
		if text == "" || len(out) == most {
			continue
		}
		if r := []rune(text); len(r) > longest {
			text = string(r[:longest-1]) + "…"
		}
		id := s.ID
		if id == "" || len(id) > 100 || seen[id] {
			id = strconv.Itoa(i + 1)
			for seen[id] {
				id += "'"
			}
		}
		seen[id] = true
		status := app.StepStatus(s.Status)
		switch {
		case status == app.StepCompleted:
		case status == app.StepInProgress && !working:
			working = true
		default:
			status = app.StepPending
		}
		out = append(out, app.PlanStep{ID: id, Step: text, Status: status})
	}
	return out
}

// appInteraction is the record of what an agent asks over its own protocol.
// Provenance and times are filled in elsewhere.
func appInteraction(in agents.Interaction) app.Interaction {
	out := app.Interaction{Kind: app.Kind(in.Kind), Question: redact(in.Title), ToolUseID: in.ToolID, Server: in.Server, URL: in.URL}
	for _, f := range in.Fields {
		out.Questions = append(out.Questions, appField(f))
	}
	if p := in.Approval; p != nil {
		detail, _ := clip(redact(p.Detail), maxDetail)
		diff, _ := clip(redact(p.Diff), maxDetail)
		ap := &app.Approval{
			Tool: p.Tool, Title: redact(p.Title), Detail: detail, Diff: diff, Why: redact(p.Why),
			Command: redact(p.Command), ToolID: in.ToolID, Scopes: []app.Action{}, Risks: []app.Risk{},
		}
		for _, s := range p.Scopes {
			ap.Scopes = append(ap.Scopes, app.Action(s))
		}
		out.Approval = ap
	}
	return out
}

func appField(f agents.Field) app.Field {
	out := app.Field{
		ID: f.ID, Question: redact(f.Question), Header: redact(f.Header), Description: redact(f.Description),
		Type: app.FieldType(f.Type), Options: []app.Option{}, MultiSelect: f.Multi, Required: f.Required, FreeText: f.FreeText,
		Default: f.Default, Format: f.Format, Minimum: f.Minimum, Maximum: f.Maximum, MinLength: f.MinLength, MaxLength: f.MaxLength,
		MinItems: f.MinItems, MaxItems: f.MaxItems,
	}
	for _, o := range f.Options {
		out.Options = append(out.Options, app.Option{
			Label: redact(o.Label), Value: o.Value, Description: redact(o.Description), Preview: redact(o.Preview), Recommended: o.Recommended,
		})
	}
	return out
}

func agentOutcome(o app.Outcome) agents.Outcome {
	return agents.Outcome{
		Reason: string(o.Reason), Action: string(o.Action), Answers: o.Answers, Typed: o.Typed, Note: o.Note,
	}
}
