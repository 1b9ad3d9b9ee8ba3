package api

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"parley/app"
)

// output gives a tool's whole output. It is somebody else's text: it is served
// as nothing but text, and a browser that opens it by itself runs nothing of it.
func (h *handler) output(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("output")
	file, err := h.Outputs.Open(r.PathValue("id"), id)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		h.fail(w, r, err)
		return
	}
	head := w.Header()
	head.Set("Content-Type", "text/plain; charset=utf-8")
	head.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cache-Control", "private, no-store")
	if r.URL.Query().Get("download") != "" {
		head.Set("Content-Disposition", `attachment; filename="output-`+id+`.txt"`)
	}
	http.ServeContent(w, r, "", info.ModTime(), file)
}

// Output writes a tool's whole output to w.
func (c *Client) Output(ctx context.Context, session app.SessionID, id string, w io.Writer) error {
	resp, err := c.do(ctx, "GET", sessionPath(session, "/outputs/"+url.PathEscape(id)), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(w, resp.Body)
	return err
}
