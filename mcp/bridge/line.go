package bridge

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrLineTooLong is returned for a line over its limit.
var ErrLineTooLong = errors.New("line too long")

// ReadLine reads one line of at most limit bytes, without its line break. The
// last line of an input needs none; a line that a broken connection cut off is
// no line. The bytes are the caller's.
func ReadLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line bytes.Buffer
	for {
		piece, err := r.ReadSlice('\n')
		line.Write(piece)
		if line.Len() > limit+1 {
			return nil, ErrLineTooLong
		}
		switch {
		case err == nil:
			return line.Bytes()[:line.Len()-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && line.Len() > 0:
			return line.Bytes(), nil // the end of input comes again at the next call
		default:
			return nil, err
		}
	}
}
