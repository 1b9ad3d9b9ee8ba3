package fakemodel

import (
	"encoding/json"
	"io"
	"net/http"
)

// messages is the Messages API.
var messages = dialect{
	prefix: "msg", parse: parseRequest, fault: writeError, whole: wholeMessage,
	stream: func(st *stream, id string, _ Request) { st.message(id) },
}

// message writes an answer of the Messages API.
func (st *stream) message(id string) {
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
	if f := st.reply.Fault; f != nil {
		st.send("error", object{"error": object{"type": f.Type, "message": f.Message}})
		return
	}
	st.send("message_delta", object{
		"delta": object{"stop_reason": st.reply.stop(), "stop_sequence": nil},
		"usage": object{"output_tokens": u.Output},
	})
	st.send("message_stop", object{})
}

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
		"stop_reason": reply.stop(), "stop_sequence": nil,
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

// stop is why the model stopped, in the words of the Messages API.
func (r Reply) stop() string {
	if r.Stop != "" {
		return r.Stop
	}
	for _, b := range r.Blocks {
		if b.Type == "tool_use" {
			return "tool_use"
		}
	}
	return "end_turn"
}
