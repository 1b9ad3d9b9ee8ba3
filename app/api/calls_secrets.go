package api

import (
	"context"
	"net/http"
	"net/url"

	"parley/app"
)

// Secrets keeps the person's secrets. Values go in and never come out here.
type Secrets interface {
	// Place is where a secret that is stored now would rest.
	Place(ctx context.Context) app.SecretPlace
	List() []app.Secret
	// Set refuses a bad name or value with app.CodeInvalidArgument; a keyring that
	// refuses is app.CodeUnavailable.
	Set(ctx context.Context, ref app.SecretRef, value string) (app.Secret, error)
	// Remove forgets one; app.CodeNotFound when there is none.
	Remove(ctx context.Context, ref app.SecretRef) error
}

var errNoSecrets = app.Errorf(app.CodeUnavailable, "Parley's list of secrets can't be used; its notices at the start say why.")

func (h *handler) secrets(r *http.Request, _ Empty) (SecretList, error) {
	if h.Secrets == nil {
		return SecretList{}, errNoSecrets
	}
	return SecretList{Place: h.Secrets.Place(r.Context()), Secrets: h.Secrets.List()}, nil
}

func (h *handler) setSecret(r *http.Request, in SecretValue) (app.Secret, error) {
	if h.Secrets == nil {
		return app.Secret{}, errNoSecrets
	}
	return h.Secrets.Set(r.Context(), secretRef(r), in.Value)
}

func (h *handler) removeSecret(r *http.Request, _ Empty) (Empty, error) {
	if h.Secrets == nil {
		return Empty{}, errNoSecrets
	}
	return Empty{}, h.Secrets.Remove(r.Context(), secretRef(r))
}

func secretRef(r *http.Request) app.SecretRef {
	return app.SecretRef{Agent: r.PathValue("agent"), Profile: r.PathValue("profile"), Name: r.PathValue("name")}
}

// ListSecrets lists the secrets, without values.
func (c *Client) ListSecrets(ctx context.Context) (SecretList, error) {
	return get[SecretList](ctx, c, "/api/secrets")
}

// SetSecret stores a secret.
func (c *Client) SetSecret(ctx context.Context, ref app.SecretRef, value string) (app.Secret, error) {
	return send[app.Secret](ctx, c, "PUT", secretPath(ref), SecretValue{Value: value})
}

// RemoveSecret forgets a secret.
func (c *Client) RemoveSecret(ctx context.Context, ref app.SecretRef) error {
	_, err := send[Empty](ctx, c, "DELETE", secretPath(ref), nil)
	return err
}

func secretPath(ref app.SecretRef) string {
	return "/api/secrets/" + url.PathEscape(ref.Agent) + "/" + url.PathEscape(ref.Profile) + "/" + url.PathEscape(ref.Name)
}
