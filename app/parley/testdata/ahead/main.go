// Command ahead is a back end whose clock is ahead by its argument, for tests: the
// programs that a person has take the time of the computer alone. It serves until
// it is interrupted or killed.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"parley/app/core"
	"parley/app/paths"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	ahead, err := time.ParseDuration(os.Args[1])
	if err != nil {
		return err
	}
	dirs, err := paths.Resolve(os.Getenv)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	now := func() time.Time { return time.Now().Add(ahead) }
	a, err := core.Open(ctx, core.Config{Dirs: dirs, Now: now})
	if err != nil {
		return err
	}
	fmt.Println("it is", now())
	<-ctx.Done()
	return a.Close(context.Background())
}
