package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"parley/app"
)

// read reads the findings of earlier runs; there need be none.
func read(path string) (app.DoctorReport, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return app.DoctorReport{}, nil
	}
	if err != nil {
		return app.DoctorReport{}, err
	}
	var r app.DoctorReport
	if err := json.Unmarshal(data, &r); err != nil {
		return app.DoctorReport{}, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// write replaces the file as a whole. Losing it in a crash of the system loses
// nothing that a run does not find again.
func write(path string, r app.DoctorReport) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	next := path + ".new"
	if err := os.WriteFile(next, append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}
