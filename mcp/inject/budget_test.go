package inject_test

import (
	"encoding/json"
	"testing"

	"parley/mcp"
	"parley/mcp/inject"
)

// entry is our server as a CLI's configuration has it.
type entry struct {
	names  []string          // of all servers there
	env    map[string]string // of ours
	budget float64           // of one call, in seconds
}

// writers are the configurations that can be told a time limit; ACP cannot.
var writers = map[string]func(*testing.T, mcp.Catalog) entry{
	"claude": func(t *testing.T, c mcp.Catalog) entry {
		data, err := inject.Claude(c)
		return read(t, data, err, "mcpServers", "timeout", 1000)
	},
	"grok": func(t *testing.T, c mcp.Catalog) entry {
		servers, err := inject.ACP(c)
		if err != nil {
			t.Fatal(err)
		}
		env := map[string]any{}
		for _, v := range servers[0].Env {
			env[v.Name] = v.Value
		}
		meta, err := json.Marshal(inject.GrokMeta(c))
		if err != nil {
			t.Fatal(err)
		}
		var told struct {
			Servers map[string]map[string]any `json:"mcpConfig"`
		}
		if err := json.Unmarshal(meta, &told); err != nil {
			t.Fatal(err)
		}
		told.Servers[servers[0].Name]["env"] = env // which the protocol has a place for
		data, err := json.Marshal(map[string]any{"servers": told.Servers})
		return read(t, data, err, "servers", "toolTimeoutMs", 1000)
	},
	"codex": func(t *testing.T, c mcp.Catalog) entry {
		data, err := inject.Codex(c, inject.CodexOwn{})
		return read(t, data, err, "mcp_servers", "tool_timeout_sec", 1)
	},
	"opencode": func(t *testing.T, c mcp.Catalog) entry {
		data, _, err := inject.OpenCode(c, inject.OpenCodeOwn{Folder: "/run"})
		return read(t, data, err, "mcp", "timeout", 1000)
	},
	"dsh": func(t *testing.T, c mcp.Catalog) entry {
		data, err := inject.DSH(c)
		if err != nil {
			t.Fatal(err)
		}
		var patch []struct {
			Insert []struct {
				Config map[string]any `json:"config"`
			} `json:"insert"`
		}
		if err := json.Unmarshal(data, &patch); err != nil {
			t.Fatal(err)
		}
		servers := map[string]any{}
		for _, row := range patch[0].Insert {
			servers[row.Config["serverName"].(string)] = row.Config
		}
		data, err = json.Marshal(map[string]any{"servers": servers})
		return read(t, data, err, "servers", "toolCallTimeoutMs", 1000)
	},
	"pi": func(t *testing.T, c mcp.Catalog) entry {
		data, err := inject.Pi(c)
		return read(t, data, err, "mcpServers", "timeout", 1)
	},
}

// read finds our server in a configuration; perSecond is how many of the
// field's unit make a second.
func read(t *testing.T, data []byte, err error, table, field string, perSecond float64) entry {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	var servers map[string]map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all[table], &servers); err != nil {
		t.Fatal(err)
	}
	e := entry{env: map[string]string{}}
	for name := range servers {
		e.names = append(e.names, name)
	}
	ours := servers[mcp.InteractionServer]
	vars, ok := ours["env"].(map[string]any)
	if !ok {
		vars = ours["environment"].(map[string]any)
	}
	for key, value := range vars {
		e.env[key] = value.(string)
	}
	e.budget, _ = ours[field].(float64)
	e.budget /= perSecond
	return e
}

// What holds for every family: our server under its present name and no other,
// marked as ours, with the switch for questions written out, and a call may take
// at least six minutes, in the family's own unit, however short questions wait.
func TestEveryFamilyGetsOurServerRight(t *testing.T) {
	for family, write := range writers {
		for _, mayAsk := range []bool{true, false} {
			limits := mcp.Limits{Deadline: mcp.MinDeadline, MaxWait: mcp.MinDeadline}
			e := write(t, mcp.Catalog{mcp.Interaction("/bin/parley-mcp", "/run/c.json", mayAsk, false, limits)})
			if len(e.names) != 1 || e.names[0] != mcp.InteractionServer {
				t.Errorf("%s: the servers are %q", family, e.names)
			}
			want := map[bool]string{true: "1", false: "0"}[mayAsk]
			if e.env[mcp.EnvManaged] != "1" || e.env[mcp.EnvUserClarification] != want {
				t.Errorf("%s: the environment is %v", family, e.env)
			}
			if e.budget < mcp.MinToolBudget.Seconds() {
				t.Errorf("%s: a call may take %v s", family, e.budget)
			}
		}
	}
}
