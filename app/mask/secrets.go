package mask

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// shortest is the length in bytes below which a value is not held: it would be
// found in ordinary words, and hide them.
const shortest = 8

// Secrets are the values that are known to be secret. Nil knows none. What was
// held once stays hidden until Parley ends: an error may still quote it after
// its agent has gone.
type Secrets struct {
	mu     sync.RWMutex // guards the fields below
	values []string     // the longest first: one value may begin like another
}

// Hold takes in values. Those under 8 bytes are left out.
func (s *Secrets) Hold(values ...string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.values)
	for _, v := range values {
		for _, written := range spellings(v) {
			if !slices.Contains(all, written) {
				all = append(all, written)
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	s.values = all // readers keep the one before
}

// spellings are the ways in which a value turns up in a text: as it is, in JSON
// and in an address.
func spellings(value string) []string {
	value = strings.TrimSpace(value)
	if len(value) < shortest {
		return nil
	}
	out := []string{value, url.QueryEscape(value), url.PathEscape(value)}
	if quoted, err := json.Marshal(value); err == nil {
		out = append(out, string(quoted[1:len(quoted)-1]))
	}
	return out
}

// Hide hides the known values and whatever has the shape of a secret. It may be
// used on JSON.
func (s *Secrets) Hide(text string) string { return Shapes(s.known(text)) }

// HideInLog hides more: also what is merely called a password, a token or a key.
func (s *Secrets) HideInLog(text string) string { return Pairs(s.known(text)) }

func (s *Secrets) known(text string) string {
	if s == nil {
		return text
	}
	s.mu.RLock()
	values := s.values
	s.mu.RUnlock()
	for _, v := range values {
		text = without(text, v)
	}
	return text
}

// without hides a value. A backslash before it may belong to its first letter,
// as in JSON's \n; then that letter stays, or the text would be JSON no more.
func without(text, value string) string {
	at := strings.Index(text, value)
	if at < 0 {
		return text
	}
	var out strings.Builder
	for ; at >= 0; at = strings.Index(text, value) {
		before := text[:at]
		if n := len(before) - len(strings.TrimRight(before, `\`)); n%2 == 1 {
			_, size := utf8.DecodeRuneInString(value)
			before = text[:at+size]
		}
		out.WriteString(before + Hidden)
		text = text[at+len(value):]
	}
	out.WriteString(text)
	return out.String()
}

// secretName is a variable or header whose value is a secret by its name.
var secretName = regexp.MustCompile(`(?i)(?:^|[_-])(?:api[_-]?key|apikey|key|token|secret|password|passwd|passphrase|credentials?|auth|authorization|cookie)(?:$|[_-])`)

// notSecret are names that look like it and hold paths, ids or numbers.
var notSecret = regexp.MustCompile(`(?i)(?:_FILE|_PATH|_DIR|_ID|_SOCK|_HELPER|_TTL_MS|_TOKENS)$|^(?:XAUTHORITY|SSH_AUTH_SOCK)$`)

// OfEnvironment returns the values of the variables ("NAME=value") that are
// secret by their name, or hold a password in an address.
func OfEnvironment(env []string) []string {
	var out []string
	for _, kv := range env {
		name, value, ok := strings.Cut(kv, "=")
		switch {
		case !ok || notSecret.MatchString(name):
		case secretName.MatchString(name):
			out = append(out, value)
		default:
			if u, err := url.Parse(value); err == nil && u.User != nil {
				if password, set := u.User.Password(); set {
					out = append(out, password)
				}
			}
		}
	}
	return out
}
