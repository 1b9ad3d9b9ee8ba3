package session

import "parley/app"

// ending is the state of a session that is being put away.
type ending struct {
	then func() // runs last, when neither turn nor agent is left; nil for nothing
	over bool   // the actor ends
}

// putAway ends the turn under way, the agent and then the actor. A second call
// changes nothing but what is done last.
func (a *actor) putAway(reason string, cause app.Cause, then func()) {
	if a.ending == nil {
		a.ending = &ending{}
	}
	if then != nil {
		a.ending.then = then
	}
	if t := a.turn; t != nil && !t.stopping {
		t.stopping, t.cause = true, cause
		a.setState(app.StateStopping)
		a.settle(t, cause)
	}
	a.endAgent(a.live, reason)
	a.endingStep()
}

// endingStep goes on with the end when neither turn nor agent is left.
func (a *actor) endingStep() {
	if a.ending == nil || a.ending.over || a.turn != nil || a.live != nil {
		return
	}
	a.flush()
	if a.ending.then != nil {
		a.ending.then()
	}
	a.ending.over = true
	a.m.forget(a)
}
