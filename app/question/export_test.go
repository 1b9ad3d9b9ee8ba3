package question

// Held counts the interactions that the desk holds in memory.
func (d *Desk) Held() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open) + len(d.busy)
}
