package codex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"parley/agents"
	"parley/agents/jsonl"
	"parley/mcp/inject"
)

// serves reports whether a version's app server is the one that is spoken here.
// Older ones know neither the approvals nor the settings that Parley begins a
// conversation with; they are run by `codex exec`.
func serves(version string) bool {
	m := minorPattern.FindStringSubmatch(version)
	if m == nil {
		return true
	}
	minor, err := strconv.Atoi(m[1])
	return err != nil || minor >= 142 // 0.142.0 holds a conversation, 0.130.0 does not begin one
}

var minorPattern = regexp.MustCompile(`^0\.(\d+)\.`)

// sandboxes are the permission modes as far as `codex exec` has them: it asks
// nobody, and whatever would have to be asked is refused.
var sandboxes = map[agents.Mode]string{
	agents.ModePlan:  "read-only",
	agents.ModeAsk:   "read-only",
	agents.ModeEdits: "workspace-write",
	agents.ModeFull:  "danger-full-access",
}

// planExec plans a process for one message. Nothing of its arguments is secret.
func planExec(install agents.Install, spec agents.SessionSpec) (agents.Launch, error) {
	if spec.Fork {
		return agents.Launch{}, &agents.PlanError{Problem: agents.Problem{
			Code: "cannot_fork", Title: "This version of " + name + " cannot copy a conversation.",
			Advice: "Bring it up to date.", Command: adapter{}.Info().InstallCmd,
		}}
	}
	var leaveOut []string
	if !spec.OwnServers {
		leaveOut = spec.Own
	}
	servers, err := inject.CodexExecOf(spec.Catalog, leaveOut, spec.RunDir, spec.MCP)
	if err != nil {
		return agents.Launch{}, &agents.PlanError{Problem: agents.Problem{
			Code: "refused_servers", Title: name + " cannot be started with these MCP servers.", Advice: "Bring it up to date, or leave the server out.",
			Command: adapter{}.Info().InstallCmd, Evidence: err.Error(),
		}}
	}
	// As a setting, since a resumed conversation takes no other form of it.
	overrides := append(servers.Overrides, "sandbox_mode="+strconv.Quote(sandboxes[cmp.Or(spec.Mode, agents.ModeAsk)]))
	if spec.Model != "" {
		overrides = append(overrides, "model="+strconv.Quote(spec.Model))
	}
	if spec.Effort != "" {
		overrides = append(overrides, "model_reasoning_effort="+strconv.Quote(spec.Effort))
	}
	argv := append(append([]string{install.Path}, install.Args...), "exec", "--json", "--skip-git-repo-check")
	for _, o := range overrides {
		argv = append(argv, "-c", o)
	}
	if spec.NativeID != "" {
		argv = append(argv, "resume", spec.NativeID)
	}
	launch := agents.Launch{
		Argv: append(argv, "-"), Env: append(install.Environ(environment(spec.Env)), servers.Env...), Dir: spec.Cwd,
		Connect: agents.ConnectStdio, Masked: spec.Secrets(), Once: true,
	}
	for _, s := range servers.Starts {
		launch.Files = append(launch.Files, agents.File{Path: s.Path, Data: s.JSON, Mode: 0o600})
	}
	return launch, nil
}

// execution is a conversation for the length of one message, over the output of
// `codex exec --json`. It implements agents.Agent.
type execution struct {
	in      io.WriteCloser
	host    agents.Host
	decoder *decoder          // the reader's, as the fields up to mu
	names   map[string]string // of servers, by what the CLI calls them
	native  string            // the conversation to be taken up, "" for a new one
	model   string
	failure *turnError // why the turn will end, nil until the CLI told

	mu     sync.Mutex // guards the fields below
	turn   string     // its id, "" before the message
	ended  bool       // the turn's end is told
	closed bool       // by Close
	over   bool       // the CLI has ended
}

var _ agents.Agent = (*execution)(nil)

// openExec begins to listen. The CLI says nothing before it has its message.
func openExec(conn agents.Conn, spec agents.SessionSpec, host agents.Host) (agents.Agent, error) {
	servers, err := inject.CodexExecOf(spec.Catalog, nil, spec.RunDir, spec.MCP)
	if err != nil {
		return nil, fmt.Errorf("name the MCP servers: %w", err)
	}
	x := &execution{in: conn.In, host: host, decoder: newDecoder(spec.Cwd), names: servers.Names, native: spec.NativeID, model: spec.Model}
	if x.native == "" {
		host.Emit(agents.Notice{Level: "info", Code: "asks_nobody",
			Text:   "This version of " + name + " is too old to ask for permission: what the mode does not allow is refused.",
			Advice: "Bring it up to date, or choose a mode that allows more."})
	}
	for _, server := range servers.LeftOut {
		host.Emit(agents.Notice{Level: "warning", Code: "mcp_address_secret",
			Text: name + " does not get the MCP server “" + server + "”: this version would show its address, which may hold a secret, " +
				"to every program of this computer.",
			Advice: "Bring it up to date. If the address holds a secret, a header can hold it instead; one such as https://HOST/mcp is shown."})
	}
	go func() {
		jsonl.NewReader(conn.Out).Each(x.take, func(err *jsonl.TooLongError) {
			host.Emit(agents.LineTooLong(err))
		})
		x.outputEnded()
	}()
	return x, nil
}

// Prompt sends the one message.
func (x *execution) Prompt(_ context.Context, t agents.Turn) error {
	parts, err := inputParts(t)
	if err != nil {
		return err
	}
	var texts []string
	for _, p := range parts {
		if p.Path != "" { // a picture's name would have to be among the arguments
			p.Text = "Attached file: " + p.Path
		}
		texts = append(texts, p.Text)
	}
	sum := t.Text == compactCommand && len(t.Files) == 0
	if err := x.begin(t.ID, sum); err != nil {
		return err
	}
	if sum {
		x.host.Emit(agents.Ended{Stop: agents.StopFailed, Problem: &agents.Problem{
			Code: "unsupported", Title: "This version of " + name + " sums up no conversation when it is told to.",
			Advice: "Bring it up to date; by itself it makes room when it has to.", Command: adapter{}.Info().InstallCmd,
		}})
		return nil
	}
	go func() { // the CLI may be slow to read, and its end breaks the pipe
		_, _ = io.WriteString(x.in, strings.Join(texts, "\n\n"))
		_ = x.in.Close()
	}()
	return nil
}

// begin notes the turn of the one message; ended says that the CLI is not told of it.
func (x *execution) begin(turn string, ended bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.over || x.closed:
		return closed("send a message")
	case x.turn != "":
		return errInTurn
	}
	x.turn, x.ended = turn, ended
	return nil
}

// Steer implements agents.Agent: the CLI hears nothing more.
func (*execution) Steer(context.Context, agents.Turn) error { return agents.ErrUnsupported }

// Interrupt implements agents.Agent: nothing but its end stops the CLI.
func (*execution) Interrupt(context.Context) error { return agents.ErrUnsupported }

// SetMode implements agents.Agent: the mode is among the arguments.
func (*execution) SetMode(context.Context, agents.Mode) error { return agents.ErrUnsupported }

// Close ends the CLI's input.
func (x *execution) Close(context.Context) error {
	x.mu.Lock()
	sent := x.turn != "" // then its own goroutine ends the input
	x.closed = true
	x.mu.Unlock()
	if sent {
		return nil
	}
	if err := x.in.Close(); err != nil {
		return fmt.Errorf("end the input: %w", errors.Join(agents.ErrClosed, err))
	}
	return nil
}

// finish tells the turn's end, once.
func (x *execution) finish(end agents.Ended) {
	x.mu.Lock()
	first := x.turn != "" && !x.ended
	x.ended = x.ended || first
	x.mu.Unlock()
	for _, e := range x.decoder.cutAll() {
		x.host.Emit(e)
	}
	if first {
		if len(x.decoder.used) > 0 {
			total := x.decoder.sum()
			end.Usage = &total
		}
		x.host.Emit(end)
	}
}

// outputEnded runs when the CLI's output has ended. How its process ended says
// why, where it did not.
func (x *execution) outputEnded() {
	x.mu.Lock()
	x.over = true
	closed := x.closed
	x.mu.Unlock()
	switch {
	case closed:
		x.finish(agents.Ended{Stop: agents.StopStopped})
	case x.failure != nil:
		p := problem(*x.failure, &x.decoder.limit)
		x.finish(agents.Ended{Stop: stopOf(p), Problem: &p})
	default:
		x.finish(agents.Ended{Stop: agents.StopFailed, Problem: &agents.Problem{
			Code: "exited", Title: name + " ended in the middle of the turn.", Advice: "Send the message again to start it anew."}})
	}
}
