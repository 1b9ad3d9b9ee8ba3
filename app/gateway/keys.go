package gateway

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"sync"
	"time"
)

// Lives of the two kinds of key, and how many may be out at once: a link that
// nobody used makes room for a newer one.
const (
	linkLife   = 5 * time.Minute
	cookieLife = 7 * 24 * time.Hour
	maxKeys    = 64
)

// keys are secrets that were given out, held as hashes in memory only: with the
// end of the serving all are worthless, also to whatever listens on the same
// port next.
type keys struct {
	life time.Duration
	now  func() time.Time

	mu   sync.Mutex // guards ends
	ends map[[sha256.Size]byte]time.Time
}

func newKeys(life time.Duration, now func() time.Time) *keys {
	return &keys{life: life, now: now, ends: map[[sha256.Size]byte]time.Time{}}
}

// issue makes a key of 32 random bytes.
func (k *keys) issue() (key string, ends time.Time) {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails
	key = base64.RawURLEncoding.EncodeToString(raw)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dropLocked()
	ends = k.now().Add(k.life)
	k.ends[sha256.Sum256([]byte(key))] = ends
	return key, ends
}

// dropLocked forgets what is over, and the oldest when there are too many.
func (k *keys) dropLocked() {
	var oldest [sha256.Size]byte
	for hash, end := range k.ends {
		if !k.now().Before(end) {
			delete(k.ends, hash)
		} else if first, ok := k.ends[oldest]; !ok || end.Before(first) {
			oldest = hash
		}
	}
	if len(k.ends) >= maxKeys {
		delete(k.ends, oldest)
	}
}

// valid reports whether a key is good.
func (k *keys) valid(key string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	end, ok := k.ends[sha256.Sum256([]byte(key))]
	return ok && k.now().Before(end)
}

// take reports whether a key is good and makes it worthless.
func (k *keys) take(key string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	hash := sha256.Sum256([]byte(key))
	end, ok := k.ends[hash]
	delete(k.ends, hash)
	return ok && k.now().Before(end)
}
