package childapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"parley/app"
	"parley/mcp/bridge"
)

// clarify asks and waits. The interim response says that the call can be
// cancelled now; the status is not sent before the first blank line, so that a
// refusal still has one of its own.
func (s *Server) clarify(w http.ResponseWriter, r *http.Request, launch app.Launch) {
	var in bridge.ClarifyRequest
	if !s.read(w, r, &in) {
		return
	}
	in, err := in.Checked()
	if err != nil {
		s.fail(w, "check a question", err)
		return
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	defer cancel(nil)
	// The peer's end of the connection is the agent's word: closed means gone.
	defer context.AfterFunc(r.Context(), func() { cancel(&app.Withdrawn{Cause: app.CauseConnectionClosed}) })()
	key := callKey{launch.ID, in.ID}
	if err := s.calls.add(key, cancel); err != nil {
		s.fail(w, "note a call", err)
		return
	}
	defer s.calls.remove(key)
	w.WriteHeader(http.StatusProcessing)

	type end struct {
		asked   app.Interaction
		outcome app.Outcome
		err     error
	}
	ended := make(chan end, 1)
	go func() {
		asked, outcome, err := s.cfg.Service.Clarify(ctx, launch.ID, in.ContextID, in.Meta, interaction(in))
		ended <- end{asked, outcome, err}
	}()
	stream := &lines{w: w, flush: http.NewResponseController(w)}
	tick := time.NewTicker(s.cfg.KeepAlive)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if stream.blank() != nil {
				cancel(&app.Withdrawn{Cause: app.CauseConnectionClosed})
			}
		case e := <-ended:
			if e.err != nil {
				stream.refuse(s.coded("ask the person", e.err))
				return
			}
			stream.last(bridge.ClarifyReply{Result: result(e.asked, e.outcome)})
			return
		}
	}
}

// cancel withdraws a waiting call of the same launch.
func (s *Server) cancel(w http.ResponseWriter, r *http.Request, launch app.Launch) {
	var in bridge.CancelRequest
	if !s.read(w, r, &in) {
		return
	}
	if !s.calls.cancel(callKey{launch.ID, in.ID}, app.CauseMCPCancelled) {
		writeError(w, app.Errorf(app.CodeNotFound, "No such call waits."))
		return
	}
	writeJSON(w, struct{}{})
}

func interaction(in bridge.ClarifyRequest) app.Interaction {
	out := app.Interaction{
		Kind:        app.KindClarify,
		Question:    in.Question,
		Header:      in.Header,
		MultiSelect: in.MultiSelect,
		Options:     make([]app.Option, 0, len(in.Options)),
	}
	for _, o := range in.Options {
		out.Choices = append(out.Choices, o.Label)
		out.Options = append(out.Options, app.Option{
			Label: o.Label, Description: o.Description, Recommended: o.Recommended, Preview: o.Preview,
		})
	}
	return out
}

func result(asked app.Interaction, o app.Outcome) *bridge.ClarifyResult {
	res := &bridge.ClarifyResult{ClarifyID: asked.ID, Reason: string(o.Reason), Selected: []string{}}
	if o.Reason == app.ReasonResponse {
		res.Response, res.Text = o.Response, o.Text
		res.Selected = append(res.Selected, o.Selected...)
		for _, f := range o.Files {
			if strings.HasPrefix(f.Mime, "image/") {
				res.Pictures = append(res.Pictures, bridge.Picture{Mime: f.Mime, Path: f.Path})
			}
		}
	}
	return res
}

// lines is the stream of one waiting call.
type lines struct {
	w     http.ResponseWriter
	flush *http.ResponseController
	begun bool // the status is out
}

func (l *lines) begin() {
	if !l.begun {
		l.begun = true
		l.w.Header().Set("Content-Type", "application/x-ndjson")
	}
}

func (l *lines) blank() error {
	l.begin()
	if _, err := l.w.Write([]byte("\n")); err != nil {
		return err
	}
	return l.flush.Flush()
}

func (l *lines) last(reply bridge.ClarifyReply) {
	l.begin()
	_ = json.NewEncoder(l.w).Encode(reply) // a peer that went away needs no answer
}

func (l *lines) refuse(err error) {
	if l.begun {
		l.last(bridge.ClarifyReply{Error: wireError(err)})
		return
	}
	writeError(l.w, err)
}
