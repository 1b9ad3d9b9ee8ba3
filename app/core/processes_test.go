package core_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
)

// What each process of an agent waits for, as it is while a person is asked and
// when nothing is under way.
func TestProcessesSayWhatTheyWaitFor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells what a process waits for")
	}
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s := create(t, b.Client, api.NewSession{Title: "Greetings"})
	turn := send(t, b.Client, s.ID, "Make me a page")
	in := tape.Asked(turn, app.KindClarify)

	// find waits until the agent and our server both wait for something.
	find := func(agent, ours app.ProcessWait) []app.Process {
		t.Helper()
		for limit := time.Now().Add(apptest.Patience); ; time.Sleep(20 * time.Millisecond) {
			trees, err := b.Client.AllProcesses(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if len(trees) == 1 && trees[0].SessionID == s.ID && trees[0].Title == "Greetings" && trees[0].Agent == "demo" {
				list := trees[0].Processes
				if len(list) == 2 && list[0].Waits == agent && list[1].Name == "parley-mcp" && list[1].Waits == ours {
					return list
				}
			}
			if time.Now().After(limit) {
				t.Fatalf("found %+v", trees)
			}
		}
	}
	list := find(app.WaitAnswer, app.WaitAnswer)
	for _, p := range list {
		if p.On != in.Question || !strings.Contains(p.Because, in.ID) || !strings.Contains(p.Because, "state S") || p.RSSBytes == 0 || p.AgeMS < 0 {
			t.Errorf("process %+v", p)
		}
	}
	one, err := b.Client.Processes(ctx, s.ID)
	if err != nil || len(one) != 2 || one[0].PID != list[0].PID {
		t.Errorf("of the session alone: %+v, %v", one, err)
	}
	if _, err := b.Client.Answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Selected: []string{"Good day"}}); err != nil {
		t.Fatal(err)
	}
	tape.Ended(turn)
	list = find(app.WaitMessage, app.WaitRead)
	if list[0].On != "" || !strings.Contains(list[0].Because, "no turn is under way") || !strings.HasPrefix(list[1].On, "parley (") {
		t.Errorf("when idle: %+v", list)
	}
	if _, err := b.Client.Close(ctx, s.ID); err != nil {
		t.Fatal(err)
	}
	if trees, err := b.Client.AllProcesses(ctx); err != nil || len(trees) != 0 {
		t.Errorf("after the close: %+v, %v", trees, err)
	}
}
