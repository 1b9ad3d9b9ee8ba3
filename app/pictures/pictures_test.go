package pictures_test

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
	"parley/app/pictures"
)

// drawn is a real picture, w × w points.
func drawn(t *testing.T, w int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, w))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A picture comes back byte for byte, by the last part of its path alone, in
// the session that it was saved in and in no other.
func TestSaveAndOpen(t *testing.T) {
	s := pictures.New(filepath.Join(t.TempDir(), "pictures"))
	data := drawn(t, 8)
	a, err := s.Save("s1", "Screen\u202e shot.png", data)
	if err != nil {
		t.Fatal(err)
	}
	if a.Mime != "image/png" || a.Name != "Screen shot.png" || !filepath.IsAbs(a.Path) {
		t.Errorf("saved as %+v", a)
	}
	f, mime, err := s.Open("s1", filepath.Base(a.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := io.ReadAll(f)
	if err != nil || !bytes.Equal(got, data) || mime != "image/png" {
		t.Errorf("opened %d bytes of %s, %v; want the %d that were saved", len(got), mime, err, len(data))
	}
	if info, err := os.Stat(a.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is open to others: %v %v", info.Mode(), err)
	}
	for _, wrong := range [][2]string{
		{"s2", filepath.Base(a.Path)}, {"s1", "../s1/" + filepath.Base(a.Path)}, {"..", "x.png"}, {"s1", "none.png"}, {"s1", ""}, {"", "x.png"},
	} {
		if _, _, err := s.Open(wrong[0], wrong[1]); app.ErrorCode(err) != app.CodeNotFound {
			t.Errorf("Open(%q, %q): %v", wrong[0], wrong[1], err)
		}
	}
	if err := s.Forget("s1"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(a.Path); !os.IsNotExist(err) {
		t.Errorf("a forgotten picture is still there: %v", err)
	}
}

// What a picture is, its bytes say: a name or an end of one proves nothing.
func TestRefused(t *testing.T) {
	s := pictures.New(t.TempDir())
	for _, c := range []struct {
		name string
		data []byte
		code app.Code
		says string
	}{
		{"page.png", []byte("<html><script>alert(1)</script></html>"), app.CodeInvalidArgument, "PNG, JPEG, GIF or WebP"},
		{"drawing.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), app.CodeInvalidArgument, "PNG, JPEG, GIF or WebP"},
		{"empty.png", nil, app.CodeInvalidArgument, "PNG, JPEG, GIF or WebP"},
		{"large.png", append(drawn(t, 4), make([]byte, pictures.Limit)...), app.CodePayloadTooLarge, "3 MiB"},
	} {
		_, err := s.Save("s1", c.name, c.data)
		if app.ErrorCode(err) != c.code || !strings.Contains(app.ErrorMessage(err), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := s.Save("../elsewhere", "x.png", drawn(t, 4)); app.ErrorCode(err) != app.CodeNotFound {
		t.Errorf("a session's id led out of the folder: %v", err)
	}
}

// A picture for an agent that reads it by itself lies in the agent's folder,
// where git passes over it; another file stays where the person has it.
func TestHand(t *testing.T) {
	cwd := t.TempDir()
	s := pictures.New(t.TempDir())
	a, err := s.Save("s1", "a.png", drawn(t, 8))
	if err != nil {
		t.Fatal(err)
	}
	var handed app.Attachment
	for range 2 { // handing it over again changes nothing
		if handed, err = s.Hand(cwd, a); err != nil {
			t.Fatal(err)
		}
	}
	if want := filepath.Join(cwd, ".parley", "pictures", filepath.Base(a.Path)); handed.Path != want {
		t.Errorf("handed over at %s, want %s", handed.Path, want)
	}
	before, _ := os.ReadFile(a.Path)
	after, err := os.ReadFile(handed.Path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("it is not the same picture: %v", err)
	}
	own := filepath.Join(cwd, "own.png")
	if kept, err := s.Hand(cwd, app.Attachment{Path: own}); err != nil || kept.Path != own {
		t.Errorf("the person's own file: %+v %v", kept, err)
	}
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = cwd
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	if status := git("status", "--porcelain"); status != "" {
		t.Errorf("git sees the picture:\n%s", status)
	}
}

// A folder from elsewhere may hold a link in the place of ours. Nothing is
// written through it.
func TestHandThroughALink(t *testing.T) {
	cwd, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(cwd, ".parley")); err != nil {
		t.Fatal(err)
	}
	s := pictures.New(t.TempDir())
	a, err := s.Save("s1", "a.png", drawn(t, 8))
	if err != nil {
		t.Fatal(err)
	}
	if handed, err := s.Hand(cwd, a); err == nil {
		t.Errorf("handed over at %s", handed.Path)
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside lie %v, %v", left, err)
	}
}

// A fork shows the pictures of the session that it is a copy of, also when that
// one is forgotten.
func TestShared(t *testing.T) {
	s := pictures.New(filepath.Join(t.TempDir(), "pictures"))
	if err := s.Share("s1", "s2"); err != nil { // there are none yet
		t.Fatal(err)
	}
	a, err := s.Save("s1", "dot.png", drawn(t, 8))
	if err == nil {
		err = s.Share("s1", "s2")
	}
	if err == nil {
		err = s.Forget("s1")
	}
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := s.Open("s2", filepath.Base(a.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, drawn(t, 8)) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, _, err := s.Open("s1", filepath.Base(a.Path)); app.ErrorCode(err) != app.CodeNotFound {
		t.Errorf("forgotten: %v", err)
	}
}
