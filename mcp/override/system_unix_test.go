//go:build unix

package override_test

import (
	"io/fs"
	"syscall"
)

func owner(info fs.FileInfo) (uid, gid uint32) {
	st := info.Sys().(*syscall.Stat_t)
	return st.Uid, st.Gid
}
