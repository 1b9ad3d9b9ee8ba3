package settings_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"parley/app/settings"
)

// FuzzFile: whatever the file holds, Parley starts with it: either it is in
// force, or the defaults are and the file is kept. What is in force can be saved
// and read again.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{`{}`, `{"theme":"dark","new":[1]}`, `{"deadline_s":59}`, `{"deadline_s":1e9}`, `[]`, `null`, ``, `{"theme":1}`, "\xef\xbb\xbf{}", `{"theme":"dark","theme":"plaid"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "settings.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := settings.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if file.Problem() != nil && !reflect.DeepEqual(file.Get(), settings.Defaults()) {
			t.Fatalf("a refused file is in force: %+v", file.Get())
		}
		now := file.Get()
		if _, err := file.Set(context.Background(), now); err != nil {
			t.Fatalf("what is in force can't be saved: %v", err)
		}
		again, err := settings.Open(path)
		if err != nil || again.Problem() != nil || !reflect.DeepEqual(again.Get(), now) {
			t.Fatalf("read again: %+v, %v, %v", again.Get(), again.Problem(), err)
		}
	})
}
