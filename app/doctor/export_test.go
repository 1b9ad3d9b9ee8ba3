package doctor

import (
	"maps"
	"slices"
)

// Codes are those of all findings.
func Codes() []string { return slices.Sorted(maps.Keys(findings)) }
