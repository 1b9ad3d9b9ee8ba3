package session

import "parley/app"

// hidden takes secrets out of what is recorded and shown beside the
// conversation: tools with their input and output, files, permissions, notices,
// errors, lines that were not understood. What the agent says to the person and
// the person to the agent is theirs and stays as it was said.
func hidden(d app.EventData, hide func(string) string) app.EventData {
	switch d := d.(type) {
	case app.AgentStarted:
		d.Command = hide(d.Command)
		return d
	case app.AgentExited:
		d.Problem = hiddenProblem(d.Problem, hide)
		return d
	case app.TurnEnded:
		d.Problem = hiddenProblem(d.Problem, hide)
		return d
	case app.ToolStarted:
		d.Title, d.Input = hide(d.Title), hide(d.Input)
		return d
	case app.ToolProgress:
		d.Text, d.Output = hide(d.Text), hide(d.Output)
		return d
	case app.ToolCompleted:
		d.Output = hide(d.Output)
		return d
	case app.FileChanged:
		d.Diff = hide(d.Diff)
		return d
	case app.Notice:
		d.Text, d.Advice = hide(d.Text), hide(d.Advice)
		return d
	case app.Unknown:
		d.Raw = hide(d.Raw)
		return d
	}
	return d
}

func hiddenProblem(p *app.Problem, hide func(string) string) *app.Problem {
	if p == nil {
		return nil
	}
	out := *p
	out.Title, out.Advice, out.Evidence = hide(p.Title), hide(p.Advice), hide(p.Evidence)
	return &out
}

// hiddenApproval is a permission request as the person reads it: the command
// whole, but for the secrets in it.
func hiddenApproval(a *app.Approval, hide func(string) string) *app.Approval {
	if a == nil {
		return nil
	}
	out := *a
	out.Title, out.Detail, out.Diff = hide(a.Title), hide(a.Detail), hide(a.Diff)
	out.Command, out.Why = hide(a.Command), hide(a.Why)
	return &out
}
