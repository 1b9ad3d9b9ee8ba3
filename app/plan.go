package app

import (
	"fmt"
	"slices"
)

// Settled returns what becomes of a plan when its turn ends: its state says
// how, work in progress falls back to pending, and nothing is marked completed
// for the agent. A plan that is settled already stays as it is (changed false).
func (p Plan) Settled(end TurnStatus) (settled Plan, changed bool) {
	if p.State != PlanActive {
		return p, false
	}
	switch end {
	case TurnInterrupted:
		p.State = PlanInterrupted
	case TurnFailed:
		p.State = PlanFailed
	default: // a deferred turn has done its part too
		p.State = PlanEnded
	}
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		if p.Steps[i].Status == StepInProgress {
			p.Steps[i].Status = StepPending
		}
	}
	p.Revision++ // a client that drops what is older must take this one
	return p, true
}

// CurrentText is the step in work with its place, as a question card shows it
// ("3/5 decide on key reuse"), "" when none is in work.
func (p Plan) CurrentText() string {
	i, step, ok := p.Current()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d/%d %s", i, len(p.Steps), step.Step)
}
