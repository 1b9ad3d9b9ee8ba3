package api

import (
	"bytes"
	"io"
	"net/http"
)

// Direct makes a client of an API in this program, for a back end that nobody
// else is to find. A reply comes as a whole, so it can't follow a stream.
func Direct(h http.Handler) *Client { return NewClient(direct{h}, "http://parley") }

type direct struct{ http.Handler }

// RoundTrip implements http.RoundTripper.
func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	if in.Body == nil {
		in.Body = http.NoBody // what a server's request always has
	}
	defer in.Body.Close()
	w := &whole{head: http.Header{}, status: http.StatusOK}
	d.ServeHTTP(w, in)
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Header: w.head, Body: io.NopCloser(&w.body), Request: r,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(w.body.Len()),
	}, nil
}

// whole is a reply that is kept until it is whole.
type whole struct {
	head   http.Header
	status int
	body   bytes.Buffer
}

func (w *whole) Header() http.Header         { return w.head }
func (w *whole) WriteHeader(status int)      { w.status = status }
func (w *whole) Write(p []byte) (int, error) { return w.body.Write(p) }
