package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/adrg/xdg"

	"parley/app"
)

// EnvHome is the variable that puts config, data, state and runtime into one
// folder.
const EnvHome = "PARLEY_HOME"

// Dirs are Parley's folders, all absolute. Only the person may enter them
// (0700), so that a file in them needs no care of its own.
type Dirs struct {
	Config  string // what a person may edit: settings, MCP overrides
	Data    string // the record, scratch folders
	State   string // logs, launch records: may be lost
	Runtime string // sockets and the generated files of running agents

	socket string
}

// Resolve decides the folders and creates them. getenv is asked for EnvHome
// alone; the system's own variables are read by the xdg package at start.
func Resolve(getenv func(string) string) (Dirs, error) {
	d, err := decide(getenv(EnvHome))
	if err != nil {
		return Dirs{}, err
	}
	for _, dir := range []string{d.Config, d.Data, d.State} {
		if err := makePrivate(dir); err != nil {
			return Dirs{}, err
		}
	}
	if err := makePrivate(d.Runtime); err != nil {
		// A runtime folder of the system exists only while somebody is logged
		// in; a server or a container has none.
		if d.Runtime, err = shortFolder(d.Data); err != nil {
			return Dirs{}, err
		}
	}
	if d.socket, err = socketPath(d.Runtime, d.Data); err != nil {
		return Dirs{}, err
	}
	return d, nil
}

func decide(home string) (Dirs, error) {
	if home != "" {
		home, err := filepath.Abs(home)
		if err != nil {
			return Dirs{}, fmt.Errorf("resolve %s: %w", EnvHome, err)
		}
		return Dirs{
			Config:  filepath.Join(home, "config"),
			Data:    filepath.Join(home, "data"),
			State:   filepath.Join(home, "state"),
			Runtime: filepath.Join(home, "run"),
		}, nil
	}
	if !filepath.IsAbs(xdg.Home) {
		return Dirs{}, errors.New("no home folder is known: set HOME or " + EnvHome)
	}
	return Dirs{
		Config:  filepath.Join(xdg.ConfigHome, "parley"),
		Data:    filepath.Join(xdg.DataHome, "parley"),
		State:   filepath.Join(xdg.StateHome, "parley"),
		Runtime: filepath.Join(xdg.RuntimeDir, "parley"),
	}, nil
}

// makePrivate makes a folder that only the person may enter. A folder that was
// there before is narrowed: it may hold launch tokens.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return unusable(dir, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return unusable(dir, err)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return unusable(dir, err)
	}
	return nil
}

// unusable says in a sentence why Parley's folder can't be used, and what to do.
func unusable(dir string, err error) error {
	at := dir
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		at = e.Path // the part of the path that is at fault
		err = e.Err
	}
	message := fmt.Sprintf("Parley's folder %s can't be used: %v.", at, err)
	switch {
	case errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrExist):
		message = fmt.Sprintf("%s is no folder, and Parley needs one there. Move it away, or set %s to another folder.", at, EnvHome)
	case errors.Is(err, syscall.ENOSPC):
		message = fmt.Sprintf("The disk that is to hold %s is full. Free some space and start Parley again.", at)
	case errors.Is(err, syscall.EROFS):
		message = fmt.Sprintf("%s lies on a disk that can only be read. Make it writable, or set %s to another folder.", at, EnvHome)
	case errors.Is(err, fs.ErrPermission):
		message = fmt.Sprintf("You may not write %s. Make it yours and writable, or set %s to another folder.", at, EnvHome)
	}
	return &app.Error{Code: app.CodeStorageFailed, Message: message, Err: err}
}

// Socket is the path of the control socket, short enough for every system.
func (d Dirs) Socket() string { return d.socket }

// Lock is the file whose lock says that a back end lives in the data folder.
func (d Dirs) Lock() string { return filepath.Join(d.Data, "lock") }

// Runs holds one folder for each running agent.
func (d Dirs) Runs() string { return filepath.Join(d.Runtime, "agents") }

// Launches holds the launch records, by which the next start finds what a
// crash left running.
func (d Dirs) Launches() string { return filepath.Join(d.State, "launches") }

// Database is the file of the record.
func (d Dirs) Database() string { return filepath.Join(d.Data, "parley.db") }

// Outputs holds the outputs of tools that are too long for the record.
func (d Dirs) Outputs() string { return filepath.Join(d.Data, "outputs") }

// Settings is the file of the person's preferences.
func (d Dirs) Settings() string { return filepath.Join(d.Config, "settings.json") }

// Profiles is the file of the person's profiles.
func (d Dirs) Profiles() string { return filepath.Join(d.Config, "profiles.json") }

// Secrets is the list of the person's secrets, with those that no keyring holds.
func (d Dirs) Secrets() string { return filepath.Join(d.Data, "secrets.json") }

// Overrides is the file of the person's changes to MCP servers.
func (d Dirs) Overrides() string { return filepath.Join(d.Config, "mcp-overrides.jsonc") }

// Log is the newest log file.
func (d Dirs) Log() string { return filepath.Join(d.State, "parley.log") }

// Scratch holds the folders of sessions that were given none.
func (d Dirs) Scratch() string { return filepath.Join(d.Data, "scratch") }

// Trials holds the folders of agents that the doctor tries. Their paths are short,
// since a socket lies below them.
func (d Dirs) Trials() string { return filepath.Join(d.State, "trials") }

// Doctor is the file of what the doctor found.
func (d Dirs) Doctor() string { return filepath.Join(d.Data, "doctor.json") }

// Pictures holds what was pasted into messages and answers.
func (d Dirs) Pictures() string { return filepath.Join(d.Data, "pictures") }
