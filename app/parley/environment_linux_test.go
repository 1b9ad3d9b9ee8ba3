package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"parley/app"
)

// An attached command hands over its own environment, for its session alone.
func TestTheCallersEnvironmentGoesAlong(t *testing.T) {
	h := newHome(t)
	server := h.start("serve")
	server.says(server.out, "/link/")
	h.env = append(h.env, "PARLEY_DEMO_FAST=1", "SECRET_OF_THE_CALLER=hunter2",
		"TERM=xterm-256color", "FORCE_COLOR=3", "CLICOLOR_FORCE=1", "CLAUDECODE=1", "GIT_DIR=/elsewhere", "NODE_OPTIONS=--inspect")
	r := h.demo("say it", "--json")
	if code := r.code(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	pid := r.event(app.EventAgentStarted).Data.(*app.AgentStarted).PID
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		t.Fatalf("the agent's environment: %v", err)
	}
	if !strings.Contains(string(env), "SECRET_OF_THE_CALLER=hunter2\x00") {
		t.Error("the caller's variable did not reach the agent")
	}
	for _, kv := range strings.Split(string(env), "\x00") {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "FORCE_COLOR", "CLICOLOR_FORCE", "CLAUDECODE", "GIT_DIR", "NODE_OPTIONS":
			t.Errorf("the agent got %s, which belongs to the caller's terminal", kv)
		case "TERM":
			if kv != "TERM=dumb" {
				t.Errorf("the agent got %s", kv)
			}
		}
	}
	all := r.out.String() + server.err.String() + h.log()
	if strings.Contains(all, "hunter2") {
		t.Error("the value was told")
	}
}
