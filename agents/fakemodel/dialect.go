package fakemodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
	"unicode/utf8"
)

// dialect is one provider's API: how a request is read and an answer written.
type dialect struct {
	prefix string // of an answer's id
	parse  func(http.Header, []byte) (Request, error)
	fault  func(http.ResponseWriter, Fault)
	whole  func(id string, reply Reply) object // nil: only streams are answered
	stream func(st *stream, id string, req Request)
}

// answer serves one request by the script.
func (s *Server) answer(d dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		body, err := io.ReadAll(hr.Body)
		if err != nil {
			return // the client has gone
		}
		req, err := d.parse(hr.Header, body)
		if err != nil {
			d.fault(w, *BadRequest(err.Error()).Fault)
			return
		}
		n, reply := s.take(req)
		id := fmt.Sprintf("%s_fake_%d", d.prefix, n)
		if !s.wait(hr.Context(), nil, reply.Before) || !s.wait(hr.Context(), reply.Until, 0) {
			panic(http.ErrAbortHandler) // a plain return would be an empty answer with status 200
		}
		if reply.Model == "" {
			reply.Model = req.Model
		}
		switch {
		case reply.Fault != nil && !reply.Fault.InStream:
			d.fault(w, *reply.Fault)
			return
		case !req.Stream && d.whole == nil:
			d.fault(w, *BadRequest("only streams are answered here").Fault)
			return
		case !req.Stream && reply.CutAfter > 0:
			panic(http.ErrAbortHandler) // nothing of it was sent yet
		case !req.Stream:
			writeJSON(w, http.StatusOK, d.whole(id, reply))
			return
		}
		w.Header().Set("content-type", "text/event-stream")
		w.Header().Set("request-id", "req_"+id)
		for name, value := range reply.Header {
			w.Header().Set(name, value)
		}
		st := &stream{server: s, w: w, r: hr, reply: reply}
		d.stream(st, id, req)
		if st.cut {
			panic(http.ErrAbortHandler) // closes the connection in mid-answer
		}
	}
}

// stream writes one answer as server-sent events.
type stream struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
	reply  Reply
	sent   int  // events
	over   bool // nothing more is sent
	cut    bool // in mid-answer: by the script, or because somebody left
}

// send writes one event with its name; line writes one that has none.
func (st *stream) send(event string, data object) {
	data["type"] = event
	st.write("event: " + event + "\ndata: " + encode(data) + "\n\n")
}

func (st *stream) line(data object) { st.write("data: " + encode(data) + "\n\n") }

func encode(data object) string {
	raw, err := json.Marshal(data)
	if err != nil {
		panic("fakemodel: " + err.Error()) // only maps, texts and numbers are in there
	}
	return string(raw)
}

// write writes one event as it stands and flushes it.
func (st *stream) write(event string) {
	if st.over {
		return
	}
	_, err := io.WriteString(st.w, event)
	if err == nil {
		err = http.NewResponseController(st.w).Flush()
	}
	st.sent++
	if err != nil {
		st.over = true
	} else if st.reply.CutAfter > 0 && st.sent >= st.reply.CutAfter {
		st.over, st.cut = true, true
	}
}

func (st *stream) pause(until <-chan struct{}, d time.Duration) {
	if !st.over && !st.server.wait(st.r.Context(), until, d) {
		st.over, st.cut = true, true
	}
}

type object = map[string]any

// pieces cuts text into parts of about size bytes without splitting a
// character.
func pieces(text string, size int) []string {
	if size <= 0 {
		size = 24
	}
	var out []string
	for len(text) > size {
		end := size
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		out = append(out, text[:end])
		text = text[end:]
	}
	return append(out, text)
}

func writeJSON(w http.ResponseWriter, status int, body object) {
	w.Header().Set("content-type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only when the client has gone
}
