package bridge_test

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"parley/mcp/bridge"
)

func TestLinesOfAnyLengthUpToTheLimit(t *testing.T) {
	const limit = 100_000
	for _, n := range []int{0, 1, 15, 16, 17, 65_535, 65_536, 65_537, limit} {
		in := bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", n)+"\nnext"), 16)
		line, err := bridge.ReadLine(in, limit)
		if err != nil || len(line) != n {
			t.Errorf("line of %d bytes: got %d, %v", n, len(line), err)
		}
		line, err = bridge.ReadLine(in, limit)
		if err != nil || string(line) != "next" {
			t.Errorf("last line without a break: %q, %v", line, err)
		}
		if _, err = bridge.ReadLine(in, limit); !errors.Is(err, io.EOF) {
			t.Errorf("after the last line: %v, want the end", err)
		}
	}
	_, err := bridge.ReadLine(bufio.NewReader(strings.NewReader(strings.Repeat("x", limit+1)+"\n")), limit)
	if !errors.Is(err, bridge.ErrLineTooLong) {
		t.Errorf("over the limit: %v", err)
	}
}

func TestLineCutOffByABrokenConnectionIsNoLine(t *testing.T) {
	broken := errors.New("connection reset")
	in := bufio.NewReader(io.MultiReader(strings.NewReader(`{"result":`), iotest.ErrReader(broken)))
	if line, err := bridge.ReadLine(in, 1000); !errors.Is(err, broken) {
		t.Errorf("got %q, %v; want the connection's error", line, err)
	}
}
