package opencode

import (
	"encoding/base64"
	"fmt"
	"os"
	"slices"

	"parley/agents"
)

// imageLimit is the largest picture, in bytes, that is sent inside a message.
const imageLimit = 5 << 20

// imageTypes are what providers take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// inputPart is one part of an input.
type inputPart struct {
	Type     string `json:"type"` // text, file
	Text     string `json:"text,omitempty"`
	Mime     string `json:"mime,omitempty"`
	Filename string `json:"filename,omitempty"`
	URL      string `json:"url,omitempty"`
}

// inputParts is an input as the CLI takes it: the text, pictures, and the context
// block at the very end. Other files are named, and the agent reads them with
// its own tools.
func inputParts(t agents.Turn) ([]inputPart, error) {
	var parts []inputPart
	if t.Text != "" {
		parts = append(parts, inputPart{Type: "text", Text: t.Text})
	}
	for _, f := range t.Files {
		info, err := os.Stat(f.Path)
		if err != nil {
			return nil, fmt.Errorf("attach %s: %w", f.Name, err)
		}
		if !slices.Contains(imageTypes, f.Mime) || info.Size() > imageLimit {
			parts = append(parts, inputPart{Type: "text", Text: "Attached file: " + f.Path})
			continue
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			return nil, fmt.Errorf("attach %s: %w", f.Name, err)
		}
		parts = append(parts, inputPart{Type: "file", Mime: f.Mime, Filename: f.Name, URL: "data:" + f.Mime + ";base64," + base64.StdEncoding.EncodeToString(data)})
	}
	if t.Context != "" {
		parts = append(parts, inputPart{Type: "text", Text: t.Context})
	}
	return parts, nil
}
