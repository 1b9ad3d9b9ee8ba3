package acpclient

import (
	"bytes"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"parley/agents"
)

// diffLimit is the size of both texts together, in bytes, up to which an edit is
// compared line by line.
const diffLimit = 4 << 20

// changed is the edit as an event. kind is the protocol's kind of the tool.
func (d fileDiff) changed(toolID, kind string) agents.Event {
	change := "modified"
	switch {
	case d.Old == nil:
		change = "added"
	case kind == "delete" && d.New == "":
		change = "deleted"
	}
	text, added, removed := d.unified()
	return agents.FileChanged{Path: d.Path, Change: change, Added: added, Removed: removed, ToolID: toolID, Diff: text}
}

// unified is the edit as a unified diff with its counts of lines. Texts that are
// too long to compare give "" and -1.
func (d fileDiff) unified() (text string, added, removed int) {
	var old string
	from, to := "a/"+strings.TrimPrefix(d.Path, "/"), "b/"+strings.TrimPrefix(d.Path, "/")
	if d.Old == nil {
		from = "/dev/null"
	} else {
		old = *d.Old
	}
	if len(old)+len(d.New) > diffLimit {
		return "", -1, -1
	}
	raw := diff.Diff(from, []byte(old), to, []byte(d.New))
	_, raw, _ = bytes.Cut(raw, []byte("\n")) // the command line that would make it
	inHunk := false
	for line := range bytes.Lines(raw) {
		switch {
		case bytes.HasPrefix(line, []byte("@@")):
			inHunk = true
		case inHunk && line[0] == '+':
			added++
		case inHunk && line[0] == '-':
			removed++
		}
	}
	return agents.Redact(string(raw)), added, removed
}
