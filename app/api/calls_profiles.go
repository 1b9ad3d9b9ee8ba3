package api

import (
	"context"
	"net/http"
	"net/url"

	"parley/app"
)

// Profiles keeps the person's profiles. Changes return the list as it is then.
type Profiles interface {
	List(ctx context.Context) ([]app.Profile, error)
	Set(ctx context.Context, p app.Profile) ([]app.Profile, error)
	// Rename takes sessions, secrets and overrides along; with an agent that runs
	// under the name it is app.CodeSessionBusy.
	Rename(ctx context.Context, from, to string) ([]app.Profile, error)
	// Remove takes secrets and overrides along; sessions keep the name.
	Remove(ctx context.Context, name string) ([]app.Profile, error)
}

func (h *handler) profiles(r *http.Request, _ Empty) (ProfileList, error) {
	list, err := h.Profiles.List(r.Context())
	return ProfileList{list}, err
}

func (h *handler) setProfile(r *http.Request, in app.Profile) (ProfileList, error) {
	in.Name = r.PathValue("name")
	list, err := h.Profiles.Set(r.Context(), in)
	return ProfileList{list}, err
}

func (h *handler) renameProfile(r *http.Request, in ProfileName) (ProfileList, error) {
	list, err := h.Profiles.Rename(r.Context(), r.PathValue("name"), in.Name)
	return ProfileList{list}, err
}

func (h *handler) removeProfile(r *http.Request, _ Empty) (ProfileList, error) {
	list, err := h.Profiles.Remove(r.Context(), r.PathValue("name"))
	return ProfileList{list}, err
}

// ListProfiles lists the profiles.
func (c *Client) ListProfiles(ctx context.Context) ([]app.Profile, error) {
	out, err := get[ProfileList](ctx, c, "/api/profiles")
	return out.Profiles, err
}

// SetProfile makes a profile, or gives it other contents.
func (c *Client) SetProfile(ctx context.Context, p app.Profile) ([]app.Profile, error) {
	out, err := send[ProfileList](ctx, c, "PUT", "/api/profiles/"+url.PathEscape(p.Name), p)
	return out.Profiles, err
}

// RenameProfile gives a profile another name.
func (c *Client) RenameProfile(ctx context.Context, from, to string) ([]app.Profile, error) {
	out, err := send[ProfileList](ctx, c, "POST", "/api/profiles/"+url.PathEscape(from)+"/rename", ProfileName{to})
	return out.Profiles, err
}

// RemoveProfile takes a profile away.
func (c *Client) RemoveProfile(ctx context.Context, name string) ([]app.Profile, error) {
	out, err := send[ProfileList](ctx, c, "DELETE", "/api/profiles/"+url.PathEscape(name), nil)
	return out.Profiles, err
}
