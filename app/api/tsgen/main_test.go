package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const committed = "../../../frontend/src/backend/types.gen.ts"

// The page must never be built against older shapes than the back end's.
func TestCommittedFileIsUpToDate(t *testing.T) {
	want, err := Generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is out of date: run go generate ./app/api", committed)
	}
}

func TestMapping(t *testing.T) {
	text, err := Generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"export type Kind = 'clarify' | 'form' | 'approval' | 'elicitation' | 'native'\n",
		"  'clarify.requested': Interaction\n",
		"  'notice': Notice\n",
		"export interface InteractionResolved extends Outcome {\n",
		"  choices: string[] | null\n",
		"  answers?: Record<string, string[]>\n",
		"  cost_usd: number | null\n",
		"  outcome?: Outcome\n",
		"  render_payload?: unknown\n",
		"export type SessionID = string\n",
		"export type Empty = Record<string, never>\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("missing %q", want)
		}
	}
	for _, never := range []string{"undefined", "any", "interface Launch", "interface Error "} {
		for line := range strings.Lines(string(text)) {
			code, _, _ := strings.Cut(strings.TrimSpace(line), "*")
			if !strings.HasPrefix(code, "/") && strings.Contains(code, never) {
				t.Errorf("%q has %q", line, never)
			}
		}
	}
}

func TestBrokenSourceIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"syntax":  "package app\ntype X struct {",
		"nothing": "package app\n",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Generate(dir); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
