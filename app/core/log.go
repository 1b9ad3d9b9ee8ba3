package core

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"sync"

	"parley/agents"
)

const (
	logSize  = 5 << 20 // bytes of one file
	logFiles = 3       // the newest and two older ones
)

// newLog returns a log that goes to the file and to also, if that is not nil.
// Secrets are masked on the way to both.
func newLog(file io.Writer, also slog.Handler) *slog.Logger {
	handlers := []slog.Handler{slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelDebug})}
	if also != nil {
		handlers = append(handlers, also)
	}
	return slog.New(masking{slog.NewMultiHandler(handlers...)})
}

// openLog opens the log file. It is put aside when it has grown to 5 MiB; two
// older ones are kept.
func openLog(path string) (*logFile, error) {
	f := &logFile{path: path}
	return f, f.open()
}

// logFile is a file that is put aside when it has grown.
type logFile struct {
	path string

	mu   sync.Mutex // guards the fields below and the order of writes
	file *os.File
	size int64
}

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
	for i := logFiles - 1; i > 0; i-- {
		from := f.path
		if i > 1 {
			from = fmt.Sprintf("%s.%d", f.path, i-1)
		}
		if err := os.Rename(from, fmt.Sprintf("%s.%d", f.path, i)); err != nil && !os.IsNotExist(err) {
			return
		}
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

// secrets are texts that look like one. Nothing of ours logs a secret knowingly;
// this catches what comes in the words of others.
var secrets = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}`), "$1 •••"},
	{regexp.MustCompile(`\b(sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abps])[-_][A-Za-z0-9_-]{12,}`), "$1-•••"},
	{regexp.MustCompile(`(?i)\b([a-z0-9_-]*(?:api[_-]?key|token|secret|password|passwd))(["']?\s*[:=]\s*["']?)[^\s"'&,;}]{4,}`), "$1$2•••"},
}

// mask hides what looks like a secret.
func mask(text string) string {
	text = agents.Redact(text)
	for _, s := range secrets {
		text = s.pattern.ReplaceAllString(text, s.instead)
	}
	return text
}

// masking hides secrets in everything that passes.
type masking struct{ slog.Handler }

// Handle implements slog.Handler.
func (m masking) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, mask(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(masked(a))
		return true
	})
	return m.Handler.Handle(ctx, out)
}

// WithAttrs implements slog.Handler.
func (m masking) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = masked(a)
	}
	return masking{m.Handler.WithAttrs(out)}
}

// WithGroup implements slog.Handler.
func (m masking) WithGroup(name string) slog.Handler { return masking{m.Handler.WithGroup(name)} }

func masked(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString, slog.KindAny:
		a.Value = slog.StringValue(mask(v.String()))
	case slog.KindGroup:
		group := v.Group()
		out := make([]slog.Attr, len(group))
		for i, g := range group {
			out[i] = masked(g)
		}
		a.Value = slog.GroupValue(out...)
	}
	return a
}
