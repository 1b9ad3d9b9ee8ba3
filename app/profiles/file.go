// Package profiles keeps named sets of what agents start with: variables, and
// the model and effort of new sessions. Secrets and MCP overrides of a profile
// lie elsewhere under its name; renaming and removing it here takes them along.
// It starts nothing and stores no secret. A Profiles may be used from any
// goroutine; one change is made at a time.
package profiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/app"
)

// version is the version of the file's shape.
const version = 1

// definition is a profile as the file has it.
type definition struct {
	Env    map[string]string           `json:"env,omitempty"`
	Agents map[string]app.ProfileAgent `json:"agents,omitempty"`
	// Removed is when it was removed while sessions still had it: these do not start
	// as somebody else. 0 is in use.
	Removed int64 `json:"removed_at,omitempty"`
}

// definitions are the profiles of a file by name.
type definitions map[string]definition

type fileText struct {
	Version  int         `json:"version"`
	Profiles definitions `json:"profiles"`
}

// read reads the file at path; one that is missing has no profiles.
func read(path string) (definitions, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return definitions{}, nil
	}
	var text fileText
	if err == nil {
		if err = json.Unmarshal(data, &text); err != nil {
			err = fmt.Errorf("%s%w", line(data, err), err)
		}
	}
	switch {
	case err != nil:
		return nil, app.Errorf(app.CodeUnavailable, "%s cannot be understood, so no profile is used and no agent starts until it is mended: %w", path, err)
	case text.Version != version:
		return nil, app.Errorf(app.CodeUnavailable, "%s is of version %d and this Parley reads version %d, so no profile is used and no agent starts.", path, text.Version, version)
	case text.Profiles == nil:
		return definitions{}, nil
	}
	return text.Profiles, nil
}

// line tells where JSON is not what it should be, as "line 3: ".
func line(data []byte, err error) string {
	at := int64(-1)
	if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = bad.Offset
	} else if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at = bad.Offset
	}
	if at < 0 || at > int64(len(data)) {
		return ""
	}
	return fmt.Sprintf("line %d: ", 1+bytes.Count(data[:at], []byte("\n")))
}

// write puts the profiles in place of the file at once.
func write(path string, all definitions) error {
	data, err := json.MarshalIndent(fileText{version, all}, "", "  ")
	if err != nil {
		return fmt.Errorf("write the profiles: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // made with mode 0600
	if err != nil {
		return fmt.Errorf("write the profiles: %w", err)
	}
	_, err = f.Write(append(data, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the profiles: %w", err), os.Remove(f.Name()))
	}
	return nil
}
