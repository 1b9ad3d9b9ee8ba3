package mcp

import "strings"

// FormTag is the element in which a message tells an agent what became of its
// form.
const FormTag = "parley_form_answer"

// FormEnd is how a form ended, as the agent that showed it is told.
type FormEnd struct {
	Answer []byte // JSON, as the tool's description promises it
	Words  string // the same for a reader; "" when nobody answered
	Closed bool   // a person closed it; false without Words: it was withdrawn
}

// FormMessage tells the end of a form as the input of the next turn. prefix is
// what the family puts before a tool's name. Where a run was interrupted for the
// form, the CLI has left words about that in the conversation: they are
// explained, or a model takes them for a refusal.
func FormMessage(prefix string, end FormEnd) string {
	var b strings.Builder
	b.WriteString("<" + FormTag + ">\n")
	b.WriteString("This is about the form that you showed with `" + prefix + ToolForm + "`. Parley ended that run for it, on purpose: " +
		"if its call reads as interrupted, cancelled or failed, that was no refusal and no error. Don't show it again.\n")
	b.WriteString(string(end.Answer) + "\n")
	b.WriteString(end.note() + "\n")
	b.WriteString("</" + FormTag + ">")
	return b.String()
}

// FormNote goes beside the answer where the answer is the result of the call.
func FormNote(end FormEnd) string { return end.note() }

func (e FormEnd) note() string {
	switch {
	case e.Words != "":
		return "In words:\n" + e.Words + "\nGo on with the task from there."
	case e.Closed:
		return "The person closed the form without answering it. That is not approval, and nothing was chosen. " +
			"Leave undone what depended on the answer."
	}
	return "The form was withdrawn before anybody answered it, because its session was closed. " +
		"That is not approval, and nothing was chosen. Leave undone what depended on the answer."
}
