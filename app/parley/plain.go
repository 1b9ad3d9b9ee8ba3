package main

import (
	"fmt"
	"regexp"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf16"

	"parley/app"
)

// plain is text of an agent as a terminal may show it.
func plain(text string) string { return app.Plain(text) }

// escaped writes such characters of a JSON line the way JSON can.
func escaped(line string) string {
	if !strings.ContainsFunc(line, func(r rune) bool { return r > unicode.MaxASCII && app.Steers(r) || r == 0x7f }) {
		return line
	}
	var b strings.Builder
	for _, r := range line {
		switch {
		case r == '\n' || !app.Steers(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// oneLine is a text as it fits into a list.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(plain(text)), " ")
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// gaps are empty lines that would push what stands above out of sight.
var gaps = regexp.MustCompile(`\n(?:[^\S\n]*\n){2,}`)

// indent puts a mark before each line of another's text.
func indent(text, mark string) string {
	text = gaps.ReplaceAllString(text, "\n\n")
	return mark + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+mark)
}

// table prints rows in columns; of a cell that is too long its beginning.
func (p *program) table(head []string, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
	if head != nil {
		fmt.Fprintln(w, strings.Join(head, "\t"))
	}
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = oneLine(cell, 120)
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}
	return w.Flush()
}
