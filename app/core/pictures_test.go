package core_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
)

// shot is a picture of a few points, so that no agent makes it smaller.
func shot(t *testing.T, c color.Color) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 16, 16))
	for i := range 16 {
		m.Set(i, i, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// page makes a call as the window's page does.
func page(t *testing.T, b *backend.Backend, method, path string, in, out any) []byte {
	t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	rec := httptest.NewRecorder()
	api.Door(b.App.API(), app.ByWindow).ServeHTTP(rec, httptest.NewRequest(method, path, bytes.NewReader(body)))
	if rec.Code != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, rec.Code, rec.Body)
	}
	if out != nil {
		if err := json.Unmarshal(rec.Body.Bytes(), out); err != nil {
			t.Fatal(err)
		}
	}
	return rec.Body.Bytes()
}

// A picture that was pasted reaches the model of the real Claude Code: with a
// message as it is, and with an answer beside the text, which names its file in
// the session's folder.
func TestPicturesReachClaude(t *testing.T) {
	model, project := claudeHome(t,
		fakemodel.Step{When: fakemodel.UserSays("look at this"), Answer: asks("q1", "Which database?")},
		fakemodel.Step{When: fakemodel.HasResult("q1"), Reply: fakemodel.Text("I see.")},
		fakemodel.Step{Times: fakemodel.Always, Reply: fakemodel.Text("Untitled")},
	)
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s, err := b.Client.CreateSession(ctx, api.NewSession{Agent: "claude", Cwd: project})
	if err != nil {
		t.Fatal(err)
	}
	red, blue := shot(t, color.RGBA{255, 0, 0, 255}), shot(t, color.RGBA{0, 0, 255, 255})
	var first, second app.Attachment
	pictures := "/api/sessions/" + s.ID + "/pictures"
	page(t, b, "POST", pictures, api.NewPicture{Name: "red.png", Data: red}, &first)
	page(t, b, "POST", pictures, api.NewPicture{Name: "blue.png", Data: blue}, &second)
	if shown := page(t, b, "GET", pictures+"/"+filepath.Base(first.Path), nil, nil); !bytes.Equal(shown, red) {
		t.Errorf("the picture is shown with %d bytes", len(shown))
	}
	sent, err := b.Client.Send(ctx, s.ID, api.NewMessage{Text: "look at this", Attachments: []app.Attachment{first}})
	if err != nil {
		t.Fatal(err)
	}
	in := tape.Asked(sent.TurnID, app.KindClarify)
	reply, err := b.Client.Answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Text: "like this", Files: []app.Attachment{second}})
	if err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(project, ".parley", "pictures", filepath.Base(second.Path))
	if reply.Outcome == nil || reply.Outcome.Response != "like this\n"+there {
		t.Errorf("answered %+v", reply.Outcome)
	}
	if data, err := os.ReadFile(there); err != nil || !bytes.Equal(data, blue) {
		t.Errorf("in the folder lie %d bytes, %v", len(data), err)
	}
	if end := tape.Ended(sent.TurnID); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v %+v", end, end.Problem)
	}
	var asked, answered string
	for _, r := range model.Requests() {
		if strings.Contains(r.LastUserText(), "look at this") && asked == "" {
			asked = string(r.Raw)
		}
		if _, ok := r.ToolResult("q1"); ok {
			answered = string(r.Raw)
		}
	}
	for what, c := range map[string]struct {
		request string
		picture []byte
	}{"the message": {asked, red}, "the answer": {answered, blue}} {
		if !strings.Contains(c.request, base64.StdEncoding.EncodeToString(c.picture)) {
			t.Errorf("the model got %s without its picture:\n%.3000s", what, c.request)
		}
	}
	if strings.Contains(asked, base64.StdEncoding.EncodeToString(blue)) {
		t.Error("the picture of the answer was there before the answer")
	}
}
