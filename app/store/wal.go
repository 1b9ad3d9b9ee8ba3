package store

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
)

// The log of writes as SQLite's file format describes it: a header of 32 bytes,
// then frames of a header of 24 bytes and a page.
const (
	walMagic  = 0x377f0682 // the lowest bit says which byte order the sums are in
	walHeader = 32
	walFrame  = 24
)

// garbled reports a log of writes of which SQLite will silently ignore a part
// that had been committed: its header is no header, or a frame in its midst does
// not bear its sum while a later one of the same log ends a transaction. What a
// writer that was killed left behind the last commit is no damage. A log that is
// not there, empty or unreadable is not garbled.
func garbled(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	head := make([]byte, walHeader)
	if n, err := io.ReadFull(r, head); err != nil {
		return n > 0 // shorter than its header
	}
	magic := binary.BigEndian.Uint32(head)
	size := binary.BigEndian.Uint32(head[8:])
	if magic&^1 != walMagic || size < 512 || size > 65536 || size&(size-1) != 0 {
		return true
	}
	var order binary.ByteOrder = binary.LittleEndian
	if magic&1 == 1 {
		order = binary.BigEndian
	}
	sum := walSum{order: order}
	sum.add(head[:24])
	if !sum.equals(head[24:32]) {
		return true
	}
	salt := string(head[16:24])
	broken := false
	frame := make([]byte, walFrame+int(size))
	for {
		if _, err := io.ReadFull(r, frame); err != nil {
			return false // the end, or a frame that was being written
		}
		if string(frame[8:16]) != salt {
			return false // from here on there are frames of an earlier round
		}
		if commits := binary.BigEndian.Uint32(frame[4:]) != 0; broken && commits {
			return true
		}
		sum.add(frame[:8])
		sum.add(frame[walFrame:])
		broken = broken || !sum.equals(frame[16:24])
	}
}

// walSum is the running sum over a log.
type walSum struct {
	order  binary.ByteOrder
	s1, s2 uint32
}

// add takes in bytes, a multiple of eight.
func (w *walSum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		w.s1 += w.order.Uint32(b) + w.s2
		w.s2 += w.order.Uint32(b[4:]) + w.s1
	}
}

// equals compares with a sum as the file holds it.
func (w *walSum) equals(b []byte) bool {
	return binary.BigEndian.Uint32(b) == w.s1 && binary.BigEndian.Uint32(b[4:]) == w.s2
}
