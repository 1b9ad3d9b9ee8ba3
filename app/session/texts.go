package session

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/agents"
	"parley/app"
)

const (
	maxTitle  = 60        // code points of a session's title
	maxDetail = 256 << 10 // bytes of what an approval shows; the record bounds all else
)

// contextBlock is the block that carries a context id, also as JSON text in
// which the angle brackets are escaped.
var contextBlock = regexp.MustCompile(`(?s)\s*(?:<|\\u003[cC])parley_interaction_context(?:>|\\u003[eE]).*?(?:<|\\u003[cC])/parley_interaction_context(?:>|\\u003[eE])`)

// redact takes context ids and the block that carries one out of a text that
// an agent sends back. It may be used on JSON.
func redact(text string) string {
	if strings.Contains(text, "parley_interaction_context") {
		text = contextBlock.ReplaceAllString(text, "")
	}
	return agents.Redact(text)
}

// clip keeps the beginning and the end of a long text.
func clip(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	head, tail := limit/2, len(text)-limit/2
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n… %d bytes left out …\n%s", text[:head], tail-head, text[tail:]), true
}

// title makes a session's title from its first message: the first line that
// says something, at most 60 code points, cut between words where it can be.
func title(text string) string {
	for line := range strings.Lines(text) {
		line = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
		if line == "" {
			continue
		}
		runes := []rune(line)
		if len(runes) <= maxTitle {
			return line
		}
		cut := maxTitle - 1 // room for the ellipsis
		for i := cut; i > cut/2; i-- {
			if runes[i] == ' ' {
				cut = i
				break
			}
		}
		return strings.TrimSpace(string(runes[:cut])) + "…"
	}
	return ""
}

// slash is a command of the CLI: "/" and a word, on one line. It must arrive
// byte for byte, so nothing is appended to it.
var slash = regexp.MustCompile(`^/[A-Za-z][A-Za-z0-9_:.-]*(?:[ \t][^\n\r]*)?$`)

func isCommand(text string) bool { return slash.MatchString(text) }

// lastLines are the last two lines that an agent wrote, for a card to say what
// led to the question.
func lastLines(text string) string {
	const lines, width = 2, 240
	var kept []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	kept = kept[max(0, len(kept)-lines):]
	for i, line := range kept {
		if r := []rune(line); len(r) > width {
			kept[i] = string(r[:width-1]) + "…"
		}
	}
	return strings.Join(kept, "\n")
}

// LateText is the message that a late answer becomes: it quotes the question,
// since the agent has moved on, and says that it is late.
func LateText(in app.Interaction, ans app.Answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Late answer to: “%s”\n", strings.Join(strings.Fields(asked(in)), " "))
	b.WriteString("(You asked this and went on without an answer. This is the answer.)\n")
	for _, f := range in.Questions {
		said := slices.Clone(ans.Answers[f.ID])
		if typed := ans.Typed[f.ID]; typed != "" && !slices.Contains(said, typed) {
			said = append(said, typed)
		}
		if len(said) == 0 {
			continue
		}
		b.WriteString("\n")
		if f.Question != asked(in) {
			b.WriteString(f.Question + "\n")
		}
		b.WriteString(strings.Join(said, "\n") + "\n")
	}
	for _, said := range append(slices.Clone(ans.Selected), ans.Text) {
		if said != "" {
			b.WriteString("\n" + said)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// asked is what an interaction asks, in one text.
func asked(in app.Interaction) string {
	switch {
	case in.Question != "":
		return in.Question
	case len(in.Questions) > 0:
		return in.Questions[0].Question
	case in.Approval != nil:
		return in.Approval.Title
	}
	return ""
}
