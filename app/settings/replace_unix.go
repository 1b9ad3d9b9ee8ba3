//go:build unix

package settings

import (
	"path/filepath"

	"github.com/google/renameio/v2"
)

// replace puts data in place of a file at once, keeping its mode.
func replace(path string, data []byte) error {
	return renameio.WriteFile(path, data, 0o600, renameio.WithTempDir(filepath.Dir(path)), renameio.WithExistingPermissions())
}
