// Package figures turns what the benchmarks measured into Markdown tables: it
// owns the median, the 99th percentile, the ratio of paired runs, and the line
// that says how busy the computer was meanwhile. It knows nothing of what is
// measured and never judges it. A Table belongs to one goroutine.
package figures

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// EnvFile names a file to which tables are added; without it they go to
// standard output.
const EnvFile = "PARLEY_FIGURES"

// Sample is the measured values of one thing, in the order of its runs.
type Sample []float64

// AddSince adds the time since start, in milliseconds.
func (s *Sample) AddSince(start time.Time) { *s = append(*s, float64(time.Since(start))/1e6) }

// Quantile is the value below which the part q of the sample lies: 0.5 is the
// median, 0.99 the 99th percentile. It is 0 for an empty sample.
func (s Sample) Quantile(q float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// Median is Quantile(0.5).
func (s Sample) Median() float64 { return s.Quantile(0.5) }

// Over is the run by run ratio of s to base, which were measured in turns: what
// disturbed one run disturbed its partner about as much.
func (s Sample) Over(base Sample) Sample {
	var out Sample
	for i := range min(len(s), len(base)) {
		out = append(out, s[i]/base[i])
	}
	return out
}

// Table is a Markdown table that is being filled.
type Table struct {
	title, load string
	lines       []string
}

// New begins a table; it is to be called before the measuring.
func New(title string, columns ...string) *Table {
	t := &Table{title: title, load: load()}
	t.row(columns)
	t.row(slices.Repeat([]string{"---"}, len(columns)))
	return t
}

// Row adds a row. A number is written with three digits that count.
func (t *Table) Row(cells ...any) {
	var text []string
	for _, c := range cells {
		if n, ok := c.(float64); ok {
			c = number(n)
		}
		text = append(text, fmt.Sprint(c))
	}
	t.row(text)
}

func (t *Table) row(cells []string) { t.lines = append(t.lines, "| "+strings.Join(cells, " | ")+" |") }

func number(n float64) string {
	switch {
	case n >= 100:
		return fmt.Sprintf("%.0f", n)
	case n >= 10:
		return fmt.Sprintf("%.1f", n)
	}
	return fmt.Sprintf("%.2f", n)
}

// Print writes the table with the load before and after the measuring.
func (t *Table) Print(tb testing.TB) {
	tb.Helper()
	var out io.Writer = os.Stdout
	if path := os.Getenv(EnvFile); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			tb.Fatal(err)
		}
		defer f.Close()
		out = f
	}
	_, err := fmt.Fprintf(out, "\n### %s\n\n%s\n\n%s; load %s before, %s after.\n",
		t.title, strings.Join(t.lines, "\n"), time.Now().UTC().Format("2006-01-02 15:04 UTC"), t.load, load())
	if err != nil {
		tb.Fatal(err)
	}
}

// load is the number of processes that wanted to run in the last minute.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
