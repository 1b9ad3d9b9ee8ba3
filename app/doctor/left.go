package doctor

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/agents/proc/pids"
	"parley/app"
)

// leftLimit is how long the system may take to clear away what was ended.
const leftLimit = 5 * time.Second

// processes are those of a trial that were ever seen. The zero value is ready.
type processes struct {
	seen map[pids.ID]string // their names
}

// note looks for processes of the trial: what has its home in its environment,
// which everything below the agent inherits, where the system shows that, and what
// descends from such a process. A system that shows no environment (macOS,
// Windows) leaves it to the agent's supervisor.
func (p *processes) note(home string) {
	if p.seen == nil {
		p.seen = map[pids.ID]string{}
	}
	table, err := pids.All()
	if err != nil {
		return // nothing can be said of any process then
	}
	mark := []byte("HOME=" + home + "\x00")
	var roots []int
	byNumber := map[int]pids.Process{}
	for _, q := range table {
		byNumber[q.PID] = q
		env, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(q.PID), "environ"))
		if err == nil && bytes.Contains(env, mark) {
			roots = append(roots, q.PID)
			p.seen[q.ID] = q.Name
		}
	}
	for _, q := range pids.Descendants(table, roots...) {
		p.seen[q.ID] = q.Name
	}
}

// alive are the names of those that still run.
func (p *processes) alive() []string {
	var names []string
	for id, name := range p.seen {
		if yes, err := id.Alive(); err == nil && yes {
			names = append(names, fmt.Sprintf("%s (%d)", name, id.PID))
		}
	}
	return names
}

// leftBehind looks for what is left once the back end has closed.
func (t *trial) leftBehind(ctx context.Context) app.CheckResult {
	t.left.note(t.home)
	names := t.left.alive()
	for limit := time.Now().Add(leftLimit); len(names) > 0 && time.Now().Before(limit) && ctx.Err() == nil; names = t.left.alive() {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	var files []string
	_ = filepath.WalkDir(t.back.Runs(), func(path string, d fs.DirEntry, err error) error { // one that is not there holds none
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	r := app.CheckResult{Check: app.CheckLeft, State: app.CheckPassed, Count: len(names) + len(files)}
	switch {
	case len(names) > 0:
		r.State, r.Finding = app.CheckFailed, t.find("left_processes")
		r.Finding.Detail = strings.Join(append(names, files...), ", ")
	case len(files) > 0:
		r.State, r.Finding = app.CheckFailed, t.find("left_files")
		r.Finding.Detail = strings.Join(files, ", ")
	}
	return r
}
