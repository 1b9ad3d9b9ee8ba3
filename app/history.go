package app

// HistoryEnd chooses interactions by what became of them.
type HistoryEnd string

// Ends that a reader of the history can ask for. The first four are the
// reasons.
const (
	HistoryResponse  HistoryEnd = "response"
	HistoryDismissed HistoryEnd = "dismissed"
	HistoryTimeout   HistoryEnd = "timeout"
	HistoryCancelled HistoryEnd = "cancelled"
	HistoryWaiting   HistoryEnd = "waiting" // not ended
	HistoryLate      HistoryEnd = "late"    // answered after the agent had moved on
)

// HistoryFilter says which part of the history of questions a reader wants. An
// empty field asks for everything.
type HistoryFilter struct {
	// Search is a text that must occur in the question, its options, the answer,
	// the reasons given, or the session's title, in any case of letters. Several
	// words must all occur.
	Search    string
	SessionID SessionID
	Agent     string // family
	Kind      Kind
	End       HistoryEnd
	Since     int64  // asked at or after, Unix milliseconds
	Until     int64  // asked before, Unix milliseconds
	Cursor    string // of the page before; "" is the first page
	Limit     int    // at most so many; 0 is no limit
}

// HistoryPage is a part of the history, newest first.
type HistoryPage struct {
	Interactions []Interaction `json:"interactions"`
	// Next is the cursor of the next page, "" when there is none. A question that
	// comes meanwhile belongs to no later page.
	Next string `json:"next"`
}
