package childapi

import (
	"encoding/json"
	"net/http"

	"parley/app"
	"parley/mcp/bridge"
)

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a peer that went away needs no answer
}

func writeError(w http.ResponseWriter, err error) {
	writeStatus(w, app.ErrorCode(err).Status(), err)
}

func writeStatus(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(bridge.ErrorBody{Error: wireError(err)})
}

// wireError is err as parley-mcp reads it.
func wireError(err error) *bridge.Error {
	e := app.Wire(err)
	return &bridge.Error{Code: string(e.Code), Message: e.Message, Field: e.Field, Limit: e.Limit, Got: e.Got}
}
