package session

// Hidden is hidden, for its test.
var Hidden = hidden

// Texts, for their tests.
var (
	Title     = title
	Clip      = clip
	Redact    = redact
	LastLines = lastLines
	IsCommand = isCommand
	MaxTitle  = maxTitle
)
