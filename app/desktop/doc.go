// Package desktop is the window: a thin Wails shell around the same API that a
// browser gets. It owns what only a window has (raising itself, its title,
// system notifications, folder dialogs, quitting) and nothing of the product;
// it is the only package that imports Wails. The page reaches the back end
// through one proxy to the back end's socket, whether that back end was started
// by this window or was there before.
//
// The parts that need GTK and WebKit are behind the build tag "desktop", so
// that every other package is built and tested without them.
package desktop

import "io/fs"

// Look is what the window shows: the built page and its icon, a PNG.
type Look struct {
	Page fs.FS
	Icon []byte
}
