package proc

import (
	"strings"
	"sync"
)

// tail keeps the last bytes that were written to it.
type tail struct {
	mu   sync.Mutex // guards the fields below
	ring []byte     // grows to its size and is then written around
	size int
	next int // where the next byte goes, once the ring is full
}

func newTail(size int) *tail { return &tail{size: size} }

// Write implements io.Writer and never fails.
func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	p = p[max(0, len(p)-t.size):]
	grow := min(len(p), t.size-len(t.ring))
	t.ring, p = append(t.ring, p[:grow]...), p[grow:]
	for len(p) > 0 {
		wrote := copy(t.ring[t.next:], p)
		t.next, p = (t.next+wrote)%t.size, p[wrote:]
	}
	return n, nil
}

// String returns what is kept. A character that was cut in two at the front is
// left out.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.ring[t.next:])+string(t.ring[:t.next]), "")
}

// head keeps the first bytes that are written to it.
type head struct {
	kept []byte
	size int
}

// Write implements io.Writer and never fails.
func (h *head) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), h.size-len(h.kept))]...)
	return len(p), nil
}
