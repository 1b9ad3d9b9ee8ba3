package proc

import (
	"context"
	"time"
)

// Commands for the shim, through the life pipe.
const (
	commandTerm = "t"
	commandKill = "k"
)

// Stop ends the agent: it closes its input, then asks it to terminate, then
// kills the tree, each after the grace of the Ladder, and returns once the tree
// is gone. The end of ctx skips the graces that are left. In all it takes no
// longer than the Ladder's steps together and two seconds. It may be called at
// any time, from several goroutines, and again after the end.
func (p *Proc) Stop(ctx context.Context) Exit {
	p.stopping.Do(func() { go p.climb() })
	select {
	case <-p.done:
	case <-ctx.Done():
		p.hurried.Do(func() { close(p.hurry) })
		<-p.done
	}
	return p.exit
}

// kill ends the tree without any grace.
func (p *Proc) kill() {
	p.hurried.Do(func() { close(p.hurry) })
	p.stopping.Do(func() { go p.climb() })
}

// climb goes up the ladder until the tree is gone. It is bounded: the last step
// makes follow end the tree itself.
func (p *Proc) climb() {
	p.stdin.Close()
	if p.wait(p.ladder.Input) {
		return
	}
	p.command(commandTerm)
	if p.wait(p.ladder.Term) {
		return
	}
	p.command(commandKill)
	limit := time.NewTimer(p.ladder.Kill)
	defer limit.Stop()
	select {
	case <-p.done:
	case <-limit.C:
		// The shim does not do its work; perhaps someone stopped it. Its end
		// closes the report, and follow sees to the rest.
		p.shim.Process.Kill()
	}
}

// command sends a command to the shim. A shim that is gone needs none.
func (p *Proc) command(c string) { p.life.WriteString(c) }

// wait reports whether the tree was gone within d or before there was a hurry.
func (p *Proc) wait(d time.Duration) bool {
	limit := time.NewTimer(d)
	defer limit.Stop()
	select {
	case <-p.done:
		return true
	case <-p.hurry:
		return false
	case <-limit.C:
		return false
	}
}
