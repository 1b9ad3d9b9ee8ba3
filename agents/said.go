package agents

import (
	"fmt"
	"strings"
)

// NoAnswer is what a model reads in place of an answer to a question of its
// CLI's own. Each end of the question reads differently, none like consent, and
// no choice is repeated.
func (o Outcome) NoAnswer() string {
	switch {
	case o.Refused != "":
		return o.Refused
	case o.Reason == "dismissed":
		return "The person closed the question without answering. That is no approval and chooses nothing: leave undone what depended on the answer, and say so."
	case o.Reason == "timeout":
		return "Nobody answered the question in time. That is no approval and chooses nothing: leave undone what depended on the answer, and say so."
	default:
		return "The question was cancelled before anybody answered. That is no approval and chooses nothing: leave undone what depended on the answer."
	}
}

// Exited is the problem of a CLI that ended and said nothing that its family
// knows. installCmd is the command that installs it again.
func Exited(name, installCmd string, exit Exit, tail string) Problem {
	p := Problem{Code: "exited", Advice: "Send the message again to start it anew.", Evidence: LastLines(tail)}
	switch {
	case exit.Signal == "SIGKILL":
		p.Title = name + " was killed."
		p.Advice = "Perhaps the computer ran out of memory. Send the message again to start it anew."
	case exit.Signal != "":
		p.Title = fmt.Sprintf("%s was ended by %s.", name, exit.Signal)
	case exit.Code == 0:
		p.Title = name + " ended by itself."
	case exit.Code == 126 || exit.Code == 127:
		p.Code, p.Title = "broken", name+" cannot be run on this computer."
		p.Advice, p.Command = "Install it again.", installCmd
	default:
		p.Title = fmt.Sprintf("%s ended with the exit code %d.", name, exit.Code)
	}
	return p
}

// LastLines is the end of an output, for a Problem's Evidence: 12 lines and
// 4 KiB at most.
func LastLines(text string) string {
	const most = 12
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	text = strings.Join(lines[max(0, len(lines)-most):], "\n")
	if len(text) > 4<<10 {
		text = strings.ToValidUTF8(text[len(text)-4<<10:], "")
	}
	return text
}
