// Command sabotage proves that the tests can fail. Beside it lie small patches,
// each of which breaks a promise of Parley on purpose, with the name of the test
// that must notice:
//
//	What: what is broken, and what that would mean
//	Test: go ./app/question TestFirstOfManyAnswersWins
//	Test: page src/state/drafts.logic.test.ts is never the recommended option
//
// It copies the last commit into a scratch folder, sees that the named tests pass
// there, then applies one patch after the other, sees that the program still
// builds, runs the one test and wants it red. A patch that no longer applies, does
// not build or goes unnoticed is a failure. Arguments choose patches by a part of
// their names. It must be run from the root of the checkout, which it does not
// change.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:]))
}

// run returns 0 when every patch was noticed, 1 when not, 2 when nothing could
// be tried.
func run(ctx context.Context, names []string) int {
	patches, err := load("build/sabotage")
	if err != nil {
		fmt.Fprintln(os.Stderr, "sabotage:", err)
		return 2
	}
	patches = chosen(patches, names)
	if len(patches) == 0 {
		fmt.Fprintf(os.Stderr, "sabotage: no patch is called like %q\n", names)
		return 2
	}
	c, err := newCopy(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sabotage:", err)
		return 2
	}
	defer c.remove()
	unsure := c.sound(ctx, patches)
	bad := 0
	table := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "PATCH\tRESULT\tSECONDS\tTEST")
	for _, p := range patches {
		began := time.Now()
		verdict, out := c.try(ctx, p, unsure)
		fmt.Fprintf(os.Stderr, "%s: %s\n", p.name, verdict)
		if verdict != noticed {
			bad++
			fmt.Fprintln(os.Stderr, tail(out, 40))
		}
		fmt.Fprintf(table, "%s\t%s\t%.0f\t%s\n", p.name, verdict, time.Since(began).Seconds(), p.test)
	}
	if err := table.Flush(); err != nil {
		return 2
	}
	fmt.Printf("%d patches, %d noticed, %d not\n", len(patches), len(patches)-bad, bad)
	if bad > 0 {
		return 1
	}
	return 0
}

func chosen(all []patch, names []string) []patch {
	if len(names) == 0 {
		return all
	}
	var out []patch
	for _, p := range all {
		for _, n := range names {
			if strings.Contains(p.name, n) {
				out = append(out, p)
				break
			}
		}
	}
	return out
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
