package mask

import "io"

// Writer returns a writer that hides what looks like a secret on its way to w:
// for exports, which leave the computer. Each text must come in one Write.
func Writer(w io.Writer) io.Writer { return writer{w} }

type writer struct{ to io.Writer }

// Write implements io.Writer.
func (w writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, Shapes(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
