//go:build !desktop

package desktop

import (
	"context"
	"fmt"
	"io"
)

// Run says that this build has no window; the tag "desktop" builds one.
func Run(_ context.Context, _ []string, _ Look, stderr io.Writer) int {
	fmt.Fprintln(stderr, "parley-desktop: this build has no window. Run `make build` for one, or use `parley serve` for a browser.")
	return 2
}
