package bridge

import "net/http"

// Codes of errors that arise on this side of the socket. The app's own codes
// pass through as they come.
const (
	CodeInvalidArgument = "invalid_argument"
	CodeUnauthenticated = "unauthenticated"
	CodeForbidden       = "forbidden"
	CodeVersionMismatch = "version_mismatch"
	CodeUnavailable     = "unavailable"
	CodeInternal        = "internal"
)

// Error is a refusal: the same object that HTTP bodies carry under "error" and
// that an MCP result carries as structured content.
type Error struct {
	Status  int    `json:"-"` // HTTP status
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
	Limit   string `json:"limit,omitempty"`
	Got     string `json:"got,omitempty"`
	Err     error  `json:"-"` // cause, or nil; for a log
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorBody is the body of a refused request.
type ErrorBody struct {
	Error *Error `json:"error"`
}

// Invalid is the refusal of one argument: what it is (field), what is allowed
// (limit) and what came (got), in a sentence that a model can act on.
func Invalid(field, limit, got string) *Error {
	return &Error{
		Status:  http.StatusBadRequest,
		Code:    CodeInvalidArgument,
		Message: field + " must be " + limit + "; got " + got + ". Correct it and call again.",
		Field:   field,
		Limit:   limit,
		Got:     got,
	}
}
