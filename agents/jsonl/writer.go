package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// Writer writes values as lines. Lines of several goroutines never mix.
type Writer struct {
	// mu is held across a write on purpose: keeping lines apart is what a Writer
	// is for. A write blocks while the other side reads nothing, and ends when
	// the pipe is closed.
	mu  sync.Mutex
	dst io.Writer
}

// NewWriter returns a Writer to w. Every line is one call of w.Write.
func NewWriter(w io.Writer) *Writer { return &Writer{dst: w} }

// Write writes v as one line. Characters such as '<' stay as they are.
func (w *Writer) Write(v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line) // ends the value with the '\n' we need
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode line: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.dst.Write(line.Bytes()); err != nil {
		return fmt.Errorf("write line: %w", err)
	}
	return nil
}
