package fakemodel

import "net/http"

// chat is the Chat Completions API.
var chat = dialect{
	prefix: "chatcmpl", parse: parseChat, fault: writeChatError, whole: wholeChat,
	stream: func(st *stream, id string, _ Request) { st.chat(id) },
}

// chat writes an answer of the Chat Completions API. It has no blocks: pieces of
// text, of reasoning and of calls are told apart by their fields.
func (st *stream) chat(id string) {
	chunk := func(delta object, finish any) {
		st.line(object{
			"id": id, "object": "chat.completion.chunk", "model": st.reply.Model,
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
		})
	}
	chunk(object{"role": "assistant", "content": ""}, nil)
	calls := 0
	for _, b := range st.reply.Blocks {
		text := b.Text
		var delta func(piece string) object
		switch b.Type {
		case "tool_use":
			index := calls
			calls++
			text = b.Input
			chunk(object{"tool_calls": []object{{
				"index": index, "id": b.ID, "type": "function", "function": object{"name": b.Name, "arguments": ""}}}}, nil)
			delta = func(piece string) object {
				return object{"tool_calls": []object{{"index": index, "function": object{"arguments": piece}}}}
			}
		case "thinking":
			delta = func(piece string) object { return object{"reasoning_content": piece} }
		default:
			delta = func(piece string) object { return object{"content": piece} }
		}
		for _, piece := range pieces(text, st.reply.Piece) {
			chunk(delta(piece), nil)
			st.pause(nil, st.reply.Pace)
		}
		st.pause(b.Until, 0)
	}
	if f := st.reply.Fault; f != nil {
		st.line(object{"error": chatError(*f)})
		return
	}
	chunk(object{}, st.reply.finish())
	st.line(object{"id": id, "object": "chat.completion.chunk", "model": st.reply.Model, "choices": []object{}, "usage": st.reply.Usage.chat()})
	st.write("data: [DONE]\n\n")
}

// wholeChat is the answer to a request that does not stream.
func wholeChat(id string, reply Reply) object {
	message := object{"role": "assistant", "content": ""}
	var calls []object
	for _, b := range reply.Blocks {
		switch b.Type {
		case "tool_use":
			calls = append(calls, object{"id": b.ID, "type": "function", "function": object{"name": b.Name, "arguments": b.Input}})
		case "thinking":
			message["reasoning_content"] = b.Text
		default:
			message["content"] = message["content"].(string) + b.Text
		}
	}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	return object{
		"id": id, "object": "chat.completion", "model": reply.Model, "usage": reply.Usage.chat(),
		"choices": []object{{"index": 0, "message": message, "finish_reason": reply.finish()}},
	}
}

// finish is why the model stopped, in the words of the Chat Completions API.
func (r Reply) finish() string {
	switch stop := r.stop(); stop {
	case "tool_use":
		return "tool_calls"
	case "end_turn":
		return "stop"
	case "max_tokens":
		return "length"
	default:
		return stop
	}
}

// chat is a usage whose cached tokens are within the input.
func (u Usage) chat() object {
	input := u.Input + u.CacheRead + u.CacheWrite
	return object{
		"prompt_tokens": input, "prompt_tokens_details": object{"cached_tokens": u.CacheRead},
		"completion_tokens": u.Output, "total_tokens": input + u.Output,
	}
}

func writeChatError(w http.ResponseWriter, f Fault) {
	for name, value := range f.Header {
		w.Header().Set(name, value)
	}
	writeJSON(w, f.Status, object{"error": chatError(f)})
}

func chatError(f Fault) object {
	return object{"message": f.Message, "type": f.Type, "code": f.Type}
}
