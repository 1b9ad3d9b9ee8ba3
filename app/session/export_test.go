package session

// Texts, for their tests.
var (
	Title     = title
	Clip      = clip
	Redact    = redact
	LastLines = lastLines
	IsCommand = isCommand
	MaxTitle  = maxTitle
)
