//go:build !unix

package clis

import (
	"context"
	"errors"
)

func lockFile(context.Context, string) (func(), error) {
	return nil, errors.New("the pinned programs are for Linux")
}
