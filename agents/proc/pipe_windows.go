package proc

import (
	"io"
	"os"
)

// output is our end of a pipe that the tree writes to. On Windows the end of
// the job has closed all other ends.
type output struct {
	file *os.File
	gone <-chan struct{}
}

func (o *output) release() {}

// Read implements io.Reader.
func (o *output) Read(p []byte) (int, error) {
	n, err := o.file.Read(p)
	if err != nil {
		o.file.Close()
		return n, io.EOF // there is no other reason than the end
	}
	return n, nil
}
