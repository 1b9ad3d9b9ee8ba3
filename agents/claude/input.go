package claude

import (
	"encoding/base64"
	"fmt"
	"os"
	"slices"

	"parley/agents"
)

// imageLimit is the largest picture, in bytes, that is sent inside a message.
// The provider takes 5 MiB after encoding.
const imageLimit = 3 << 20

// imageTypes are what the provider takes.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

type textBlock struct {
	Type string `json:"type"` // text
	Text string `json:"text"`
}

type imageBlock struct {
	Type   string      `json:"type"` // image
	Source imageSource `json:"source"`
}

type imageSource struct {
	Type string `json:"type"` // base64
	Mime string `json:"media_type"`
	Data string `json:"data"`
}

// messageContent is an input as the CLI takes it: a text alone arrives byte for
// byte, as its slash commands need; pictures and the context block follow it.
// Other files are named, and the agent reads them with its own tools.
func messageContent(t agents.Turn) (any, error) {
	if len(t.Files) == 0 && t.Context == "" {
		return t.Text, nil
	}
	var blocks []any
	if t.Text != "" {
		blocks = append(blocks, textBlock{Type: "text", Text: t.Text})
	}
	for _, f := range t.Files {
		block, err := fileBlock(f)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, block)
	}
	if t.Context != "" {
		blocks = append(blocks, textBlock{Type: "text", Text: t.Context})
	}
	return blocks, nil
}

func fileBlock(f agents.Attachment) (any, error) {
	info, err := os.Stat(f.Path)
	if err != nil {
		return nil, fmt.Errorf("attach %s: %w", f.Name, err)
	}
	if !slices.Contains(imageTypes, f.Mime) || info.Size() > imageLimit {
		return textBlock{Type: "text", Text: "Attached file: " + f.Path}, nil
	}
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, fmt.Errorf("attach %s: %w", f.Name, err)
	}
	return imageBlock{Type: "image", Source: imageSource{Type: "base64", Mime: f.Mime, Data: base64.StdEncoding.EncodeToString(data)}}, nil
}
