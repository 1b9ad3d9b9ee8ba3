package fakemodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
	"unicode/utf8"
)

// messages serves POST /v1/messages.
func (s *Server) messages(w http.ResponseWriter, hr *http.Request) {
	body, err := io.ReadAll(hr.Body)
	if err != nil {
		return // the client has gone
	}
	req, err := parseRequest(hr.Header, body)
	if err != nil {
		writeError(w, Fault{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: err.Error()})
		return
	}
	n, reply := s.take(req)
	id := fmt.Sprintf("msg_fake_%d", n)
	if !s.wait(hr.Context(), nil, reply.Before) || !s.wait(hr.Context(), reply.Until, 0) {
		panic(http.ErrAbortHandler) // a plain return would be an empty answer with status 200
	}
	if reply.Fault != nil {
		writeError(w, *reply.Fault)
		return
	}
	if reply.Model == "" {
		reply.Model = req.Model
	}
	if reply.Stop == "" {
		reply.Stop = "end_turn"
		for _, b := range reply.Blocks {
			if b.Type == "tool_use" {
				reply.Stop = "tool_use"
			}
		}
	}
	if !req.Stream {
		if reply.CutAfter > 0 {
			panic(http.ErrAbortHandler) // nothing of it was sent yet
		}
		writeJSON(w, http.StatusOK, wholeMessage(id, reply))
		return
	}
	w.Header().Set("content-type", "text/event-stream")
	w.Header().Set("request-id", "req_"+id)
	st := &stream{server: s, w: w, r: hr, reply: reply}
	st.run(id)
	if st.cut {
		panic(http.ErrAbortHandler) // closes the connection in mid-answer
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

func (st *stream) run(id string) {
	u := st.reply.Usage
	st.send("message_start", object{"message": object{
		"id": id, "type": "message", "role": "assistant", "model": st.reply.Model, "content": []object{},
		"stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead, "output_tokens": 1, "service_tier": "standard"},
	}})
	for i, b := range st.reply.Blocks {
		st.send("content_block_start", object{"index": i, "content_block": opening(b)})
		for _, delta := range deltas(b, st.reply.Piece) {
			st.send("content_block_delta", object{"index": i, "delta": delta})
			st.pause(nil, st.reply.Pace)
		}
		st.pause(b.Until, 0)
		st.send("content_block_stop", object{"index": i})
	}
	st.send("message_delta", object{
		"delta": object{"stop_reason": st.reply.Stop, "stop_sequence": nil},
		"usage": object{"output_tokens": u.Output},
	})
	st.send("message_stop", object{})
}

// send writes one event and flushes it.
func (st *stream) send(event string, data object) {
	if st.over {
		return
	}
	data["type"] = event
	raw, err := json.Marshal(data)
	if err != nil {
		panic("fakemodel: " + err.Error()) // only maps, texts and numbers are in there
	}
	_, err = fmt.Fprintf(st.w, "event: %s\ndata: %s\n\n", event, raw)
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

// opening is a block as content_block_start shows it: still empty.
func opening(b Block) object {
	switch b.Type {
	case "tool_use":
		return object{"type": "tool_use", "id": b.ID, "name": b.Name, "input": object{}}
	case "thinking":
		return object{"type": "thinking", "thinking": "", "signature": ""}
	default:
		return object{"type": "text", "text": ""}
	}
}

// deltas cuts a block into pieces.
func deltas(b Block, size int) []object {
	var out []object
	switch b.Type {
	case "tool_use":
		for _, piece := range pieces(b.Input, size) {
			out = append(out, object{"type": "input_json_delta", "partial_json": piece})
		}
	case "thinking":
		for _, piece := range pieces(b.Text, size) {
			out = append(out, object{"type": "thinking_delta", "thinking": piece})
		}
		out = append(out, object{"type": "signature_delta", "signature": signature})
	default:
		for _, piece := range pieces(b.Text, size) {
			out = append(out, object{"type": "text_delta", "text": piece})
		}
	}
	return out
}

// signature stands for the provider's proof on reasoning; any text will do.
const signature = "ZmFrZQ=="

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

// wholeMessage is the answer to a request that does not stream.
func wholeMessage(id string, reply Reply) object {
	content := []object{}
	for _, b := range reply.Blocks {
		switch b.Type {
		case "tool_use":
			content = append(content, object{"type": "tool_use", "id": b.ID, "name": b.Name, "input": json.RawMessage(b.Input)})
		case "thinking":
			content = append(content, object{"type": "thinking", "thinking": b.Text, "signature": signature})
		default:
			content = append(content, object{"type": "text", "text": b.Text})
		}
	}
	u := reply.Usage
	return object{
		"id": id, "type": "message", "role": "assistant", "model": reply.Model, "content": content,
		"stop_reason": reply.Stop, "stop_sequence": nil,
		"usage": object{"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead, "output_tokens": u.Output},
	}
}

// countTokens serves POST /v1/messages/count_tokens with the usual rule of
// thumb: four bytes are a token.
func (s *Server) countTokens(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	writeJSON(w, http.StatusOK, object{"input_tokens": len(body) / 4})
}

func writeError(w http.ResponseWriter, f Fault) {
	for name, value := range f.Header {
		w.Header().Set(name, value)
	}
	writeJSON(w, f.Status, object{"type": "error", "error": object{"type": f.Type, "message": f.Message}, "request_id": "req_fake"})
}

func writeJSON(w http.ResponseWriter, status int, body object) {
	w.Header().Set("content-type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only when the client has gone
}
