//go:build unix

package childapi_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/build/clis"
	"parley/mcp"
	"parley/mcp/inject"
)

// TestRealClaudeCodeAsks: the real CLI, with a scripted model, starts the real
// parley-mcp by the entry that it gets in earnest. It shows the tool and the
// instructions to the model, passes the call's id on, and hands the answer back.
func TestRealClaudeCodeAsks(t *testing.T) {
	for _, cli := range []*clis.CLI{clis.Claude, clis.ClaudeOld} {
		t.Run(cli.Version, func(t *testing.T) {
			claude := cli.Path(t)
			r := serve(t, nil)
			tool := launch.ToolPrefix + mcp.ToolClarify
			model, err := fakemodel.Start(fakemodel.Script{
				{When: fakemodel.UserSays("go"), Reply: fakemodel.Reply{Blocks: []fakemodel.Block{
					fakemodel.ToolUseOf("toolu_ask", tool, map[string]any{"context_id": "pctx_1", "question": "Which?", "choices": []string{"Hello", "Ahoy"}}),
				}}},
				{When: fakemodel.HasResult("toolu_ask"), Reply: fakemodel.Text("I take it.")},
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(model.Close)

			ours := command(t, r.path, token)
			entry := mcp.Interaction(ours.Path, strings.TrimPrefix(ours.Env[0], mcp.EnvRunCredential+"="), true, false, mcp.DefaultLimits())
			config, err := inject.Claude(mcp.Catalog{entry})
			if err != nil {
				t.Fatal(err)
			}
			home := t.TempDir()
			configFile := filepath.Join(home, "mcp.json")
			if err := os.WriteFile(configFile, config, 0o600); err != nil {
				t.Fatal(err)
			}
			allow, err := json.Marshal(map[string]any{"permissions": map[string]any{"allow": inject.ClaudeAllow(mcp.Catalog{entry})}})
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), claude, "-p", "--verbose", "--output-format", "stream-json",
				"--strict-mcp-config", "--mcp-config", configFile, "--settings", string(allow), "--", "go")
			cmd.Dir = home
			cmd.WaitDelay = 5 * time.Second
			cmd.Env = []string{
				"HOME=" + home, "PATH=" + os.Getenv("PATH"), "ANTHROPIC_BASE_URL=" + model.URL(), "ANTHROPIC_API_KEY=dummy",
				"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			}
			type end struct {
				out []byte
				err error
			}
			ended := make(chan end, 1)
			go func() {
				out, err := cmd.CombinedOutput()
				ended <- end{out, err}
			}()

			if tools := within(t, "the report that the tools are listed", r.listed); len(tools) != 3 {
				t.Errorf("listed %q", tools)
			}
			a := r.question(t)
			if !strings.Contains(a.meta, "toolu_ask") || a.in.Question != "Which?" {
				t.Errorf("asked %+v with %s", a.in, a.meta)
			}
			a.answer <- app.Outcome{Reason: app.ReasonResponse, Response: "Ahoy", Selected: []string{"Ahoy"}}
			e := within(t, "the end of the CLI", ended)
			if e.err != nil || !strings.Contains(string(e.out), "I take it.") {
				t.Fatalf("%v: %s", e.err, e.out)
			}

			requests := model.Requests()
			if _, ok := requests[0].Tool(tool); !ok {
				t.Errorf("the model was not shown %s", tool)
			}
			if !strings.Contains(requests[0].Everything(), "`"+tool+"`") {
				t.Error("the model was not given the instructions")
			}
			result, ok := requests[len(requests)-1].ToolResult("toolu_ask")
			if !ok || !strings.Contains(result.Text, "Ahoy") {
				t.Errorf("the model got %+v", result)
			}
		})
	}
}
