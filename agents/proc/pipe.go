package proc

import (
	"os"
	"sync"
)

// input is our end of the pipe that the agent reads. The person who stops an
// agent, its adapter and its end may all close it.
type input struct {
	*os.File
	once sync.Once
	err  error
}

// Close implements io.Closer.
func (i *input) Close() error {
	i.once.Do(func() { i.err = i.File.Close() })
	return i.err
}
