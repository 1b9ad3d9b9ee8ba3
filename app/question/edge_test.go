package question_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/app"
	"parley/app/api"
)

// An answer at the edge of the time has one outcome: the page's reply, what the
// page then reads, the record, the event and what the agent gets all say the
// same.
func TestAnswerAtTheEdge(t *testing.T) {
	for _, c := range []struct {
		at   time.Duration
		late bool
	}{
		{299_000 * time.Millisecond, false}, {299_900 * time.Millisecond, false}, {299_999 * time.Millisecond, false},
		{300_000 * time.Millisecond, true}, {300_100 * time.Millisecond, true},
	} {
		t.Run(c.at.String(), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				page := api.Door(api.New(api.Config{Desk: w.Desk, Records: w.records, Now: w.now, Log: quiet}), app.ByWindow)
				call := func(method, path, body string, into any) {
					t.Helper()
					rec := httptest.NewRecorder()
					page.ServeHTTP(rec, httptest.NewRequest(method, path, strings.NewReader(body)))
					if err := json.Unmarshal(rec.Body.Bytes(), into); err != nil || rec.Code != 200 {
						t.Fatalf("%s: %d %s, %v", path, rec.Code, rec.Body, err)
					}
				}
				q := w.ask(w.clarify())
				w.take()
				time.Sleep(c.at)
				synctest.Wait()
				var reply app.Reply
				call("POST", "/api/interactions/"+q.id+"/answer", `{"interaction_id":"`+q.id+`","status":"answered","selected":["fixed"]}`, &reply)
				wire := q.wait()
				var read app.Interaction
				call("GET", "/api/interactions/"+q.id, "", &read)
				record := w.get(q.id)

				want := app.ReasonResponse
				if c.late {
					want = app.ReasonTimeout
				}
				told := []string{}
				for _, e := range w.take() {
					if d, ok := e.Data.(app.InteractionResolved); ok {
						told = append(told, string(d.Reason)+" "+d.Response)
					}
				}
				equal(t, told, []string{fmt.Sprintf("%s %s", want, wire.Response)})
				for place, got := range map[string]*app.Outcome{"reply": reply.Outcome, "page": read.Outcome, "record": record.Outcome, "wire": &wire} {
					out := *got
					out.InteractionID = ""
					if fmt.Sprintf("%+v", out) != fmt.Sprintf("%+v", *record.Outcome) || out.Reason != want {
						t.Errorf("%s says %+v, recorded is %+v", place, out, record.Outcome)
					}
				}
				equal(t, []bool{reply.Late, record.Late != nil, len(w.sent) == 1}, []bool{c.late, c.late, c.late})
			})
		})
	}
}
