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
	h.env = append(h.env, "PARLEY_DEMO_FAST=1", "SECRET_OF_THE_CALLER=hunter2")
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
	all := r.out.String() + server.err.String() + h.log()
	if strings.Contains(all, "hunter2") {
		t.Error("the value was told")
	}
}
