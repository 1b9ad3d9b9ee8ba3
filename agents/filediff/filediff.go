// Package filediff shows an edit of a file as a unified diff, for the record
// and for permission cards. It is pure and may be called from any goroutine.
package filediff

import (
	"bytes"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Limit is the size of both texts together, in bytes, up to which an edit is
// compared line by line.
const Limit = 4 << 20

// Unified compares two texts of a file. before is nil for a new file. added and
// removed count lines. Texts over the limit give "" and -1.
func Unified(path string, before *string, after string) (text string, added, removed int) {
	var old string
	from, to := "/dev/null", "b/"+strings.TrimPrefix(path, "/")
	if before != nil {
		old, from = *before, "a/"+strings.TrimPrefix(path, "/")
	}
	if len(old)+len(after) > Limit {
		return "", -1, -1
	}
	raw := diff.Diff(from, []byte(old), to, []byte(after))
	_, raw, _ = bytes.Cut(raw, []byte("\n")) // the command line that would make it
	added, removed = Count(string(raw))
	return string(raw), added, removed
}

// Count counts the lines that a unified diff of one file adds and removes.
func Count(text string) (added, removed int) {
	inHunk := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "@@"):
			inHunk = true
		case inHunk && line[0] == '+':
			added++
		case inHunk && line[0] == '-':
			removed++
		}
	}
	return added, removed
}
