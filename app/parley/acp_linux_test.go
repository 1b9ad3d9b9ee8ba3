package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/build/clis"
)

// An entry in the settings makes a foreign agent a family: the one that the ACP
// SDK for TypeScript brings as an example is listed, runs, and asks for leave.
func TestAnEntryMakesAnACPAgentAFamily(t *testing.T) {
	program := clis.ACPExample.Path(t)
	h := newHome(t)
	settings := map[string]any{"acp_agents": []any{
		map[string]any{"id": "example", "name": "Example agent", "command": "node", "args": []string{program}, "env": map[string]string{"MARK": "1"}},
		map[string]any{"id": "gone", "name": "Gone", "command": "/nowhere/at/all"},
	}}
	data, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	path := apptest.HomeIn(t, h.get("PARLEY_HOME")).Settings()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}

	var list api.AgentList
	out, _ := h.run(exitDone, "agents", "--json")
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatal(err)
	}
	states := map[string]api.AgentState{}
	for _, a := range list.Agents {
		states[a.Family] = a.State
	}
	if states["acp:example"] != api.AgentUnchecked || states["acp:gone"] != api.AgentNotFound {
		t.Errorf("the agents are %v", states)
	}
	if _, told := states["acp:goose"]; told { // known, and not on this computer
		t.Errorf("the agents are %v", states)
	}

	// It starts no MCP server, which the first message waits for in vain.
	r := h.start("run", "--agent", "acp:example", "--json", "tidy up")
	asked := r.asks(app.KindApproval)
	if asked.Approval == nil || asked.Approval.Title != "Modifying critical configuration file" || asked.Agent != "acp:example" {
		t.Errorf("asked %+v", asked)
	}
	h.run(exitDone, "answer", asked.ID, "--deny")
	r.done()
	if !strings.Contains(r.out.String(), "prefer not to make that change") {
		t.Errorf("it said %s", r.out)
	}
}
