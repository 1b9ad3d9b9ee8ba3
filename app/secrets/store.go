package secrets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/app"
)

// maxValue is the longest value, in bytes. Some keyrings take less, and say so.
const maxValue = 16 << 10

// Config is what a Store stands on.
type Config struct {
	Path   string              // of the list of secrets; its folder is the person's alone
	Getenv func(string) string // to find the session's keyring; nil is os.Getenv
	Now    func() time.Time    // nil is time.Now
}

// Store is the list of secrets, and the keyring and file that hold them.
type Store struct {
	cfg  Config
	ring *ring

	// writing is held by the one who changes the list: a channel and not a mutex,
	// since it is held while disk and keyring work.
	writing chan struct{}

	mu   sync.Mutex // guards kept
	kept []kept     // in the order of their names; nil until read
}

// kept is a line of the list. Value is set where the file holds the secret.
type kept struct {
	app.Secret
	Value string `json:"value,omitempty"`
}

// Open reads the list. One that can't be understood is refused
// (app.CodeStorageFailed) and left as it is.
func Open(c Config) (*Store, error) {
	if c.Getenv == nil {
		c.Getenv = os.Getenv
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Store{cfg: c, ring: newRing("Parley ("+filepath.Dir(c.Path)+")", c.Getenv), writing: make(chan struct{}, 1)}
	data, err := os.ReadFile(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	} else if err != nil {
		return nil, app.Errorf(app.CodeStorageFailed, "The list of secrets can't be read: %w", err)
	}
	if err := json.Unmarshal(data, &s.kept); err != nil {
		// Not the cause: it may quote a secret.
		return nil, app.Errorf(app.CodeStorageFailed, "%s is damaged. Move it away and store your secrets again.", c.Path)
	}
	return s, nil
}

// Place is where a secret that is stored now would rest.
func (s *Store) Place(ctx context.Context) app.SecretPlace {
	if s.ring.there(ctx) {
		return app.SecretInKeyring
	}
	return app.SecretInFile
}

// List tells what there is, without values.
func (s *Store) List() []app.Secret {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]app.Secret, 0, len(s.kept))
	for _, k := range s.kept {
		out = append(out, k.Secret)
	}
	return out
}

// Set stores a secret in place of an older one of its name. A bad name or value
// is app.CodeInvalidArgument; a keyring that refuses, or that nobody unlocks, is
// app.CodeUnavailable and changes nothing.
func (s *Store) Set(ctx context.Context, ref app.SecretRef, value string) (app.Secret, error) {
	if err := check(ref, value); err != nil {
		return app.Secret{}, err
	}
	k := kept{Secret: app.Secret{SecretRef: ref, Place: s.Place(ctx), ChangedAt: s.cfg.Now().UnixMilli()}}
	return k.Secret, s.change(ctx, func(list []kept) ([]kept, error) {
		if k.Place == app.SecretInKeyring {
			if err := s.ring.set(ctx, ref, value); err != nil {
				return nil, err
			}
		} else {
			k.Value = value
		}
		list = slices.DeleteFunc(list, func(old kept) bool { return old.SecretRef == ref })
		list = append(list, k)
		slices.SortFunc(list, func(a, b kept) int { return strings.Compare(key(a.SecretRef), key(b.SecretRef)) })
		return list, nil
	})
}

// Remove forgets a secret, wherever it rests; one that is not there is
// app.CodeNotFound.
func (s *Store) Remove(ctx context.Context, ref app.SecretRef) error {
	return s.change(ctx, func(list []kept) ([]kept, error) {
		at := slices.IndexFunc(list, func(k kept) bool { return k.SecretRef == ref })
		if at < 0 {
			return nil, app.Errorf(app.CodeNotFound, "There is no such secret.")
		}
		if list[at].Place == app.SecretInKeyring {
			if err := s.ring.remove(ctx, ref); err != nil {
				return nil, err
			}
		}
		return slices.Delete(list, at, at+1), nil
	})
}

// Environment returns the variables ("NAME=value") of an agent in a profile. A
// secret that can't be had is app.CodeUnavailable: an agent without its key
// would only fail later, and say less.
func (s *Store) Environment(ctx context.Context, agent, profile string) ([]string, error) {
	s.mu.Lock()
	list := slices.Clone(s.kept)
	s.mu.Unlock()
	var env []string
	for _, k := range list {
		if k.Agent != agent || k.Profile != profile {
			continue
		}
		if k.Place == app.SecretInKeyring {
			var err error
			if k.Value, err = s.ring.get(ctx, k.SecretRef); err != nil {
				return nil, err
			}
		}
		env = append(env, k.Name+"="+k.Value)
	}
	return env, nil
}

// change writes the list anew; one at a time.
func (s *Store) change(ctx context.Context, f func([]kept) ([]kept, error)) error {
	select {
	case s.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.writing }()
	s.mu.Lock()
	list := slices.Clone(s.kept)
	s.mu.Unlock()
	list, err := f(list)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err == nil {
		err = replace(s.cfg.Path, append(data, '\n'))
	}
	if err != nil {
		return app.Errorf(app.CodeStorageFailed, "The list of secrets can't be saved: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = list
	return nil
}

// replace puts a file that only the person may read in place of the one before.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

func check(ref app.SecretRef, value string) error {
	refuse := func(field, limit string) error {
		return &app.Error{Code: app.CodeInvalidArgument, Field: field, Limit: limit, Message: fmt.Sprintf("The %s must be %s.", field, limit)}
	}
	switch {
	case ref.Agent == "" || len(ref.Agent) > 100:
		return refuse("agent", "the name of an agent, such as claude")
	case ref.Profile == "":
		return refuse("profile", "the name of a profile; the usual one is default")
	case !variable.MatchString(ref.Name) || strings.HasPrefix(ref.Name, "PARLEY_"):
		return refuse("name", "that of a variable of the agent's environment, such as ANTHROPIC_API_KEY")
	case value == "" || len(value) > maxValue || strings.ContainsRune(value, 0):
		return refuse("value", fmt.Sprintf("a text of at most %d bytes", maxValue))
	}
	return app.CheckProfile(ref.Profile)
}

// key is a secret's name in the keyring, and its place in the list.
func key(r app.SecretRef) string { return r.Agent + " " + r.Profile + " " + r.Name }
