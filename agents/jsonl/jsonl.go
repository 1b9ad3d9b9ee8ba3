// Package jsonl reads and writes streams of one JSON object per line, as agent
// CLIs speak them. It owns what goes wrong on such streams: very long lines,
// CRLF, a byte order mark, a last line without an end, terminal control
// sequences around an object, raw control characters inside a string, broken
// UTF-8 and lines that are no JSON at all. It knows no protocol and no process.
//
// A Reader belongs to one goroutine. A Peer may be used from any.
package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// MaxLine is the longest line in bytes, without its end, that a Reader hands
// out. Lines of 15 MB are known from agents that print whole files.
const MaxLine = 64 << 20

// Line is one line that is not blank.
type Line struct {
	// Data is the line without its end. With JSON it is exactly one JSON object,
	// valid and in valid UTF-8, and freed of what stood around it. Without, it is
	// the line as it came, only made valid UTF-8. The caller owns it.
	Data []byte
	// JSON says that Data is an object. What is not (a log line, a number, an
	// array, nesting deeper than encoding/json accepts) is for an Unknown event.
	JSON bool
}

// TooLongError says that a line was longer than the limit and was skipped. The
// lines after it can still be read.
type TooLongError struct {
	Limit int   // bytes
	Size  int64 // bytes of the line, without its end
}

// Error implements error with a sentence that a person may read.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("The agent sent a line of %d bytes. The limit is %d bytes, so the line was skipped.", e.Size, e.Limit)
}

// Reader reads lines.
type Reader struct {
	src   *bufio.Reader
	limit int
	err   error // what ended the stream, nil until then
}

// NewReader returns a Reader with the limit MaxLine.
func NewReader(r io.Reader) *Reader { return NewReaderLimit(r, MaxLine) }

// NewReaderLimit returns a Reader with a limit of its own, in bytes.
func NewReaderLimit(r io.Reader, limit int) *Reader {
	return &Reader{src: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// Next returns the next line that is not blank. The end of the stream is
// io.EOF; a *TooLongError concerns one line and reading goes on with the next;
// any other error is what the source returned and is final. A last line without
// an end is handed out before the error that ended the stream.
func (r *Reader) Next() (Line, error) {
	for {
		if r.err != nil {
			return Line{}, r.err
		}
		raw, err := r.readLine()
		if tooLong, ok := errors.AsType[*TooLongError](err); ok {
			return Line{}, tooLong
		}
		r.err = err
		if line, ok := parse(raw); ok {
			return line, nil
		}
	}
}

// Each hands out the lines until the stream ends. tooLong is told of a line that
// was skipped. Both run on the caller's goroutine. Why an agent's output ended,
// the end of its process says.
func (r *Reader) Each(take func(Line), tooLong func(*TooLongError)) {
	for {
		line, err := r.Next()
		if skipped, ok := errors.AsType[*TooLongError](err); ok {
			tooLong(skipped)
			continue
		}
		if err != nil {
			return
		}
		take(line)
	}
}

// readLine returns a line without its '\n'. Memory stays within the limit: of a
// longer line only the size is kept. An error beside a line is the one that
// ended the stream after it.
func (r *Reader) readLine() ([]byte, error) {
	var line []byte
	var size int64
	for {
		piece, err := r.src.ReadSlice('\n')
		ended := err == nil
		if ended {
			piece = piece[:len(piece)-1]
		}
		size += int64(len(piece))
		if size <= int64(r.limit) {
			line = append(line, piece...)
		} else {
			line = nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if size > int64(r.limit) {
			// An error of the source comes again at the next read.
			return nil, &TooLongError{Limit: r.limit, Size: size}
		}
		if ended {
			return line, nil
		}
		return line, err
	}
}

// parse finds the object in a line. It reports false for a blank line.
func parse(raw []byte) (Line, bool) {
	raw = bytes.TrimSuffix(raw, []byte{'\r'})
	core := trimNoise(raw)
	if len(core) == 0 {
		return Line{}, false
	}
	if !utf8.Valid(core) {
		core = bytes.ToValidUTF8(core, []byte("\uFFFD"))
	}
	if core[0] == '{' {
		if object, ok := object(core); ok {
			return Line{Data: object, JSON: true}, true
		}
	}
	return Line{Data: bytes.ToValidUTF8(raw, []byte("\uFFFD"))}, true
}

// object returns the JSON object that b is, apart from noise after it and raw
// control characters in its strings.
func object(b []byte) ([]byte, bool) {
	if json.Valid(b) {
		return b, true
	}
	if end := bytes.LastIndexByte(b, '}'); end >= 0 && len(trimNoise(b[end+1:])) == 0 {
		b = b[:end+1]
	}
	if json.Valid(b) {
		return b, true
	}
	b = escapeControls(b)
	return b, json.Valid(b)
}

// escapeControls writes control characters inside JSON strings the way JSON
// wants them. Some CLIs copy a terminal's output into a string unescaped.
func escapeControls(b []byte) []byte {
	out := make([]byte, 0, len(b)+64)
	inString, escaped := false, false
	for _, c := range b {
		switch {
		case inString && c < 0x20:
			out = fmt.Appendf(out, `\u%04x`, c)
			escaped = false
			continue
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		}
		out = append(out, c)
	}
	return out
}
