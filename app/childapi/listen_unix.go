//go:build unix

package childapi

// privateByMode says that a folder's mode bits tell who may enter it.
const privateByMode = true
