package inject_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/agents/registry"
	"parley/mcp"
	"parley/mcp/inject"
)

var update = flag.Bool("update", false, "write the golden files anew")

// families are those whose spelling is known, and every one that the registry
// has: a new family is tested without being added here.
var families = func() []string {
	all := []string{"claude", "codex", "opencode", "grok", "pi", "dsh", "acp", "chat", "demo"}
	for _, a := range registry.All(registry.Programs{}) {
		if f := string(a.Info().Family); !slices.Contains(all, f) && !strings.HasPrefix(f, "acp:") { // those are spelled as acp is
			all = append(all, f)
		}
	}
	return all
}()

// contextID has the shape and length of a real one.
const contextID = "pctx_0123456789012345678901234567890123456789012"

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs from what is written there:\n%s", path, got)
	}
}

func TestContextBlockOfEachFamily(t *testing.T) {
	for _, family := range families {
		t.Run(family, func(t *testing.T) {
			block := inject.ContextBlock(family, contextID, true, true)
			golden(t, "block/"+family+".txt", block)
			if n := utf8.RuneCountInString(block); n >= 1200 {
				t.Errorf("the block has %d characters, it must stay under 1200", n)
			}
			if !strings.HasPrefix(block, "<parley_interaction_context>") || !strings.HasSuffix(block, "</parley_interaction_context>") {
				t.Errorf("the block is not framed: %s", block)
			}
			if !strings.Contains(block, `context_id="`+contextID+`"`) {
				t.Error("the block does not hold the context id")
			}
			if !strings.Contains(block, "`"+inject.ToolPrefix(family)+mcp.ToolClarify+"`") {
				t.Error("the block does not name the tool as this family spells it")
			}
		})
	}
}

func TestGuidanceOfEachFamily(t *testing.T) {
	for _, family := range families {
		t.Run(family, func(t *testing.T) {
			text := inject.Guidance(family, true, true)
			golden(t, "guidance/"+family+".txt", text)
			if n := utf8.RuneCountInString(text); n >= 2000 {
				t.Errorf("the text has %d characters, it must stay under 2000", n)
			}
			first, _, _ := strings.Cut(text, "\n\n")
			if n := utf8.RuneCountInString(first); n > 250 {
				t.Errorf("the first paragraph has %d characters; some CLIs cut at 250", n)
			}
			if !strings.Contains(first, "`"+inject.ToolPrefix(family)+mcp.ToolClarify+"`") {
				t.Error("the first paragraph does not name the tool as this family spells it")
			}
			if strings.Contains(text, "pctx_") {
				t.Error("the stable text holds a context id")
			}
		})
	}
}

// TestWhatIsNotOfferedIsNotMentioned: a model must not be told of a tool that
// it would be refused.
func TestWhatIsNotOfferedIsNotMentioned(t *testing.T) {
	for _, family := range families {
		for what, text := range map[string]string{
			"guidance": inject.Guidance(family, false, true),
			"block":    inject.ContextBlock(family, contextID, false, true),
		} {
			if strings.Contains(text, "clarify") || strings.Contains(text, "ask") && strings.Contains(text, "person with") {
				t.Errorf("%s of %s speaks of asking although it is not offered:\n%s", what, family, text)
			}
			if !strings.Contains(text, mcp.ToolUpdatePlan) {
				t.Errorf("%s of %s lacks the plan tool", what, family)
			}
			if n := utf8.RuneCountInString(text); what == "guidance" && n > 250 {
				t.Errorf("%s of %s has %d characters; some CLIs cut at 250", what, family, n)
			}
		}
		if text := inject.Guidance(family, true, false) + inject.ContextBlock(family, contextID, true, false); strings.Contains(text, mcp.ToolUpdatePlan) {
			t.Errorf("%s is told of the plan tool although it is not offered", family)
		}
		if text := inject.Guidance(family, false, false) + inject.ContextBlock(family, contextID, false, false); text != "" {
			t.Errorf("%s is told something although nothing is offered: %q", family, text)
		}
	}
}

// TestRulesAreThere holds the texts to their content; the wording is free.
func TestRulesAreThere(t *testing.T) {
	for what, text := range map[string]string{
		"guidance": inject.Guidance("claude", true, true),
		"block":    inject.ContextBlock("claude", contextID, true, true),
	} {
		for _, rule := range []string{
			"missing decision", "concise question", "choices", "terminal input", "native question tools", "plain text",
			`"interaction clarify"`, "earlier message", "reason", "timeout", "dismissed", "cancelled", "no approval",
			"sub-agents", "background tasks", "another call",
		} {
			if !strings.Contains(text, rule) {
				t.Errorf("the %s lacks %q", what, rule)
			}
		}
	}
}
