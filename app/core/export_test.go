package core

import "parley/app/session"

// The log's parts, for its tests.
var (
	NewLog  = newLog
	OpenLog = openLog
)

// Sessions are where a test begins a session of a kind that no client can ask for.
func (a *App) Sessions() *session.Manager { return a.sessions }
