package api

import (
	"net/http"
	"time"

	"parley/app"
)

func (h *handler) savePicture(r *http.Request, p NewPicture) (app.Attachment, error) {
	s, err := h.Records.Session(r.Context(), r.PathValue("id"))
	if err != nil {
		return app.Attachment{}, err
	}
	return h.Pictures.Save(s.ID, p.Name, p.Data)
}

// picture serves the bytes under the type that they were found to have, so that
// no browser takes them for anything else.
func (h *handler) picture(w http.ResponseWriter, r *http.Request) {
	f, mime, err := h.Pictures.Open(r.PathValue("id"), r.PathValue("file"))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	defer f.Close()
	head := w.Header()
	head.Set("Content-Type", mime)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cache-Control", "private, max-age=86400, immutable")
	http.ServeContent(w, r, "", time.Time{}, f)
}

// handFiles puts the pictures of an answer into the folder of the agent that
// asked: an answer is a text first, which names them.
func (h *handler) handFiles(r *http.Request, a *app.Answer) error {
	if len(a.Files) == 0 {
		return nil
	}
	in, err := h.Desk.Get(r.Context(), a.InteractionID)
	if err != nil {
		return err
	}
	for i, f := range a.Files {
		if a.Files[i], err = h.Pictures.Hand(in.Cwd, f); err != nil {
			return app.Errorf(app.CodeFolderUnusable, "The picture could not be put into the folder %s: %w", in.Cwd, err)
		}
	}
	return nil
}
