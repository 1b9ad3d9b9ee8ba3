package bus

// Subscribers counts those who listen.
func (b *Bus) Subscribers() int { return len(b.all()) }
