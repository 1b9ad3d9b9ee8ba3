package jsonl_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/agents/jsonl"
)

// got is a Line that cmp prints well.
type got struct {
	Data string
	JSON bool
}

// readAll reads r to its end; lines that were too long show as their sentence.
func readAll(t *testing.T, r *jsonl.Reader) []got {
	t.Helper()
	var all []got
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if tooLong, ok := errors.AsType[*jsonl.TooLongError](err); ok {
			all = append(all, got{Data: tooLong.Error()})
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, got{string(line.Data), line.JSON})
	}
}

func TestLines(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)
	for name, test := range map[string]struct {
		in   string
		want []got
	}{
		"nothing":            {"", nil},
		"blank lines":        {"\n \t\r\n\r\n", nil},
		"two objects":        {"{\"a\":1}\n{\"b\":2}\n", []got{{`{"a":1}`, true}, {`{"b":2}`, true}}},
		"no end at the end":  {"{\"a\":1}\n{\"b\":2}", []got{{`{"a":1}`, true}, {`{"b":2}`, true}}},
		"crlf":               {"{\"a\":1}\r\n{\"b\":2}\r\n", []got{{`{"a":1}`, true}, {`{"b":2}`, true}}},
		"byte order mark":    {"\uFEFF{\"a\":1}\n", []got{{`{"a":1}`, true}}},
		"null type":          {"{\"type\":null}\n", []got{{`{"type":null}`, true}}},
		"log line":           {"npm warn deprecated\n{}\n", []got{{"npm warn deprecated", false}, {"{}", true}}},
		"number":             {"42\n", []got{{"42", false}}},
		"array":              {"[{\"a\":1}]\n", []got{{`[{"a":1}]`, false}}},
		"cut off":            {"{\"a\":\n", []got{{`{"a":`, false}}},
		"two on a line":      {"{}{}\n", []got{{"{}{}", false}}},
		"too deep":           {deep + "\n{}\n", []got{{deep, false}, {"{}", true}}},
		"line separator":     {"{\"a\":\"x\u2028y\"}\n", []got{{"{\"a\":\"x\u2028y\"}", true}}},
		"bracketed paste":    {"\x1b[?2004h{\"a\":1}\n", []got{{`{"a":1}`, true}}},
		"sequences around":   {"\x1b]0;title\x07\x1b[2K\r{\"a\":1}\x1b[0m\n", []got{{`{"a":1}`, true}}},
		"only sequences":     {"\x1b[?25h\x1b[0m\x1b(B\n{}\n", []got{{"{}", true}}},
		"string terminator":  {"\x1b]8;;http://x\x1b\\{\"a\":1}\n", []got{{`{"a":1}`, true}}},
		"escape and a brace": {"\x1b{\"a\":1}\n", []got{{`{"a":1}`, true}}},
		"unfinished title":   {"\x1b]0;a title\n{}\n", []got{{"\x1b]0;a title", false}, {"{}", true}}},
		"raw escape inside":  {"{\"a\":\"\x1b[31mred\ttab\\\"q\"}\n", []got{{`{"a":"\u001b[31mred\u0009tab\"q"}`, true}}},
		"broken utf-8":       {"{\"a\":\"\xff\"}\n\xfe\n", []got{{"{\"a\":\"\uFFFD\"}", true}, {"\uFFFD", false}}},
		"nul bytes":          {"\x00\x00{\"a\":1}\n", []got{{`{"a":1}`, true}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, readAll(t, jsonl.NewReader(strings.NewReader(test.in)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Lines of these sizes broke readers of other programs; the next line must be
// read too.
func TestLongLines(t *testing.T) {
	for _, size := range []int{65_535, 65_536, 65_537, 1_048_577, 15_000_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			const frame = len(`{"a":""}`)
			long := `{"a":"` + strings.Repeat("x", size-frame) + `"}`
			r := jsonl.NewReader(strings.NewReader(long + "\n{\"next\":true}\n"))
			line, err := r.Next()
			if err != nil || !line.JSON || string(line.Data) != long {
				t.Fatalf("long line: json %v, %d bytes, error %v", line.JSON, len(line.Data), err)
			}
			if line, err = r.Next(); err != nil || string(line.Data) != `{"next":true}` {
				t.Fatalf("next line: %q, error %v", line.Data, err)
			}
		})
	}
}

func TestTooLongLineIsSkipped(t *testing.T) {
	const limit = 100_000
	in := io.MultiReader(
		strings.NewReader("{\"first\":1}\n"),
		strings.NewReader(strings.Repeat("x", limit)+"\n"),   // just fits
		strings.NewReader(strings.Repeat("y", limit+1)+"\n"), // just does not
		strings.NewReader("{\"next\":1}\n"),
		strings.NewReader(strings.Repeat("z", 3*limit)), // nor does this, without an end
	)
	want := []got{
		{`{"first":1}`, true},
		{strings.Repeat("x", limit), false},
		{Data: "The agent sent a line of 100001 bytes. The limit is 100000 bytes, so the line was skipped."},
		{`{"next":1}`, true},
		{Data: "The agent sent a line of 300000 bytes. The limit is 100000 bytes, so the line was skipped."},
	}
	if diff := cmp.Diff(want, readAll(t, jsonl.NewReaderLimit(in, limit))); diff != "" {
		t.Error(diff)
	}
}

// endless is a line that never ends.
type endless struct{ left int64 }

func (e *endless) Read(p []byte) (int, error) {
	n := int(min(e.left, int64(len(p))))
	if n == 0 {
		return 0, io.EOF
	}
	e.left -= int64(n)
	return n, nil
}

func TestTooLongLineCostsNoMemory(t *testing.T) {
	const size, limit = 256 << 20, 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := jsonl.NewReaderLimit(&endless{left: size}, limit).Next()
	runtime.ReadMemStats(&after)
	tooLong, ok := errors.AsType[*jsonl.TooLongError](err)
	if !ok || tooLong.Size != size || tooLong.Limit != limit {
		t.Fatalf("got %v", err)
	}
	if cost := after.TotalAlloc - before.TotalAlloc; cost > 8*limit {
		t.Errorf("skipping a line of %d bytes allocated %d bytes, the limit was %d", size, cost, limit)
	}
}

func TestCharactersInPieces(t *testing.T) {
	const want = `{"text":"问题🤔é"}`
	r := jsonl.NewReader(iotest.OneByteReader(strings.NewReader(want + "\n")))
	if diff := cmp.Diff([]got{{want, true}}, readAll(t, r)); diff != "" {
		t.Error(diff)
	}
}

func TestErrorOfTheSourceIsFinal(t *testing.T) {
	broken := errors.New("pipe burst")
	r := jsonl.NewReader(io.MultiReader(strings.NewReader("{\"a\":1}\n{\"b\":2}"), iotest.ErrReader(broken)))
	for _, want := range []string{`{"a":1}`, `{"b":2}`} {
		if line, err := r.Next(); err != nil || string(line.Data) != want {
			t.Fatalf("got %q, %v; want %s", line.Data, err, want)
		}
	}
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, broken) {
			t.Fatalf("got %v, want the source's error", err)
		}
	}
}

// Whatever comes: no panic, no blank lines, objects are objects, text is UTF-8,
// and a good line after it is found.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "\uFEFF{\"a\":1}\r", "\x1b[?2004h{\"a\":1}\x1b[0m", "\x1b]0;t\x07{}", "{\"a\":\"\x1b\\\"\x00\"}",
		"\xff\xfe{", "[1]", "{\"a\":\"\\\x01\"}", "\x1b", "\x1b[", "\x1bP{}", "{}}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		in = append(bytes.Clone(in), "\n{\"last\":1}\n"...)
		all := readAll(t, jsonl.NewReaderLimit(bytes.NewReader(in), 1<<16))
		for _, line := range all {
			if strings.Trim(line.Data, " \t\r") == "" {
				t.Errorf("blank line %q", line.Data)
			}
			if !utf8.ValidString(line.Data) {
				t.Errorf("broken UTF-8 in %q", line.Data)
			}
			var object map[string]json.RawMessage
			if line.JSON && json.Unmarshal([]byte(line.Data), &object) != nil {
				t.Errorf("no object: %q", line.Data)
			}
		}
		if len(all) == 0 || all[len(all)-1] != (got{`{"last":1}`, true}) {
			t.Errorf("the last line was lost: %+v", all)
		}
	})
}
