package store_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGeneratedCodeIsUpToDate fails when the SQL was changed and the code was
// not generated from it (go generate ./app/store).
func TestGeneratedCodeIsUpToDate(t *testing.T) {
	sum := sha256.New()
	for _, pattern := range []string{"migrations/*.sql", "queries/*.sql", "sqlc.yaml"} {
		files, err := filepath.Glob(pattern) // sorted, as the shell sorts them
		must(t, err)
		if len(files) == 0 {
			t.Fatalf("no %s", pattern)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			must(t, err)
			sum.Write(data)
		}
	}
	noted, err := os.ReadFile("sqlgen/sources.sha256")
	must(t, err)
	equal(t, strings.Fields(string(noted))[0], hex.EncodeToString(sum.Sum(nil)))
}
