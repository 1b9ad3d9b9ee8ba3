package server_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/mcp"
	"parley/mcp/bridge"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
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

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test-cli","version":"9"}}}`

// offers are the four states of the switches.
var offers = map[string]mcp.Offer{
	"plan-and-ask": {Ask: true, Plan: true},
	"plan":         {Plan: true},
	"ask":          {Ask: true},
	"nothing":      {},
}

// prefixes are the spellings that families use.
var prefixes = map[string]string{
	"bare": "", "claude": "mcp__parley-interaction__", "opencode": "parley-interaction_", "pi": "mcp__parley_interaction__", "grok": "parley-interaction__",
}

func TestListedToolsAreAsWritten(t *testing.T) {
	for name, offer := range offers {
		t.Run(name, func(t *testing.T) {
			c := start(t, offer)
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			golden(t, "tools-"+name+".json", pretty(t, string(c.answerTo("1").Result)))
		})
	}
}

func TestInstructionsAreAsWritten(t *testing.T) {
	for offered, offer := range offers {
		for family, prefix := range prefixes {
			offer.Prefix = prefix
			c := start(t, offer)
			c.send(initialize)
			var r struct {
				Instructions string `json:"instructions"`
				ServerInfo   struct{ Name, Version string }
			}
			if err := json.Unmarshal(c.answerTo("0").Result, &r); err != nil {
				t.Fatal(err)
			}
			if r.ServerInfo.Name != "parley-interaction" || r.ServerInfo.Version != "1.2.3" {
				t.Errorf("the server calls itself %+v", r.ServerInfo)
			}
			if offer.Ask && offer.Plan || family == "bare" {
				golden(t, "instructions-"+offered+"-"+family+".txt", r.Instructions)
			}
			if n := utf8.RuneCountInString(r.Instructions); n >= 2000 {
				t.Errorf("%s: %d characters", family, n)
			}
			if !offer.Ask && strings.Contains(r.Instructions, "clarify") {
				t.Errorf("%s: asking is not offered, but told of", family)
			}
		}
	}
}

// TestToolsThatAreNotOfferedAreRefused: with a sentence for the model, and
// without reaching the app.
func TestToolsThatAreNotOfferedAreRefused(t *testing.T) {
	for name, offer := range offers {
		c := start(t, offer)
		for tool, offered := range map[string]bool{mcp.ToolClarify: offer.Ask, mcp.ToolUpdatePlan: offer.Plan} {
			if offered {
				continue
			}
			c.call("1", tool, ask)
			e := c.refusalOf("1")
			if e.Code != bridge.CodeForbidden || !strings.Contains(e.Message, tool) {
				t.Errorf("%s, %s: %+v", name, tool, e)
			}
		}
		if len(c.app.asked)+len(c.app.plans) > 0 {
			t.Errorf("%s: a refused call reached the app", name)
		}
	}
}

func TestUnknownToolIsAnError(t *testing.T) {
	c := start(t, everything)
	c.call("1", "nonsense", `{}`)
	if m := c.answerTo("1"); m.Error == nil || m.Error.Code != -32602 {
		t.Errorf("%+v %s", m.Error, m.Result)
	}
}

// TestFlagsComeFromTheEnvironment: asking needs an explicit 1.
func TestFlagsComeFromTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		ask, native string
		want        mcp.Offer
	}{
		{"1", "0", mcp.Offer{Ask: true, Plan: true}},
		{"1", "", mcp.Offer{Ask: true, Plan: true}},
		{"0", "0", mcp.Offer{Plan: true}},
		{"", "", mcp.Offer{Plan: true}},
		{"true", "0", mcp.Offer{Plan: true}},
		{"yes", "0", mcp.Offer{Plan: true}},
		{"1 ", "0", mcp.Offer{Plan: true}},
		{"1", "1", mcp.Offer{}},
		{"0", "1", mcp.Offer{}},
	} {
		env := map[string]string{mcp.EnvUserClarification: c.ask, mcp.EnvNativeTaskPlan: c.native}
		if got := mcp.OfferFromEnv(func(k string) string { return env[k] }); got != c.want {
			t.Errorf("ask=%q native=%q: %+v, want %+v", c.ask, c.native, got, c.want)
		}
	}
	for _, mayAsk := range []bool{true, false} {
		spec := mcp.Interaction("/x", "/y", mayAsk, false, mcp.DefaultLimits())
		if got := mcp.OfferFromEnv(func(k string) string { return spec.Env[k] }); got != (mcp.Offer{Ask: mayAsk, Plan: true}) {
			t.Errorf("handed out with mayAsk=%v, offered %+v", mayAsk, got)
		}
	}
}
