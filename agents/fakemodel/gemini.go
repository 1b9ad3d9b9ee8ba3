package fakemodel

import (
	"encoding/json"
	"net/http"
	"strings"
)

// gemini serves the Gemini API, whose address names the model and what is to be
// done: /v1beta/models/MODEL:streamGenerateContent, or :generateContent for an
// answer in one piece.
func (s *Server) gemini(w http.ResponseWriter, r *http.Request) {
	model, what, _ := strings.Cut(r.PathValue("call"), ":")
	streams := what == "streamGenerateContent"
	if !streams && what != "generateContent" {
		writeGeminiError(w, Fault{Status: http.StatusNotFound, Type: "NOT_FOUND", Message: what + " is not served here"})
		return
	}
	s.answer(dialect{
		prefix: "gemini", fault: writeGeminiError, whole: wholeGemini,
		parse: func(header http.Header, body []byte) (Request, error) {
			req, err := parseGemini(header, body)
			req.Model, req.Stream = model, streams
			return req, err
		},
		stream: func(st *stream, id string, _ Request) { st.gemini(id) },
	})(w, r)
}

// gemini writes an answer of the Gemini API: pieces of text and of reasoning as
// they come, each call at once, and the end with the last of them.
func (st *stream) gemini(id string) {
	for _, b := range st.reply.Blocks {
		if b.Type == "tool_use" {
			st.line(geminiAnswer(id, st.reply, []object{geminiPart(b)}, ""))
		} else {
			for _, piece := range pieces(b.Text, st.reply.Piece) {
				st.line(geminiAnswer(id, st.reply, []object{geminiPart(Block{Type: b.Type, Text: piece})}, ""))
				st.pause(nil, st.reply.Pace)
			}
		}
		st.pause(b.Until, 0)
	}
	if f := st.reply.Fault; f != nil {
		st.line(object{"error": geminiError(*f)})
		return
	}
	st.line(geminiAnswer(id, st.reply, []object{{"text": ""}}, st.reply.geminiFinish()))
}

// wholeGemini is the answer to a request that does not stream.
func wholeGemini(id string, reply Reply) object {
	parts := []object{}
	for _, b := range reply.Blocks {
		parts = append(parts, geminiPart(b))
	}
	return geminiAnswer(id, reply, parts, reply.geminiFinish())
}

// geminiAnswer is an answer, or one of its pieces; finish is "" but for the last.
func geminiAnswer(id string, reply Reply, parts []object, finish string) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	u := reply.Usage
	input := u.Input + u.CacheRead + u.CacheWrite
	return object{
		"responseId": id, "modelVersion": reply.Model, "candidates": []object{candidate},
		"usageMetadata": object{
			"promptTokenCount": input, "cachedContentTokenCount": u.CacheRead,
			"candidatesTokenCount": u.Output, "totalTokenCount": input + u.Output,
		},
	}
}

func geminiPart(b Block) object {
	switch b.Type {
	case "tool_use":
		return object{"functionCall": object{"id": b.ID, "name": b.Name, "args": json.RawMessage(b.Input)}}
	case "thinking":
		return object{"text": b.Text, "thought": true}
	default:
		return object{"text": b.Text}
	}
}

// geminiFinish is why the model stopped, in the words of the Gemini API, in which
// a call is no reason of its own.
func (r Reply) geminiFinish() string {
	if r.stop() == "max_tokens" {
		return "MAX_TOKENS"
	}
	return "STOP"
}

func writeGeminiError(w http.ResponseWriter, f Fault) {
	for name, value := range f.Header {
		w.Header().Set(name, value)
	}
	writeJSON(w, f.Status, object{"error": geminiError(f)})
}

func geminiError(f Fault) object {
	return object{"code": f.Status, "message": f.Message, "status": strings.ToUpper(f.Type)}
}
