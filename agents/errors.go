package agents

import "errors"

// ErrUnsupported is returned for what a family's protocol cannot do.
var ErrUnsupported = errors.New("this agent cannot do that")

// ErrClosed is returned once a conversation is over.
var ErrClosed = errors.New("the agent has ended")
