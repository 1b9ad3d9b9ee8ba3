package live

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/fakemodel"
)

// Moves are what a family's model does when the suite asks for it. Each call has
// an id of its own, as a model gives them.
type Moves struct {
	Read   func(call string) fakemodel.Reply // reads the file a.txt, which needs no permission
	Remove func(call string) fakemodel.Reply // removes the file b.txt, which needs one
	// Refused reports whether a result of Remove is that of a call without its
	// permission.
	Refused func(result fakemodel.Part) bool
}

// Suite is a model for Conform.
func Suite(t *testing.T, m Moves) *fakemodel.Server {
	t.Helper()
	always := func(words string, answer func(fakemodel.Request) fakemodel.Reply) fakemodel.Step {
		return fakemodel.Step{When: fakemodel.UserSays(words), Times: fakemodel.Always, Answer: answer}
	}
	var reads, removals calls
	return Serve(t,
		reads.then(func(fakemodel.Part) string { return "I read it." }),
		removals.then(func(p fakemodel.Part) string {
			if m.Refused(p) {
				return "Left undone."
			}
			return "It is done."
		}),
		always("hello", func(fakemodel.Request) fakemodel.Reply { return fakemodel.Text("Good morning.") }),
		always("look", func(fakemodel.Request) fakemodel.Reply { return m.Read(reads.next("read")) }),
		always("change", func(fakemodel.Request) fakemodel.Reply { return m.Remove(removals.next("remove")) }),
		always("dream", func(fakemodel.Request) fakemodel.Reply {
			return fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "This is an endless thought", Until: make(chan struct{})})
		}),
	)
}

// Conform holds a real CLI, whose model is a Suite, to the suite of every
// family. It prints no garbage and does not end by itself, whatever a model
// says, so that a family shows in tests of its own.
func Conform(t *testing.T, a agents.Adapter, install agents.Install, spec agents.SessionSpec) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(spec.Cwd, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	agenttest.Conform(t, agenttest.Case{
		Adapter: a, Install: install,
		Spec:    func(*testing.T) agents.SessionSpec { return spec },
		Context: `<block>context_id="pctx_` + strings.Repeat("0123456789", 4) + `abc"</block>`,
		Say:     "hello", Said: "Good morning.",
		Tool: "look",
		Ask:  "change", Allowed: "It is done.", Denied: "Left undone.",
		Endless: "dream",
	})
}

// calls are those of one kind that the model made.
type calls struct {
	mu  sync.Mutex // guards ids
	ids []string
}

func (c *calls) next(kind string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := fmt.Sprintf("%s-%d", kind, len(c.ids)+1)
	c.ids = append(c.ids, id)
	return id
}

// newest returns the result of one of the calls that a request brings.
func (c *calls) newest(r fakemodel.Request) (fakemodel.Part, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range c.ids {
		if fakemodel.HasResult(id)(r) {
			return r.ToolResult(id)
		}
	}
	return fakemodel.Part{}, false
}

// then is a step that says something about each result.
func (c *calls) then(words func(fakemodel.Part) string) fakemodel.Step {
	return fakemodel.Step{
		Times: fakemodel.Always,
		When:  func(r fakemodel.Request) bool { _, ok := c.newest(r); return ok },
		Answer: func(r fakemodel.Request) fakemodel.Reply {
			p, _ := c.newest(r)
			return fakemodel.Text(words(p))
		},
	}
}
