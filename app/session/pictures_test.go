package session_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"parley/app"
	"parley/app/pictures"
	"parley/app/session"
)

func withPictures(s *pictures.Store) func(*session.Config, *adapter) {
	return func(c *session.Config, _ *adapter) { c.Pictures = s }
}

func pasted(t *testing.T, s *pictures.Store, id app.SessionID) app.Attachment {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	a, err := s.Save(id, "shot.png", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// An agent that takes no pictures finds them in its folder and their paths in
// the text; other files go to it as they are. The record keeps the message as
// it was typed.
func TestPictureForAnAgentThatTakesNone(t *testing.T) {
	store := pictures.New(t.TempDir())
	w := newWorld(t, withPictures(store))
	s := w.create(app.NewSession{})
	other := filepath.Join(w.dir, "notes.txt")
	if err := os.WriteFile(other, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	picture := pasted(t, store, s.ID)
	turn, _, err := w.m.Send(context.Background(), s.ID, app.Input{
		Text: "say m Look", Attachments: []app.Attachment{picture, {Name: "notes.txt", Mime: "text/plain", Path: other}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.ended(turn)
	got := w.ad.lastTurn()
	there := filepath.Join(w.dir, ".parley", "pictures", filepath.Base(picture.Path))
	if got.Text != "say m Look\n\nPicture: "+there || len(got.Files) != 1 || got.Files[0].Path != other {
		t.Errorf("the agent got %q with %+v", got.Text, got.Files)
	}
	want, _ := os.ReadFile(picture.Path)
	if data, err := os.ReadFile(there); err != nil || !bytes.Equal(data, want) {
		t.Errorf("in its folder lie %d bytes, %v", len(data), err)
	}
	for _, e := range w.tape.All() {
		if d, ok := e.Data.(app.TurnText); ok && (d.Text != "say m Look" || len(d.Attachments) != 2 || d.Attachments[0] != picture) {
			t.Errorf("recorded %+v", d)
		}
	}
	if err := w.m.Delete(context.Background(), s.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(picture.Path); !os.IsNotExist(err) {
		t.Errorf("the picture of a deleted session is still there: %v", err)
	}
}
