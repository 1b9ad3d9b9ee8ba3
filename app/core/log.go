package core

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"parley/app/mask"
)

// logSize is how large one file of the log may grow, in bytes.
const logSize = 5 << 20

// newLog returns a log that goes to the file and to also, if that is not nil.
// Secrets are masked on the way to both.
func newLog(file io.Writer, also slog.Handler, secrets *mask.Secrets) *slog.Logger {
	handlers := []slog.Handler{slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelDebug})}
	if also != nil {
		handlers = append(handlers, also)
	}
	return slog.New(masking{slog.NewMultiHandler(handlers...), secrets})
}

// openLog opens the log file. It is put aside when it has grown to 5 MiB; until
// Keep says otherwise, two older ones are kept.
func openLog(path string) (*logFile, error) {
	f := &logFile{path: path, keep: 3}
	return f, f.open()
}

// logFile is a file that is put aside when it has grown.
type logFile struct {
	path string

	mu   sync.Mutex // guards the fields below and the order of writes
	file *os.File
	size int64
	keep int // how many files there are at most, with the newest
}

// Keep sets how many files there are at most and removes older ones.
func (f *logFile) Keep(files int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keep = files
	for i := files; ; i++ {
		err := os.Remove(f.older(i))
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("remove an old log: %w", err)
		}
	}
}

// older is the name of the file that was put aside n times.
func (f *logFile) older(n int) string { return fmt.Sprintf("%s.%d", f.path, n) }

func (f *logFile) open() error {
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return fmt.Errorf("open log: %w", err)
	}
	f.file, f.size = file, info.Size()
	return nil
}

// Write implements io.Writer. A log that cannot be put aside grows on: losing
// lines would be worse.
func (f *logFile) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return 0, os.ErrClosed
	}
	if f.size+int64(len(p)) > logSize && f.size > 0 {
		f.rotate()
	}
	n, err := f.file.Write(p)
	f.size += int64(n)
	return n, err
}

func (f *logFile) rotate() {
	for i := f.keep - 1; i > 1; i-- {
		if err := os.Rename(f.older(i-1), f.older(i)); err != nil && !os.IsNotExist(err) {
			return
		}
	}
	put := func() error { return os.Rename(f.path, f.older(1)) }
	if f.keep == 1 {
		put = func() error { return os.Remove(f.path) }
	}
	if put() != nil {
		return
	}
	old := f.file
	if f.open() == nil {
		old.Close()
	}
}

// Close implements io.Closer.
func (f *logFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

// masking hides secrets in everything that passes.
type masking struct {
	slog.Handler
	secrets *mask.Secrets
}

// Handle implements slog.Handler.
func (m masking) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, m.secrets.HideInLog(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(m.masked(a))
		return true
	})
	return m.Handler.Handle(ctx, out)
}

// WithAttrs implements slog.Handler.
func (m masking) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = m.masked(a)
	}
	return masking{m.Handler.WithAttrs(out), m.secrets}
}

// WithGroup implements slog.Handler.
func (m masking) WithGroup(name string) slog.Handler {
	return masking{m.Handler.WithGroup(name), m.secrets}
}

func (m masking) masked(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString, slog.KindAny:
		a.Value = slog.StringValue(m.secrets.HideInLog(v.String()))
	case slog.KindGroup:
		group := v.Group()
		out := make([]slog.Attr, len(group))
		for i, g := range group {
			out[i] = m.masked(g)
		}
		a.Value = slog.GroupValue(out...)
	}
	return a
}
