// Package hook runs the person's own command when a question comes and when it
// ends, for a bell, a lamp, a message to a phone. The command gets the record on
// its standard input and may take ten seconds; it is told, and decides nothing.
// One runs at a time, in the order of the events, beside the asking: however
// slow it is, no question waits for it.
package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"parley/app"
)

const (
	// maxBehind is how many events may wait for a slow command. What comes beyond
	// is left out, and that is logged.
	maxBehind = 256
	// maxSaid is how many bytes of what the command says are logged.
	maxSaid = 4 << 10
)

// Events is a place in the stream of events: the bus's subscription.
type Events interface {
	Next(ctx context.Context) (batch []app.Event, resync bool, err error)
	Close()
}

// Config is what the command is run with. All fields must be set.
type Config struct {
	// Command is the program and its arguments as the settings have them at the
	// moment; empty is none.
	Command func() []string
	// Env is the environment of the command: the person's, without anything that
	// opens Parley to it.
	Env func(ctx context.Context) []string
	// Run runs a program to its end, with its whole tree, within its own limit.
	Run func(ctx context.Context, argv, env []string, input []byte) (stdout, stderr []byte, code int, err error)
	// Record reads a question as it is now.
	Record func(ctx context.Context, id string) (app.Interaction, error)
	// Subscribe begins to listen.
	Subscribe func() (Events, error)
	Log       *slog.Logger
}

// Message is what the command gets, as one line of JSON.
type Message struct {
	Event       string          `json:"event"` // requested, resolved
	Interaction app.Interaction `json:"interaction"`
}

// Command is the service. It implements suture.Service.
type Command struct{ cfg Config }

// New makes the service. It does nothing until it is served.
func New(c Config) *Command { return &Command{cfg: c} }

// String names the service in the log.
func (c *Command) String() string { return "question command" }

// Serve runs the command for what happens until ctx ends. What was missed when
// the bus was too fast is logged, and not made up for.
func (c *Command) Serve(ctx context.Context) error {
	jobs := make(chan Message, maxBehind)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m := range jobs {
			c.run(ctx, m)
		}
	}()
	defer func() { close(jobs); <-done }()
	for {
		if err := c.listen(ctx, jobs); err != nil {
			return err
		}
		c.cfg.Log.Warn("the question command missed events: there were too many at once")
	}
}

// listen passes events on until some were lost.
func (c *Command) listen(ctx context.Context, jobs chan<- Message) error {
	events, err := c.cfg.Subscribe()
	if err != nil {
		return fmt.Errorf("listen for questions: %w", err)
	}
	defer events.Close()
	for {
		batch, resync, err := events.Next(ctx)
		if err != nil || resync {
			return err
		}
		for _, e := range batch {
			if m, ok := message(e); ok && len(c.cfg.Command()) > 0 {
				select {
				case jobs <- m:
				default:
					c.cfg.Log.Warn("the question command is too slow: an event was left out", "event", m.Event, "interaction", m.Interaction.ID)
				}
			}
		}
	}
}

// message is what an event tells, if it is one to tell. Of an end only the id is
// known here; what it ended as is read when its turn comes.
func message(e app.Event) (Message, bool) {
	switch d := e.Data.(type) {
	case app.Interaction:
		return Message{Event: app.StepRequested, Interaction: d}, d.Waiting()
	case app.InteractionResolved:
		return Message{Event: app.StepResolved, Interaction: app.Interaction{ID: d.InteractionID, SessionID: e.SessionID}}, d.By != app.ByRule
	}
	return Message{}, false
}

// run runs the command for one event.
func (c *Command) run(ctx context.Context, m Message) {
	argv := c.cfg.Command()
	if len(argv) == 0 || ctx.Err() != nil {
		return
	}
	log := c.cfg.Log.With("event", m.Event, "interaction", m.Interaction.ID)
	if m.Event == app.StepResolved {
		in, err := c.cfg.Record(ctx, m.Interaction.ID)
		if err != nil {
			log.Warn("the question command was left out", "err", err)
			return
		}
		m.Interaction = in
	}
	m.Interaction.Draft = nil // what was not sent is nobody's
	input, err := json.Marshal(m)
	if err != nil {
		log.Error("encode a record for the question command", "err", err)
		return
	}
	env := append(c.cfg.Env(ctx), "PARLEY_EVENT="+m.Event, "PARLEY_INTERACTION="+m.Interaction.ID, "PARLEY_SESSION="+m.Interaction.SessionID)
	stdout, stderr, code, err := c.cfg.Run(ctx, argv, env, append(input, '\n'))
	said := said(stdout, stderr)
	switch {
	case err != nil:
		log.Warn("the question command did not finish", "err", err, "said", said)
	case code != 0:
		log.Warn("the question command failed", "code", code, "said", said)
	case said != "":
		log.Info("the question command", "said", said)
	}
}

// said is what a command printed, as far as it is logged.
func said(outputs ...[]byte) string {
	var all []string
	for _, o := range outputs {
		if text := strings.TrimSpace(strings.ToValidUTF8(string(o[:min(len(o), maxSaid)]), "")); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}
