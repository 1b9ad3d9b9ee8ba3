package bridge_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"parley/mcp/bridge"
)

// FuzzLine: lines add up to what was read, none is over the limit, and a line
// that is too long is said to be.
func FuzzLine(f *testing.F) {
	f.Add([]byte("one\ntwo\r\n\nlast"), 8)
	f.Add([]byte("0123456789\n"), 9)
	f.Add([]byte{}, 1)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		limit = max(0, min(limit, 1<<16))
		r := bufio.NewReaderSize(bytes.NewReader(data), 16)
		var read []byte
		for {
			line, err := bridge.ReadLine(r, limit)
			if errors.Is(err, bridge.ErrLineTooLong) {
				return
			} else if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if len(line) > limit+1 || bytes.IndexByte(line, '\n') >= 0 {
				t.Fatalf("a line of %d bytes with the limit %d: %q", len(line), limit, line)
			}
			read = append(append(read, line...), '\n')
		}
		if !bytes.Equal(bytes.TrimSuffix(read, []byte("\n")), bytes.TrimSuffix(data, []byte("\n"))) {
			t.Fatalf("read %q of %q", read, data)
		}
	})
}

// FuzzCredential: whatever the file holds, it is taken whole or refused with a
// sentence that does not quote it.
func FuzzCredential(f *testing.F) {
	f.Add([]byte(`{"version":1,"socket":"/s","token":"t","session_id":"x"}`))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(`{"version":1,"socket":"","token":"t"}`))
	f.Add([]byte("\x00"))
	path := filepath.Join(f.TempDir(), "credential")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := bridge.LoadCredential(path)
		if err == nil {
			if c.Version != bridge.CredentialVersion || c.Socket == "" || c.Token == "" {
				t.Errorf("took %+v", c)
			}
			return
		}
		e, ok := errors.AsType[*bridge.Error](err)
		if !ok || e.Message == "" || e.Code == "" {
			t.Errorf("refused with %v", err)
		} else if len(data) > 12 && bytes.Contains([]byte(e.Message), data) {
			t.Errorf("the refusal quotes the file: %s", e.Message)
		}
	})
}

// FuzzChecked: what passes the check keeps every limit and passes it again
// unchanged; what doesn't is refused with a field.
func FuzzChecked(f *testing.F) {
	f.Add([]byte(`{"context_id":"c","question":"q","options":[{"label":"a"},{"label":"a"}],"multi_select":true}`))
	f.Add([]byte(`{"context_id":"c","question":" ","options":[{"label":""}]}`))
	f.Add([]byte(`{"context_id":"c","plan":[{"id":"1","step":"s","status":"pending"},{"id":"1","step":"s","status":"done"}]}`))
	refused := func(t *testing.T, err error) {
		if e, ok := errors.AsType[*bridge.Error](err); !ok || e.Field == "" || e.Message == "" {
			t.Errorf("refused with %v", err)
		}
	}
	same := func(t *testing.T, a, b any) {
		one, _ := json.Marshal(a)
		two, _ := json.Marshal(b)
		if !bytes.Equal(one, two) {
			t.Errorf("checked twice: %s, then %s", one, two)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var q bridge.ClarifyRequest
		if json.Unmarshal(data, &q) == nil {
			if once, err := q.Checked(); err != nil {
				refused(t, err)
			} else {
				if utf8.RuneCountInString(once.Question) > bridge.MaxQuestion || len(once.Options) > bridge.MaxOptions {
					t.Errorf("let through: %+v", once)
				}
				again, err := once.Checked()
				if err != nil {
					t.Errorf("refused what it had passed: %v", err)
				}
				same(t, once, again)
			}
		}
		var p bridge.PlanRequest
		if json.Unmarshal(data, &p) == nil {
			if once, err := p.Checked(); err != nil {
				refused(t, err)
			} else if again, err := once.Checked(); err != nil {
				t.Errorf("refused what it had passed: %v", err)
			} else {
				same(t, once, again)
			}
		}
	})
}
