package override

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Bounds of what can be taken back: changes, and bytes of texts from before them.
// The newest one is kept however long its text is.
const (
	maxUndo      = 50
	maxUndoBytes = 4 << 20
)

// undo is one change of ours.
type undo struct {
	Before []byte `json:"before"` // nil: there was no file
	After  string `json:"after"`  // the revision that the change made
}

// The changes lie in the state folder, so that a restart forgets none and the
// command line can take back what the window did. Whoever writes them holds the
// lock of the file.
func (f *File) undoPath() string { return filepath.Join(f.cfg.State, "mcp-overrides.undo.json") }

// undos are the changes that can be taken back, the newest last. A list that
// cannot be read holds none: it only ever takes back, so nothing is lost by it.
func (f *File) undos() []undo {
	data, err := os.ReadFile(f.undoPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var list []undo
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		f.cfg.Log.Warn("read what can be taken back of the MCP overrides", "error", err)
		return nil
	}
	return list
}

// undoable reports whether a text is what the newest change of ours left.
func (f *File) undoable(revision string) bool {
	list := f.undos()
	return len(list) > 0 && list[len(list)-1].After == revision
}

// keepUndos writes the list. A change is worth more than its undo, so a disk that
// does not take it is only said in the log.
func (f *File) keepUndos(list []undo) {
	list = list[max(0, len(list)-maxUndo):]
	size := 0
	for i := len(list) - 1; i >= 0; i-- {
		if size += len(list[i].Before); size > maxUndoBytes && i < len(list)-1 {
			list = list[i+1:]
			break
		}
	}
	data, err := json.Marshal(list)
	if err == nil {
		err = overwrite(f.undoPath(), data)
	}
	if err != nil {
		f.cfg.Log.Warn("keep what can be taken back of the MCP overrides", "error", err)
	}
}
