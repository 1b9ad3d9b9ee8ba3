// Package frontend holds the built page, so that one program carries it: the
// window mounts it on its asset server, `parley serve` on its listener. It
// knows nothing of the API that the page calls. The files never change while a
// program runs, so they may be read from any goroutine.
package frontend

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Dist is the built page with index.html at its root. It holds only a
// placeholder until the page has been built (npm run build in frontend/).
func Dist() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // only an invalid path errs, and this one is fixed
	}
	return sub
}
