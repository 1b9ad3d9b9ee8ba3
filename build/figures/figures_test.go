package figures_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/build/figures"
)

func TestQuantiles(t *testing.T) {
	var s figures.Sample
	for i := range 100 {
		s = append(s, float64(100-i)) // 100 … 1
	}
	if m, p := s.Median(), s.Quantile(0.99); m != 51 || p != 100 {
		t.Errorf("median %v, p99 %v", m, p)
	}
	if s[0] != 100 {
		t.Error("the sample was sorted in place, so its runs no longer match their partners")
	}
	if got := (figures.Sample{2, 9}).Over(figures.Sample{1, 3, 7}); !slices.Equal(got, figures.Sample{2, 3}) {
		t.Errorf("ratios %v", got)
	}
	if (figures.Sample{}).Median() != 0 {
		t.Error("an empty sample has a median")
	}
}

func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "figures.md")
	t.Setenv(figures.EnvFile, path)
	table := figures.New("Start", "what", "ms")
	table.Row("ours", 123.456)
	table.Row("theirs", 1.234)
	table.Print(t)
	table.Print(t) // is added, not written over
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "\n### Start\n\n| what | ms |\n| --- | --- |\n| ours | 123 |\n| theirs | 1.23 |\n\n"
	if strings.Count(string(text), want) != 2 || !strings.Contains(string(text), " before, ") {
		t.Errorf("got %s", text)
	}
}
