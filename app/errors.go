package app

import (
	"errors"
	"fmt"
	"net/http"
)

// Code names a kind of error for programs. The set is the one of the wire
// contract; a client may switch on it, so values never change their meaning.
type Code string

// The codes of the wire contract.
const (
	CodeInvalidArgument    Code = "invalid_argument"    // 400
	CodeContextUnavailable Code = "context_unavailable" // 409
	CodeNoActiveTurn       Code = "no_active_turn"      // 409
	CodeAlreadyPending     Code = "already_pending"     // 409
	CodeSubagentRefused    Code = "subagent_refused"    // 403
	CodeUnauthenticated    Code = "unauthenticated"     // 401
	CodeForbidden          Code = "forbidden"           // 403
	CodeAlreadyResolved    Code = "already_resolved"    // 409
	CodeNotFound           Code = "not_found"           // 404
	CodeVersionMismatch    Code = "version_mismatch"    // 409
	CodeUnavailable        Code = "unavailable"         // 503
	CodeClosing            Code = "closing"             // 503, refused before anything was done: the back end ends
	CodeInternal           Code = "internal"            // 500, never a person's fault

	// The five codes of forms.
	CodePendingForm       Code = "pending_interactive_form"
	CodeInvalidFormAnswer Code = "invalid_interactive_form_answer"
	CodeFormToolRequired  Code = "interactive_form_tool_required"
	CodeFormToolMismatch  Code = "interactive_form_tool_mismatch"
	CodeFormNotPending    Code = "interactive_form_not_pending"
	CodeAgentNotInstalled Code = "agent_not_installed" // 409, exit code 3
	CodeAgentNotLoggedIn  Code = "agent_not_logged_in" // 409, exit code 3
	CodeFolderUnusable    Code = "folder_unusable"     // 400
	CodeSessionBusy       Code = "session_busy"        // 409
	CodeSessionClosed     Code = "session_closed"      // 409, reopened only after asking
	CodeModeRefused       Code = "mode_refused"        // 409, for instance full access as root
	CodeStorageFailed     Code = "storage_failed"      // 500, disk full, locked, read only
	CodeStorageNewer      Code = "storage_newer"       // 500, written by a newer Parley
	CodeDataFolderInUse   Code = "data_folder_in_use"  // 409
	CodeCapabilityMissing Code = "capability_missing"  // 409, the agent cannot do this
	CodePayloadTooLarge   Code = "payload_too_large"   // 413
	CodeChangedMeanwhile  Code = "changed_meanwhile"   // 409, look again at what was to be changed
)

// Error is an error whose Message a person may read: what happened and what to
// do. Err is the cause for the log and is never shown. Field, Limit and Got
// are set when one argument was at fault, so that a model can correct its call.
type Error struct {
	Code    Code
	Message string
	Field   string // path of the argument, such as "options[2].label"; "" if none
	Limit   string // the rule that was broken, in words; "" if none
	Got     string // what came instead, shortened; "" if none
	Err     error  // cause, or nil
}

// Error implements error; it holds the cause and belongs in a log.
func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of a code and a sentence. A %w verb sets the cause.
func Errorf(code Code, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: wrapped.Error(), Err: errors.Unwrap(wrapped)}
}

// ErrorCode returns the code of err: "" for nil, CodeInternal for an error
// that carries none.
func ErrorCode(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// ErrorMessage returns the sentence a person may read. An error without a code
// is internal: its text may hold paths or secrets, so it is not shown.
func ErrorMessage(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message
	}
	return "Something went wrong inside Parley. The log has the details."
}

// Status is the HTTP status that stands for a code.
func (c Code) Status() int {
	switch c {
	case "":
		return http.StatusOK
	case CodeInvalidArgument, CodeFolderUnusable, CodeInvalidFormAnswer, CodeFormToolRequired:
		return http.StatusBadRequest
	case CodeUnauthenticated:
		return http.StatusUnauthorized
	case CodeForbidden, CodeSubagentRefused:
		return http.StatusForbidden
	case CodeNotFound:
		return http.StatusNotFound
	case CodePayloadTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeUnavailable, CodeClosing:
		return http.StatusServiceUnavailable
	case CodeInternal, CodeStorageFailed, CodeStorageNewer:
		return http.StatusInternalServerError
	default:
		return http.StatusConflict
	}
}

// WireError is the object that HTTP bodies carry under "error" and that a
// refused MCP call carries as structured content.
type WireError struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
	Limit   string `json:"limit,omitempty"`
	Got     string `json:"got,omitempty"`
}

// Wire turns any error into the object for the wire.
func Wire(err error) WireError {
	w := WireError{Code: ErrorCode(err), Message: ErrorMessage(err)}
	if e, ok := errors.AsType[*Error](err); ok {
		w.Field, w.Limit, w.Got = e.Field, e.Limit, e.Got
	}
	return w
}

// Err turns the object back into an error on the client's side.
func (w WireError) Err() error {
	return &Error{Code: w.Code, Message: w.Message, Field: w.Field, Limit: w.Limit, Got: w.Got}
}
