package pi

import (
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"

	"parley/agents"
)

// imageLimit is the largest picture, in bytes, that is sent inside a message.
const imageLimit = 3 << 20

// imageTypes are what providers take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// planNote tells the model of the mode, of which the CLI knows nothing.
const planNote = "Parley is in plan mode: look around, change nothing, and present a plan. Editing and writing files is refused until the person leaves plan mode."

// input is a message as the CLI takes it: the text, what is attached, and the
// context block at the very end. A picture goes inside; other files are named,
// and the agent reads them with its own tools. A command of the CLI arrives byte
// for byte.
func input(t agents.Turn, mode agents.Mode) (text string, pictures []picture, err error) {
	parts := []string{}
	if t.Text != "" {
		parts = append(parts, t.Text)
	}
	for _, f := range t.Files {
		info, err := os.Stat(f.Path)
		if err != nil {
			return "", nil, fmt.Errorf("attach %s: %w", f.Name, err)
		}
		if !slices.Contains(imageTypes, f.Mime) || info.Size() > imageLimit {
			parts = append(parts, "Attached file: "+f.Path)
			continue
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			return "", nil, fmt.Errorf("attach %s: %w", f.Name, err)
		}
		pictures = append(pictures, picture{Type: "image", Data: base64.StdEncoding.EncodeToString(data), Mime: f.Mime})
	}
	if mode == agents.ModePlan && !strings.HasPrefix(t.Text, "/") {
		parts = append(parts, planNote)
	}
	if t.Context != "" {
		parts = append(parts, t.Context)
	}
	return strings.Join(parts, "\n\n"), pictures, nil
}
