package fakemodel

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// responses is the Responses API.
var responses = dialect{
	prefix: "resp", parse: parseResponses, fault: writeResponsesError,
	stream: func(st *stream, id string, req Request) { st.response(id, req) },
}

// response writes an answer of the Responses API.
func (st *stream) response(id string, req Request) {
	created := time.Now().Unix()
	whole := object{"id": id, "object": "response", "created_at": created, "model": st.reply.Model, "status": "in_progress", "output": []object{}}
	st.numbered("response.created", object{"response": whole})
	output := []object{}
	for i, b := range st.reply.Blocks {
		it := itemOf(b, req, id, i)
		st.numbered("response.output_item.added", object{"output_index": i, "item": it.shown("", "in_progress")})
		it.begin(st)
		for _, piece := range pieces(it.text, st.reply.Piece) {
			st.numbered(it.delta, object{"item_id": it.id, "output_index": i, "content_index": 0, "summary_index": 0, "delta": piece})
			st.pause(nil, st.reply.Pace)
		}
		st.pause(b.Until, 0)
		output = append(output, it.shown(it.text, "completed"))
		st.numbered("response.output_item.done", object{"output_index": i, "item": output[i]})
	}
	u := st.reply.Usage
	end := object{
		"id": id, "object": "response", "created_at": created, "model": st.reply.Model, "status": "completed", "output": output,
		"usage": object{
			"input_tokens": u.Input + u.CacheRead, "input_tokens_details": object{"cached_tokens": u.CacheRead},
			"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": 0},
			"total_tokens": u.Input + u.CacheRead + u.Output,
		},
	}
	event := "response.completed"
	if f := st.reply.Fault; f != nil {
		event = "response.failed"
		end["status"], end["error"] = "failed", object{"code": f.Type, "message": f.Message}
	}
	st.numbered(event, object{"response": end})
}

// numbered sends an event with its place in the stream.
func (st *stream) numbered(event string, data object) {
	data["sequence_number"] = st.sent
	st.send(event, data)
}

// item is one piece of output on its way.
type item struct {
	id    string
	index int
	delta string                           // event that brings a piece of text
	text  string                           // message, reasoning, arguments or input
	shown func(text, status string) object // the item with so much of its text
}

// itemOf is a block as the Responses API has it. A tool is called as the request
// offered it: within its namespace, with arguments or with free text.
func itemOf(b Block, req Request, response string, index int) item {
	it := item{id: response + "_" + string(rune('a'+index%26)), index: index, text: b.Text}
	switch b.Type {
	case "tool_use":
		it.text = b.Input
		call := object{"type": "function_call", "id": it.id, "call_id": b.ID, "name": b.Name}
		field := "arguments"
		it.delta = "response.function_call_arguments.delta"
		tool, _ := req.Tool(b.Name)
		if tool.Namespace != "" {
			call["namespace"], call["name"] = tool.Namespace, strings.TrimPrefix(b.Name, tool.Namespace+"__")
		}
		if tool.FreeText {
			call["type"], field = "custom_tool_call", "input"
			it.delta = "response.custom_tool_call_input.delta"
		}
		it.shown = func(text, status string) object {
			call := maps.Clone(call)
			call[field], call["status"] = text, status
			return call
		}
	case "thinking":
		it.delta = "response.reasoning_summary_text.delta"
		it.shown = func(text, status string) object {
			summary := []object{}
			if text != "" {
				summary = append(summary, object{"type": "summary_text", "text": text})
			}
			return object{"type": "reasoning", "id": it.id, "status": status, "summary": summary, "encrypted_content": signature}
		}
	default:
		it.delta = "response.output_text.delta"
		it.shown = func(text, status string) object {
			content := []object{}
			if text != "" {
				content = append(content, object{"type": "output_text", "text": text, "annotations": []object{}})
			}
			return object{"type": "message", "id": it.id, "status": status, "role": "assistant", "content": content}
		}
	}
	return it
}

// begin sends what comes before the pieces.
func (it item) begin(st *stream) {
	switch it.delta {
	case "response.output_text.delta":
		st.numbered("response.content_part.added", object{
			"item_id": it.id, "output_index": it.index, "content_index": 0, "part": object{"type": "output_text", "text": "", "annotations": []object{}},
		})
	case "response.reasoning_summary_text.delta":
		st.numbered("response.reasoning_summary_part.added", object{
			"item_id": it.id, "output_index": it.index, "summary_index": 0, "part": object{"type": "summary_text", "text": ""},
		})
	}
}

// writeResponsesError writes a fault in the words of the Responses API.
func writeResponsesError(w http.ResponseWriter, f Fault) {
	e := object{"type": f.Type, "code": f.Type, "message": f.Message}
	switch {
	case f.Status == http.StatusUnauthorized:
		e["type"], e["code"] = "invalid_request_error", "invalid_api_key"
	case f.Status == http.StatusTooManyRequests && !f.Reset.IsZero():
		e["type"], e["plan_type"], e["resets_at"] = "usage_limit_reached", "plus", f.Reset.Unix()
		w.Header().Set("x-codex-primary-used-percent", "100")
		w.Header().Set("x-codex-primary-window-minutes", "300")
		w.Header().Set("x-codex-primary-reset-at", strconv.FormatInt(f.Reset.Unix(), 10))
	case f.Status == http.StatusTooManyRequests:
		e["type"], e["code"] = "requests", "rate_limit_exceeded"
	}
	for name, value := range f.Header {
		w.Header().Set(name, value)
	}
	writeJSON(w, f.Status, object{"error": e})
}
