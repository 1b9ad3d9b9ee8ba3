package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// patch is one file: what it breaks, and which test must notice.
type patch struct {
	name string // of the file, without its ending
	path string // absolute
	what string
	test test
}

// test is one test of Go, or of the page.
type test struct {
	page bool
	in   string // package such as ./app/store, or file below frontend
	name string // of the function; of the page's test a part of its name
}

func (t test) String() string {
	if t.page {
		return "page " + t.in + " " + t.name
	}
	return "go " + t.in + " " + t.name
}

// load reads the patches of a folder in the order of their names.
func load(dir string) ([]patch, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.patch"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no patches in %s: %v", dir, err)
	}
	var all []patch
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		path, err := filepath.Abs(f)
		if err != nil {
			return nil, err
		}
		p := patch{name: strings.TrimSuffix(filepath.Base(f), ".patch"), path: path}
		if err := p.parse(string(data)); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// parse reads the lines before the diff.
func (p *patch) parse(text string) error {
	head, _, ok := strings.Cut(text, "\ndiff --git ")
	if !ok {
		return fmt.Errorf("there is no diff in it")
	}
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "What":
			p.what = value
		case "Test":
			kind, rest, _ := strings.Cut(value, " ")
			in, name, ok := strings.Cut(rest, " ")
			if !ok || kind != "go" && kind != "page" {
				return fmt.Errorf("no test is named by %q", line)
			}
			p.test = test{page: kind == "page", in: in, name: name}
		}
	}
	if p.what == "" || p.test.name == "" {
		return fmt.Errorf("it does not say what it breaks and which test must notice")
	}
	return nil
}
