package api

import (
	"context"
	"net/http"

	"parley/app"
)

func (h *handler) doctor(r *http.Request, _ Empty) (app.DoctorReport, error) {
	return h.Doctor.Report(r.Context())
}

func (h *handler) startDoctor(r *http.Request, in DoctorRequest) (app.DoctorReport, error) {
	return h.Doctor.Start(r.Context(), in.Agents)
}

func (h *handler) stopDoctor(r *http.Request, _ Empty) (app.DoctorReport, error) {
	if err := h.Doctor.Stop(r.Context()); err != nil {
		return app.DoctorReport{}, err
	}
	return h.Doctor.Report(r.Context())
}

// DoctorReport tells what the doctor found, and how far a run has come.
func (c *Client) DoctorReport(ctx context.Context) (app.DoctorReport, error) {
	return get[app.DoctorReport](ctx, c, "/api/doctor")
}

// StartDoctor begins a run; no families are all that can be started.
func (c *Client) StartDoctor(ctx context.Context, families []string) (app.DoctorReport, error) {
	return send[app.DoctorReport](ctx, c, "POST", "/api/doctor", DoctorRequest{Agents: families})
}

// StopDoctor ends the run; nothing of it is left when it returns.
func (c *Client) StopDoctor(ctx context.Context) (app.DoctorReport, error) {
	return send[app.DoctorReport](ctx, c, "DELETE", "/api/doctor", nil)
}
