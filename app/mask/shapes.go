package mask

import (
	"regexp"
	"strings"

	"parley/agents"
)

// Hidden stands where a secret stood. It needs no escaping in JSON, Markdown or
// a shell's line.
const Hidden = "•••"

// shape is a text that looks like a secret. What a pattern hides is made of the
// characters of tokens only: it must not swallow what a command line does after
// them, since a person decides by that.
type shape struct {
	// hints are parts of which one must be in the text; looking for them is far
	// cheaper than the pattern.
	hints   []string
	pattern *regexp.Regexp
	instead string // "$1" is what stays
	// digit: the hidden part must hold one, or ordinary words would be hidden
	digit bool
}

const (
	// start is where a token may begin: also after a line break as JSON writes it
	start  = `(?:\b|\\[nrtbf])`
	token  = `[A-Za-z0-9._~+/=-]`
	secret = `(?:api[_-]?key|access[_-]?key|private[_-]?key|token|secret|password|passwd)`
)

var shapes = []shape{
	// Parley's own: the token of a launch, the key in a link, the cookie.
	{[]string{agents.LaunchToken}, regexp.MustCompile(agents.LaunchToken + `[A-Za-z0-9_-]{8,}`), Hidden, false},
	{[]string{"/link/"}, regexp.MustCompile(`(/link/)[A-Za-z0-9_-]{20,}`), "${1}" + Hidden, false},
	{[]string{"parley_"}, regexp.MustCompile(`(` + start + `parley_[0-9]+=)[A-Za-z0-9_-]{20,}`), "${1}" + Hidden, false},
	// Keys that name their maker.
	{[]string{"sk-"}, regexp.MustCompile(`(` + start + `sk-(?:ant|proj|or|svcacct)-)[A-Za-z0-9_-]{6,}`), "${1}" + Hidden, false},
	{[]string{"sk-", "pk-", "rk-"}, regexp.MustCompile(`(` + start + `[spr]k-)[A-Za-z0-9_-]{16,}`), "${1}" + Hidden, true},
	{[]string{"_live_", "_test_"}, regexp.MustCompile(`(` + start + `[spr]k_(?:live|test)_)[A-Za-z0-9]{12,}`), "${1}" + Hidden, false},
	{[]string{"gh", "github_pat_"}, regexp.MustCompile(`(` + start + `(?:gh[pousr]_|github_pat_))[A-Za-z0-9_]{16,}`), "${1}" + Hidden, false},
	{[]string{"glpat-"}, regexp.MustCompile(`(` + start + `glpat-)[A-Za-z0-9_-]{12,}`), "${1}" + Hidden, false},
	{[]string{"xox"}, regexp.MustCompile(`(` + start + `xox[abeprs]-)[A-Za-z0-9-]{10,}`), "${1}" + Hidden, false},
	{[]string{"AKIA", "ASIA"}, regexp.MustCompile(`(` + start + `(?:AKIA|ASIA))[A-Z0-9]{16}\b`), "${1}" + Hidden, false},
	{[]string{"AIza"}, regexp.MustCompile(`(` + start + `AIza)[A-Za-z0-9_-]{30,}`), "${1}" + Hidden, false},
	{[]string{"npm_"}, regexp.MustCompile(`(` + start + `npm_)[A-Za-z0-9]{30,}`), "${1}" + Hidden, true},
	{[]string{"eyJ"}, regexp.MustCompile(`(` + start + `)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`), "${1}" + Hidden, false},
	{[]string{"PRIVATE KEY-----"}, regexp.MustCompile(`(-----BEGIN [A-Z ]*PRIVATE KEY-----)[A-Za-z0-9+/=\s\\:,-]*?(-----END|$)`), "${1}" + Hidden + "${2}", false},
	// What is said beside the secret tells that it is one.
	{[]string{"uthorization", "UTHORIZATION"}, regexp.MustCompile(`(?i)(authorization(?:\\?["'])?\s*[:=]\s*(?:\\?["'])?(?:bearer|basic|token)\s+)` + token + `{4,}`), "${1}" + Hidden, false},
	{[]string{"earer", "EARER"}, regexp.MustCompile(`(?i)(` + start + `bearer\s+)` + token + `{12,}`), "${1}" + Hidden, true},
	{[]string{"://"}, regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>\\]*:)[^\s/@"'<>\\]+@`), "${1}" + Hidden + "@", false},
	{[]string{"://"}, regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/:@"'<>\\]{16,}@`), "${1}" + Hidden + "@", false},
	{[]string{"?", "&"}, regexp.MustCompile(`(?i)([?&][a-z0-9_.-]*(?:` + secret + `|signature)=)[^&\s"'<>#\\]{4,}`), "${1}" + Hidden, false},
	{[]string{"-"}, regexp.MustCompile(`(?i)(--?[a-z0-9-]*` + secret + `=(?:\\?["'])?)` + token + `{4,}`), "${1}" + Hidden, false},
	{[]string{"-"}, regexp.MustCompile(`(?i)(--[a-z0-9-]*` + secret + `\s+(?:\\?["'])?)` + token + `{6,}`), "${1}" + Hidden, true},
	{[]string{"="}, regexp.MustCompile(`(` + start + `[A-Z0-9_]*(?:API_?KEY|ACCESS_KEY|PRIVATE_KEY|AUTH_KEY|TOKEN|SECRET|PASSWORD|PASSWD)=(?:\\?["'])?)` + token + `{6,}`), "${1}" + Hidden, false},
}

// Shapes hides what looks like a secret, context ids and launch tokens among it. It may be used
// on JSON.
func Shapes(text string) string {
	text = agents.Redact(text)
	for _, s := range shapes {
		if s.hinted(text) {
			text = s.hide(text)
		}
	}
	return text
}

func (s shape) hinted(text string) bool {
	for _, h := range s.hints {
		if strings.Contains(text, h) {
			return true
		}
	}
	return false
}

func (s shape) hide(text string) string {
	if !s.digit {
		return s.pattern.ReplaceAllString(text, s.instead)
	}
	return s.pattern.ReplaceAllStringFunc(text, func(found string) string {
		at := s.pattern.FindStringSubmatchIndex(found)
		if !strings.ContainsAny(found[at[3]:], "0123456789") {
			return found
		}
		return found[:at[3]] + Hidden
	})
}

// pair is a name and a value as people and programs write them. It hides too
// much of an ordinary text and of code, so it is for logs alone.
var pair = regexp.MustCompile(`(?i)(\b[a-z0-9_-]*` + secret + `)((?:\\?["'])?\s*[:=]\s*(?:\\?["'])?)[^\s"'&,;}\\]{4,}`)

// Pairs hides the values of "password: …" and the like, beside what Shapes
// hides.
func Pairs(text string) string {
	return pair.ReplaceAllString(Shapes(text), "${1}${2}"+Hidden)
}
