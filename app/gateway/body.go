package gateway

import (
	"io"
	"net/http"
	"time"
)

// bodyLimit is how long a body may take to arrive.
const bodyLimit = 30 * time.Second

// limitBody gives a body its time. The limit is lifted once the body is read:
// it would otherwise end a call that takes longer to answer.
func limitBody(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	if control.SetReadDeadline(time.Now().Add(bodyLimit)) == nil {
		r.Body = &timedBody{ReadCloser: r.Body, control: control}
	}
}

type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// It was possible to set it, so it is to lift it.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
