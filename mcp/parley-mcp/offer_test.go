package main_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/mcp"
)

// TestSwitchesOneByOne starts the program with every value of its two switches
// and tries each tool in the three ways in which a model could come upon it: in
// the list, in the instructions, and by calling it straight away.
func TestSwitchesOneByOne(t *testing.T) {
	asking := []string{mcp.ToolClarify, mcp.ToolForm}
	tools := append([]string{mcp.ToolUpdatePlan}, asking...)
	const unset = "(unset)"
	for _, ask := range []string{"1", "0", "", "true", "yes", "1 ", "01", unset} {
		for _, native := range []string{"1", "0", unset} {
			t.Run(fmt.Sprintf("ask %q native %q", ask, native), func(t *testing.T) {
				t.Parallel()
				var env []string
				for name, value := range map[string]string{mcp.EnvUserClarification: ask, mcp.EnvNativeTaskPlan: native} {
					if value != unset {
						env = append(env, name+"="+value)
					}
				}
				offered := map[string]bool{mcp.ToolUpdatePlan: native != "1"}
				for _, tool := range asking {
					offered[tool] = ask == "1" && native != "1"
				}

				input := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}` + "\n" + list
				for n, tool := range tools {
					input += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", 10+n, tool, fitting[tool])
				}
				answers := map[int]string{}
				for line := range strings.Lines(converse(t, env, input, 2+len(tools), "interaction").out) {
					var m struct{ ID int }
					if err := json.Unmarshal([]byte(line), &m); err != nil {
						t.Fatalf("stdout holds what is no protocol: %q", line)
					}
					answers[m.ID] = line
				}
				for n, tool := range tools {
					listed := strings.Contains(answers[1], `"name":"`+tool+`"`)
					told := strings.Contains(answers[0], tool)
					refused := strings.Contains(answers[10+n], `"code":"forbidden"`) && strings.Contains(answers[10+n], `"isError":true`)
					// Without an app what is offered fails for that, later on its way.
					went := strings.Contains(answers[10+n], `"code":"unavailable"`)
					if want := offered[tool]; listed != want || told != want || refused == want || went != want {
						t.Errorf("%s, offered %v: listed %v, in the instructions %v, refused %v, let through %v\n%s", tool, want, listed, told, refused, went, answers[10+n])
					}
				}
			})
		}
	}
}

// fitting are arguments that each tool takes.
var fitting = map[string]string{
	mcp.ToolClarify:    `{"context_id":"c","question":"q"}`,
	mcp.ToolForm:       `{"questions":[{"id":"a","question":"q","input_type":"text"}]}`,
	mcp.ToolUpdatePlan: `{"context_id":"c","plan":[{"id":"1","step":"s","status":"pending"}]}`,
}
