package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// memory is what a session remembers over a restart.
type memory struct {
	Turns []turn `json:"turns"`
	// Unanswered says that the question was put and got no answer.
	Unanswered bool `json:"unanswered"`
}

type turn struct {
	Prompt string `json:"prompt"`
	Said   string `json:"said"`
}

// saved is the folder of saved sessions; "" saves nothing.
type saved struct{ dir string }

// stateFolder finds it.
func stateFolder(getenv func(string) string) string {
	if dir := getenv(EnvState); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "parley-demo")
}

var errUnsaved = errors.New("no folder for saved sessions")

var (
	sessionID   = regexp.MustCompile(`^[0-9a-f-]{36}$`)
	sessionFile = regexp.MustCompile(`^[0-9a-f-]{36}\.json$`)
)

// path is a session's file. An id comes from outside and must not leave the
// folder.
func (s saved) path(id string) (string, error) {
	if s.dir == "" {
		return "", errUnsaved
	}
	if !sessionID.MatchString(id) {
		return "", fmt.Errorf("%q is no id of a session", id)
	}
	return filepath.Join(s.dir, id+".json"), nil
}

func (s saved) read(id string) (memory, error) {
	path, err := s.path(id)
	if err != nil {
		return memory{}, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return memory{}, err
	}
	var m memory
	if err := json.Unmarshal(data, &m); err != nil {
		return memory{}, fmt.Errorf("read %s: %w", path, err)
	}
	return m, nil
}

// write replaces a session's file as a whole, so that being killed leaves the
// old one or the new one.
func (s saved) write(id string, m memory) error {
	path, err := s.path(id)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	temp := path + ".new"
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// keep is how long a session that nobody took up again is kept.
const keep = 90 * 24 * time.Hour

// forget removes sessions that are older than that.
func (s saved) forget(now time.Time) {
	if s.dir == "" {
		return
	}
	entries, _ := os.ReadDir(s.dir) // a folder that cannot be read holds nothing to forget
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && sessionFile.MatchString(e.Name()) && now.Sub(info.ModTime()) > keep {
			_ = os.Remove(filepath.Join(s.dir, e.Name())) // the next start tries again
		}
	}
}
