package gateway

import (
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// page serves a file of the built page.
func (s *server) page(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		writePage(w, http.StatusMethodNotAllowed, "The page can only be read.")
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	info, err := fs.Stat(s.cfg.Page, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && name == "index.html":
		writePage(w, http.StatusServiceUnavailable, "This program was built without its page. Build it with: make build")
		return
	case err != nil || !info.Mode().IsRegular():
		writePage(w, http.StatusNotFound, "There is no such file.")
		return
	}
	// The build names its assets by their content; index.html names the assets.
	caching := "no-cache"
	if strings.HasPrefix(name, "assets/") {
		caching = "private, max-age=31536000, immutable"
	}
	w.Header().Set("Cache-Control", caching)
	file, err := fs.ReadFile(s.cfg.Page, name)
	if err != nil {
		writePage(w, http.StatusNotFound, "There is no such file.")
		return
	}
	http.ServeContent(w, r, name, info.ModTime(), strings.NewReader(string(file)))
}
