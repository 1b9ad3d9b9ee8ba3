package core

// The log's parts, for its tests.
var (
	NewLog  = newLog
	OpenLog = openLog
)
