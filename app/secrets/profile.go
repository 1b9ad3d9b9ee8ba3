package secrets

import (
	"context"
	"errors"

	"parley/app"
)

// RenameProfile stores the secrets of one profile under another, and takes back
// what it did when one of them can't be moved.
func (s *Store) RenameProfile(ctx context.Context, from, to string) error {
	return s.change(ctx, func(list []kept) ([]kept, error) {
		var moved []kept // as they were
		for i, k := range list {
			if k.Profile != from {
				continue
			}
			if err := s.move(ctx, k, to); err != nil {
				for _, m := range moved {
					back := m
					back.Profile = to
					err = errors.Join(err, s.move(context.WithoutCancel(ctx), back, from))
				}
				return nil, err
			}
			moved = append(moved, k)
			list[i].Profile = to
		}
		return list, nil
	})
}

// move gives what rests in the keyring the other profile's name.
func (s *Store) move(ctx context.Context, k kept, to string) error {
	if k.Place != app.SecretInKeyring {
		return nil // the value lies in the list
	}
	value, err := s.ring.get(ctx, k.SecretRef)
	if err != nil {
		return err
	}
	next := k.SecretRef
	next.Profile = to
	if err := s.ring.set(ctx, next, value); err != nil {
		return err
	}
	return s.ring.remove(ctx, k.SecretRef)
}

// RemoveProfile forgets the secrets of a profile.
func (s *Store) RemoveProfile(ctx context.Context, profile string) error {
	return s.change(ctx, func(list []kept) ([]kept, error) {
		var out []kept
		for _, k := range list {
			if k.Profile != profile {
				out = append(out, k)
				continue
			}
			if k.Place == app.SecretInKeyring {
				if err := s.ring.remove(ctx, k.SecretRef); err != nil {
					return nil, err
				}
			}
		}
		return out, nil
	})
}
