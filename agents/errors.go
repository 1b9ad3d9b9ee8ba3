package agents

import "errors"

// ErrUnsupported is returned for what a family's protocol cannot do.
var ErrUnsupported = errors.New("this agent cannot do that")

// ErrClosed is returned once a conversation is over.
var ErrClosed = errors.New("the agent has ended")

// Causes of the end of an Ask's context (context.Cause), so that the record can
// say why a request was withdrawn.
var (
	// ErrTurnStopped: a person stopped the turn with the request still open.
	ErrTurnStopped = errors.New("the turn was stopped")
	// ErrTurnEnded: the agent ended the turn with the request still open.
	ErrTurnEnded = errors.New("the turn has ended")
	// ErrWithdrawn: the agent took its request back.
	ErrWithdrawn = errors.New("the agent withdrew its request")
)
