package servers

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"parley/mcp/catalogue"
	"parley/mcp/foreign"
)

// ProjectFile is the file in a project's folder that names its MCP servers.
const ProjectFile = ".mcp.json"

// maxProject bounds a project's file, which is somebody else's.
const maxProject = 1 << 20

// Trust keeps which project files the person trusted, by their content: after a
// change they are asked again.
type Trust struct {
	path string

	writing chan struct{}     // held by whoever writes the file
	mu      sync.Mutex        // guards known
	known   map[string]string // path of a project's file → sum of its content
}

// OpenTrust reads the list at path. A list that cannot be read trusts nothing,
// and is replaced with the next trust given.
func OpenTrust(path string) (*Trust, error) {
	t := &Trust{path: path, writing: make(chan struct{}, 1), known: map[string]string{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &t.known)
	}
	if err != nil || t.known == nil {
		t.known = map[string]string{}
	}
	if err != nil {
		err = fmt.Errorf("read the trusted projects: %w", err)
	}
	return t, err
}

// project is what a folder's file says.
type project struct {
	path    string
	sum     string // "" when there is no file
	entries []catalogue.Entry
	trusted bool
	problem string // a sentence when it cannot be read
}

func (t *Trust) project(cwd string) project {
	p := project{path: filepath.Join(cwd, ProjectFile)}
	if real, err := filepath.EvalSymlinks(p.path); err == nil {
		p.path = real
	}
	info, err := os.Stat(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return p
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxProject) {
		err = errors.New("it is no file, or too big")
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(p.path)
	}
	var found foreign.Found
	if err == nil {
		found, err = foreign.Parse(foreign.Project, data)
	}
	if err != nil {
		p.problem = fmt.Sprintf("The project's %s is not used: %s.", ProjectFile, err)
		return p
	}
	hash := sha256.Sum256(data)
	p.sum, p.entries = hex.EncodeToString(hash[:]), found.Entries
	t.mu.Lock()
	p.trusted = t.known[p.path] == p.sum
	t.mu.Unlock()
	return p
}

// give trusts a project's file with the content that the person saw.
func (t *Trust) give(p project) error {
	t.writing <- struct{}{}
	defer func() { <-t.writing }()
	t.mu.Lock()
	next := map[string]string{p.path: p.sum}
	for path, sum := range t.known {
		if path != p.path {
			next[path] = sum
		}
	}
	t.mu.Unlock()
	data, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return err
	}
	tmp := t.path + ".new"
	if err := os.WriteFile(tmp, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("keep the trusted projects: %w", err)
	}
	if err := os.Rename(tmp, t.path); err != nil {
		return fmt.Errorf("keep the trusted projects: %w", err)
	}
	t.mu.Lock()
	t.known = next
	t.mu.Unlock()
	return nil
}
