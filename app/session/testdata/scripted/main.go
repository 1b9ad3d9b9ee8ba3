// Command scripted is the agent of the session's tests: a real process under
// the real supervisor. What it does in a turn is written in the message it
// gets, one command a line:
//
//	say ID WORDS       a whole message
//	delta ID WORDS     a piece of one
//	tool ID [PARENT]   a tool call begins
//	toolout ID WORDS   a piece of its output
//	toolend ID WORDS   and ends
//	approve ID [PARENT] asks for permission, then says what came back
//	native ID [PARENT] asks a question of its own
//	elicit ID          passes the form of an MCP server on
//	echo               says the context block that it was given
//	flood N            says N pieces
//	fork               leaves a process behind
//	wait               works until it is interrupted
//	deaf               works on, whatever it is told
//	began REASON       ends this turn and begins one by itself, which waits
//	crash CODE WORDS   exits with that code and those last words on stderr
//	broken             ends the turn with a problem of its own
//
// Without any of the last five a turn ends well.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// toAgent is a line of its input, fromAgent one of its output.
type toAgent struct {
	Op      string
	Text    string
	Context string
	ID      string
	Outcome json.RawMessage
}

type fromAgent struct {
	Kind   string
	ID     string
	Text   string
	Parent string
	Done   bool
	Stop   string
	Own    bool
}

type scripted struct {
	mu  sync.Mutex
	out *json.Encoder

	stop    chan struct{} // closed by an interrupt; nil while no turn runs
	answers map[string]chan string
}

func main() {
	a := &scripted{out: json.NewEncoder(os.Stdout), answers: map[string]chan string{}}
	a.send(fromAgent{Kind: "started", ID: os.Getenv("PARLEY_TEST_NATIVE_ID")})
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m toAgent
		if err := json.Unmarshal(line, &m); err != nil {
			fmt.Fprintln(os.Stderr, "not understood:", err)
			os.Exit(9)
		}
		switch m.Op {
		case "prompt":
			stop := make(chan struct{})
			a.mu.Lock()
			a.stop = stop
			a.mu.Unlock()
			go a.turn(m, stop)
		case "interrupt":
			a.mu.Lock()
			if a.stop != nil {
				close(a.stop)
				a.stop = nil
			}
			a.mu.Unlock()
		case "steer":
			a.send(fromAgent{Kind: "text", ID: "steered", Text: "steered: " + m.Text, Done: true})
		case "answer":
			a.mu.Lock()
			c := a.answers[m.ID]
			a.mu.Unlock()
			c <- string(m.Outcome)
		}
	}
}

func (a *scripted) send(m fromAgent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.out.Encode(m)
}

func (a *scripted) turn(m toAgent, stop chan struct{}) {
	for line := range strings.Lines(m.Text) {
		select {
		case <-stop:
			a.send(fromAgent{Kind: "ended", Stop: "stopped"})
			return
		default:
		}
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		arg := func(i int) string {
			if i < len(f) {
				return f[i]
			}
			return ""
		}
		rest := ""
		if len(f) > 2 {
			rest = strings.Join(f[2:], " ")
		}
		switch f[0] {
		case "say":
			a.send(fromAgent{Kind: "text", ID: arg(1), Text: rest, Done: true})
		case "delta":
			a.send(fromAgent{Kind: "text", ID: arg(1), Text: rest})
		case "tool":
			a.send(fromAgent{Kind: "tool", ID: arg(1), Parent: arg(2)})
		case "toolout":
			a.send(fromAgent{Kind: "toolout", ID: arg(1), Text: rest})
		case "toolend":
			a.send(fromAgent{Kind: "toolend", ID: arg(1), Text: rest})
		case "approve", "native", "elicit":
			c := make(chan string, 1)
			a.mu.Lock()
			a.answers[arg(1)] = c
			a.mu.Unlock()
			a.send(fromAgent{Kind: f[0], ID: arg(1), Parent: arg(2)})
			select {
			case got := <-c:
				a.send(fromAgent{Kind: "text", ID: "answer-" + arg(1), Text: got, Done: true})
			case <-stop:
				a.send(fromAgent{Kind: "ended", Stop: "stopped"})
				return
			}
		case "echo":
			half := len(m.Context) / 2
			a.send(fromAgent{Kind: "text", ID: "echo", Text: m.Context[:half]})
			a.send(fromAgent{Kind: "text", ID: "echo", Text: m.Context[half:]})
			a.send(fromAgent{Kind: "text", ID: "echo", Text: "the block: " + m.Context + " and on", Done: true})
		case "flood":
			n, _ := strconv.Atoi(arg(1))
			for i := range n {
				a.send(fromAgent{Kind: "text", ID: "flood", Text: fmt.Sprintf("%d,", i)})
			}
		case "fork":
			exec.Command("sleep", "1000").Start()
		case "wait":
			<-stop
			a.send(fromAgent{Kind: "ended", Stop: "stopped"})
			return
		case "deaf":
			select {}
		case "began":
			a.send(fromAgent{Kind: "ended", Stop: "done"})
			a.send(fromAgent{Kind: "began", Text: strings.Join(f[1:], " ")})
			<-stop
			a.send(fromAgent{Kind: "ended", Stop: "stopped"})
			return
		case "ownend":
			a.send(fromAgent{Kind: "ended", Stop: "done", Own: true})
		case "crash":
			fmt.Fprintln(os.Stderr, rest)
			code, _ := strconv.Atoi(arg(1))
			os.Exit(code)
		case "broken":
			a.send(fromAgent{Kind: "ended", Stop: "failed", Text: "rate_limited"})
			return
		}
	}
	a.mu.Lock()
	a.stop = nil
	a.mu.Unlock()
	a.send(fromAgent{Kind: "ended", Stop: "done"})
}
