package childapi

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"parley/app"
	"parley/mcp/bridge"
)

// scope is what a launch must be allowed for an endpoint.
type scope int

const (
	anyLaunch scope = iota
	mayPlan
	mayAsk
)

// endpoint is one child endpoint. All are POST and take a launch token.
type endpoint struct {
	path  string
	scope scope
	serve func(*Server, http.ResponseWriter, *http.Request, app.Launch)
}

// endpoints are all of them; who may use which is decided here and nowhere else.
var endpoints = []endpoint{
	{bridge.PathHello, anyLaunch, (*Server).hello},
	{bridge.PathReady, anyLaunch, (*Server).ready},
	{bridge.PathPlan, mayPlan, (*Server).plan},
	{bridge.PathClarify, mayAsk, (*Server).clarify},
	{bridge.PathForm, mayAsk, (*Server).form},
	{bridge.PathCancel, mayAsk, (*Server).cancel},
}

// serveChild checks the token and what it is for.
func (s *Server) serveChild(w http.ResponseWriter, r *http.Request) {
	e, ok := s.child[r.URL.Path]
	if !ok {
		writeError(w, app.Errorf(app.CodeNotFound, "There is nothing at this address."))
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		writeStatus(w, http.StatusMethodNotAllowed, app.Errorf(app.CodeInvalidArgument, "This address takes POST only."))
		return
	}
	launch, err := s.launch(r)
	if err != nil {
		s.fail(w, "find a launch", err)
		return
	}
	switch {
	case e.scope == mayAsk && !launch.MayAsk:
		writeError(w, app.Errorf(app.CodeForbidden, "In this session the person can't be asked. Go on without asking, and say in your answer what you would have needed."))
	case e.scope == mayPlan && !launch.MayPlan:
		writeError(w, app.Errorf(app.CodeForbidden, "In this session no plan is shown. Go on without it."))
	default:
		e.serve(s, w, r, launch)
	}
}

func (s *Server) launch(r *http.Request) (app.Launch, error) {
	token := bearer(r)
	if token == "" {
		return app.Launch{}, app.Errorf(app.CodeUnauthenticated, "A launch token is missing. Only agents that Parley started have one.")
	}
	return s.cfg.Service.LaunchByToken(token)
}

func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

func (s *Server) hello(w http.ResponseWriter, r *http.Request, launch app.Launch) {
	var in bridge.HelloRequest
	if !s.read(w, r, &in) {
		return
	}
	if in.Protocol != bridge.ProtocolVersion {
		s.cfg.Log.Warn("an agent's parley-mcp no longer fits", slog.String("session", launch.SessionID),
			slog.Int("protocol", in.Protocol), slog.String("version", in.Version))
		if s.cfg.Outdated != nil {
			s.cfg.Outdated(launch, in)
		}
		m := bridge.Mismatch(in.Protocol, bridge.ProtocolVersion)
		writeError(w, app.Errorf(app.CodeVersionMismatch, "%s", m.Message))
		return
	}
	writeJSON(w, bridge.HelloReply{
		Protocol:    bridge.ProtocolVersion,
		Version:     app.Version,
		Family:      launch.Family,
		Profile:     launch.Profile,
		ToolPrefix:  launch.ToolPrefix,
		MayAsk:      launch.MayAsk,
		MayPlan:     launch.MayPlan,
		CallLimitMS: launch.CallLimitMS,
	})
}

func (s *Server) ready(w http.ResponseWriter, r *http.Request, launch app.Launch) {
	var in bridge.ReadyRequest
	if !s.read(w, r, &in) {
		return
	}
	s.cfg.Log.Debug("tools were listed", slog.String("session", launch.SessionID), slog.Any("tools", in.Tools),
		slog.String("client", in.ClientName), slog.String("protocol", in.Protocol))
	s.cfg.Service.ToolsListed(launch.ID, in.Tools)
	writeJSON(w, struct{}{})
}

func (s *Server) plan(w http.ResponseWriter, r *http.Request, launch app.Launch) {
	var in bridge.PlanRequest
	if !s.read(w, r, &in) {
		return
	}
	in, err := in.Checked()
	if err != nil {
		s.fail(w, "check a plan", err)
		return
	}
	steps := make([]app.PlanStep, 0, len(in.Plan))
	for _, p := range in.Plan {
		steps = append(steps, app.PlanStep{ID: p.ID, Step: p.Step, Status: app.StepStatus(p.Status)})
	}
	plan, err := s.cfg.Service.UpdatePlan(r.Context(), launch.ID, in.ContextID, in.Meta, in.Explanation, steps)
	if err != nil {
		s.fail(w, "update a plan", err)
		return
	}
	writeJSON(w, bridge.PlanReply{PlanID: plan.ID, Revision: plan.Revision})
}

func (s *Server) form(w http.ResponseWriter, r *http.Request, launch app.Launch) {
	var in bridge.FormRequest
	if !s.read(w, r, &in) {
		return
	}
	call, err := s.cfg.Service.Form(r.Context(), launch.ID, in.Meta, in.Arguments)
	if err != nil {
		s.fail(w, "show a form", err)
		return
	}
	writeJSON(w, bridge.FormReply{AskID: call.AskID, Answer: call.Answer, Note: call.Note})
}

// read decodes a child's body; false means that the refusal was written. The
// body is read to its end, without which a closed connection goes unnoticed.
func (s *Server) read(w http.ResponseWriter, r *http.Request, into any) bool {
	limits := http.NewResponseController(w)
	if err := limits.SetReadDeadline(time.Now().Add(s.cfg.BodyLimit)); err != nil {
		s.fail(w, "limit the time of a body", err)
		return false
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bridge.MaxBody))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		writeError(w, app.Errorf(app.CodePayloadTooLarge, "The call is larger than %d KiB. Shorten it and call again.", bridge.MaxBody>>10))
		return false
	}
	if err == nil {
		// The deadline holds for the connection, not for the body alone.
		err = limits.SetReadDeadline(time.Time{})
	}
	if err != nil {
		writeError(w, app.Errorf(app.CodeInvalidArgument, "The request broke off: %w", err))
		return false
	}
	if err := json.Unmarshal(data, into); err != nil {
		writeError(w, app.Errorf(app.CodeInvalidArgument, "The request is not the JSON that belongs here: %w", err))
		return false
	}
	return true
}

// fail writes the refusal for err. What carries no code of ours is logged and
// not shown.
func (s *Server) fail(w http.ResponseWriter, doing string, err error) {
	writeError(w, s.coded(doing, err))
}

// coded makes err one that an agent may read.
func (s *Server) coded(doing string, err error) error {
	if b, ok := errors.AsType[*bridge.Error](err); ok {
		return &app.Error{Code: app.Code(b.Code), Message: b.Message, Field: b.Field, Limit: b.Limit, Got: b.Got}
	}
	if app.ErrorCode(err) == app.CodeInternal {
		s.cfg.Log.Error(doing, slog.Any("error", err))
	}
	return err
}
