package bridge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"parley/mcp"
)

// Limits of a form, in Unicode code points after trimming, or in items.
const (
	MaxQuestions   = 20
	MaxQuestionID  = 100
	MaxFormOptions = 50 // counted before duplicates are dropped
	MaxPlaceholder = 500
	MaxDefault     = 4000
)

// FormQuestion is one question of a form as the app shows it. A text question
// has no options.
type FormQuestion struct {
	ID          string
	Question    string
	Options     []FormOption // nil for text
	MultiSelect bool
	Required    bool
	Default     []string // values of options, or one text; nil without
	Placeholder string
}

// FormOption is one proposed answer. Value is what the agent gets back.
type FormOption struct {
	Label       string
	Value       string
	Recommended bool
}

// FormQuestions reads the arguments of interactive_form_question. Models spell
// them in many ways, so that names, types and shorthand of other tools are taken
// for what they mean; what has no meaning is an *Error that says which part,
// what would be right and what came.
func FormQuestions(arguments []byte) ([]FormQuestion, error) {
	var c checker
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &fields); err != nil {
		c.refuse("arguments", "an object with a list of questions", kind(arguments))
		return nil, c.err
	}
	items := c.questions(fields["questions"])
	if c.err == nil && (len(items) < 1 || len(items) > MaxQuestions) {
		c.refuse("questions", fmt.Sprintf("a list of 1 to %d questions", MaxQuestions), fmt.Sprintf("%d questions", len(items)))
	}
	if c.err != nil {
		return nil, c.err
	}
	out := make([]FormQuestion, 0, len(items))
	ids := make(map[string]bool, len(items))
	for i, raw := range items {
		at := fmt.Sprintf("questions[%d]", i)
		q := c.formQuestion(at, raw, i+1)
		if ids[q.ID] {
			c.refuse(at+".id", "unique in the form", "a second question with the id "+quote(q.ID))
		}
		ids[q.ID] = true
		out = append(out, q)
	}
	if c.err != nil {
		return nil, c.err
	}
	return out, nil
}

// questions reads the list, which may come as its JSON text, or as the one
// question in it.
func (c *checker) questions(raw json.RawMessage) []json.RawMessage {
	if inner, ok := text(raw); ok && (strings.HasPrefix(strings.TrimSpace(inner), "[") || strings.HasPrefix(strings.TrimSpace(inner), "{")) {
		raw = json.RawMessage(inner)
	}
	var items []json.RawMessage
	switch {
	case absent(raw):
		c.refuse("questions", "a list of questions, each with id, question, input_type and options", "nothing")
	case json.Unmarshal(raw, &items) == nil:
	case isObject(raw):
		items = []json.RawMessage{raw}
	default:
		c.refuse("questions", "a list of questions", kind(raw))
	}
	return items
}

// formQuestion reads one question; a text alone is one to be answered in
// writing.
func (c *checker) formQuestion(at string, raw json.RawMessage, number int) FormQuestion {
	q := FormQuestion{Required: true}
	p := &part{checker: c, at: at}
	if _, ok := text(raw); ok {
		p.fields = map[string]json.RawMessage{"question": raw}
	} else if json.Unmarshal(raw, &p.fields) != nil || p.fields == nil {
		c.refuse(at, "an object with id, question, input_type and options", kind(raw))
		return q
	}
	typ := p.first("input_type", "inputType", "question_type", "questionType", "type")
	word, inner := splitType(typ)
	meaning := typeWords[word]

	q.Question = c.text(at+".question", cmp.Or(p.first("question", "title", "prompt", "label", "text"), inner), 1, MaxQuestion)
	q.ID = c.text(at+".id", cmp.Or(p.first("id"), "q"+strconv.Itoa(number)), 1, MaxQuestionID)
	q.Required = p.flag(true, "required")
	q.Placeholder = c.text(at+".placeholder", p.first("placeholder"), 0, MaxPlaceholder)

	q.Options = p.formOptions()
	switch {
	case meaning.text && len(q.Options) > 0:
		c.refuse(at+".input_type", "choice where options are given; leave the options out for a text question", quote(typ)+" with options")
	case len(q.Options) > 0:
		q.MultiSelect = p.flag(meaning.multi, "multi_select", "multiSelect", "multiple", "multi") || meaning.multi
	}
	q.Default = p.formDefault(q)
	return q
}

// typeMeaning is what a type word stands for. An unknown one stands for nothing:
// the options decide.
type typeMeaning struct{ text, multi bool }

var typeWords = func() map[string]typeMeaning {
	words := map[string]typeMeaning{}
	for _, w := range []string{"text", "text_input", "textarea", "long_text", "short_text", "string", "input", "free_text"} {
		words[w] = typeMeaning{text: true}
	}
	for _, w := range []string{"choice", "single_choice", "single_select", "select", "dropdown", "radio", "radio_group", "enum", "option"} {
		words[w] = typeMeaning{}
	}
	for _, w := range []string{"multi_select", "multiple_select", "multiselect", "multi_choice", "multiple_choice", "checkbox", "checkboxes", "checkbox_group"} {
		words[w] = typeMeaning{multi: true}
	}
	return words
}()

// splitType takes a type such as "single_choice(question(Really?))" apart into
// the word and the question in it.
func splitType(s string) (word, question string) {
	word, rest, split := strings.Cut(strings.TrimSpace(s), "(")
	word = strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(word)))
	if !split {
		return word, ""
	}
	rest = strings.TrimSuffix(strings.TrimSpace(rest), ")")
	if name, inner, ok := strings.Cut(rest, "("); ok {
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "question", "title", "prompt", "label", "text":
			rest = strings.TrimSuffix(strings.TrimSpace(inner), ")")
		}
	}
	return word, strings.TrimSpace(rest)
}

// formOptions reads the options of a question, nil when there are none.
func (p *part) formOptions() []FormOption {
	name, raw := p.raw("options", "choices")
	if absent(raw) {
		return nil
	}
	at := p.at + "." + name
	if inner, ok := text(raw); ok && strings.HasPrefix(strings.TrimSpace(inner), "[") {
		raw = json.RawMessage(inner)
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		p.refuse(at, "a list of options", kind(raw))
		return nil
	}
	if len(items) > MaxFormOptions {
		p.refuse(at, fmt.Sprintf("a list of at most %d options", MaxFormOptions), fmt.Sprintf("%d options", len(items)))
		return nil
	}
	var out []FormOption
	for i, item := range items {
		o := p.formOption(fmt.Sprintf("%s[%d]", at, i), item)
		twin := false
		for _, kept := range out {
			switch {
			case kept.Value == o.Value && kept.Label == o.Label:
				twin = true
			case kept.Value == o.Value, kept.Label == o.Label, kept.Value == o.Label, kept.Label == o.Value:
				p.refuse(fmt.Sprintf("%s[%d]", at, i), "unlike every other option in label and value", "a second "+quote(o.Label))
			}
		}
		if !twin {
			out = append(out, o)
		}
	}
	return out
}

// formOption reads one option; a text or a number alone is its label.
func (p *part) formOption(at string, raw json.RawMessage) FormOption {
	var o FormOption
	var label, value string
	if plain, ok := scalar(raw); ok {
		label = plain
	} else {
		q := part{checker: p.checker, at: at}
		if json.Unmarshal(raw, &q.fields) != nil || q.fields == nil {
			p.refuse(at, "a text, or an object with label and value", kind(raw))
			return o
		}
		label, value = q.first("label", "name", "text", "title"), q.first("value")
		if mcp.Blank(label) {
			label = value
		}
		o.Recommended = q.flag(false, "recommended")
	}
	label, marked := withoutMark(label)
	o.Recommended = o.Recommended || marked
	o.Label = p.text(at+".label", label, 1, MaxLabel)
	o.Value = p.text(at+".value", value, 0, MaxLabel)
	if o.Value == "" {
		o.Value = o.Label
	}
	return o
}

// withoutMark takes the words away that some models write after the option that
// they recommend.
func withoutMark(label string) (string, bool) {
	label = strings.TrimSpace(label)
	for _, mark := range []string{"(recommended)", "（推荐）", "(推荐)"} {
		if n := len(label) - len(mark); n > 0 && strings.EqualFold(label[n:], mark) {
			return strings.TrimSpace(label[:n]), true
		}
	}
	return label, false
}

// formDefault reads what a question begins with: values or labels of options,
// or one text.
func (p *part) formDefault(q FormQuestion) []string {
	raw := p.fields["default"]
	if absent(raw) {
		return nil
	}
	at := p.at + ".default"
	items := []json.RawMessage{raw}
	if _, ok := scalar(raw); !ok && json.Unmarshal(raw, &items) != nil {
		p.refuse(at, "a text, or a list of texts", kind(raw))
		return nil
	}
	var out []string
	for i, item := range items {
		v, ok := scalar(item)
		if !ok {
			p.refuse(fmt.Sprintf("%s[%d]", at, i), "a text", kind(item))
			return nil
		}
		if v = p.text(at, v, 0, MaxDefault); v != "" {
			out = append(out, v)
		}
	}
	if len(out) > 1 && !q.MultiSelect {
		p.refuse(at, "one value", fmt.Sprintf("%d values", len(out)))
		return nil
	}
	if q.Options == nil {
		return out
	}
	for i, v := range out {
		value, ok := q.valueOf(v)
		if !ok {
			p.refuse(at, "the value of one of the options", quote(v))
			return nil
		}
		out[i] = value
	}
	return out
}

// valueOf finds the option that a default names.
func (q FormQuestion) valueOf(s string) (string, bool) {
	bare, _ := withoutMark(s)
	for _, o := range q.Options {
		if o.Value == s || o.Label == s || o.Value == bare || o.Label == bare {
			return o.Value, true
		}
	}
	return "", false
}
