package question

import (
	"maps"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley/app"
)

// judgeFields reads the answers to several questions. Unless it accepts an
// elicitation or answers a form, an answer without anything in it is left for
// the caller to see as a dismissal, required questions or not.
func judgeFields(in app.Interaction, a *app.Answer, out *app.Outcome) error {
	if err := addressed(in, a); err != nil {
		return err
	}
	answers, typedTexts := map[string][]string{}, map[string]string{}
	var said []string
	for _, f := range in.Questions {
		shown, values, text, err := judgeField(f, a.Answers[f.ID], typed(a.Typed[f.ID]))
		if err != nil {
			return err
		}
		if len(values) == 0 {
			continue
		}
		answers[f.ID] = values
		if text != "" {
			typedTexts[f.ID] = text
		}
		if len(in.Questions) == 1 {
			said = shown
			out.Text = text
			out.Selected = shown[:len(shown)-count(text)]
		} else {
			said = append(said, label(f.Question)+strings.Join(shown, ", "))
		}
	}
	if len(answers) > 0 || out.Action == app.ActionAccept || in.Kind == app.KindForm {
		for _, f := range in.Questions {
			if f.Required && len(answers[f.ID]) == 0 {
				return invalid("answers."+f.ID, "required", "", "This question needs an answer: %s", f.Question)
			}
		}
	}
	out.Answers, out.Typed = answers, typedTexts
	out.Response = lines(said, "", a.Files)
	a.Answers, a.Typed, a.Selected, a.Text = answers, typedTexts, nil, ""
	return nil
}

// label is a question before its answer: a colon stands where it has no mark of its own.
func label(question string) string {
	if r, _ := utf8.DecodeLastRuneInString(question); strings.ContainsRune("?？!！:：.。", r) {
		return question + " "
	}
	return question + ": "
}

func count(text string) int {
	if text == "" {
		return 0
	}
	return 1
}

// addressed makes sure that every part of the answer belongs to a question. A
// single question may also be answered without its id.
func addressed(in app.Interaction, a *app.Answer) error {
	loose := len(a.Selected) > 0 || typed(a.Text) != ""
	switch {
	case loose && len(in.Questions) == 1 && len(a.Answers) == 0 && len(a.Typed) == 0:
		id := in.Questions[0].ID
		a.Answers, a.Typed = map[string][]string{id: a.Selected}, map[string]string{id: a.Text}
	case loose && len(in.Questions) == 0:
		return invalid("text", "nothing", a.Text, "Nothing can be filled in here.")
	case loose:
		return invalid("answers", "an answer for each question, by its id", "", "There are several questions here. Say which one is answered.")
	}
	for _, id := range slices.Sorted(maps.Keys(a.Answers)) {
		if !has(in, id) {
			return invalid("answers."+id, "the id of a question", id, "There is no such question.")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.Typed)) {
		if !has(in, id) {
			return invalid("typed."+id, "the id of a question", id, "There is no such question.")
		}
	}
	return nil
}

func has(in app.Interaction, id string) bool {
	return slices.ContainsFunc(in.Questions, func(f app.Field) bool { return f.ID == id })
}

// judgeField reads one question's answer: what a reader is shown, the values
// for the agent, and what of them was typed.
func judgeField(f app.Field, given []string, text string) (shown, values []string, typedText string, err error) {
	field := "answers." + f.ID
	if f.Type == app.FieldChoice {
		if text != "" && !f.FreeText {
			return nil, nil, "", invalid("typed."+f.ID, "one of the choices", text, "Only the offered choices can be taken here.")
		}
		chosen, err := choose(f.Options, given, f.MultiSelect, field)
		if err != nil {
			return nil, nil, "", err
		}
		for _, o := range chosen {
			shown, values = append(shown, o.Label), append(values, value(o))
		}
		if text != "" {
			shown, values = append(shown, text), append(values, text)
		}
		return shown, values, text, countFits(f, field, len(values))
	}
	if len(given) > 1 || len(given) == 1 && text != "" && typed(given[0]) != text {
		return nil, nil, "", invalid(field, "one value", strings.Join(given, ", "), "Only one value can be given here.")
	}
	if text == "" && len(given) == 1 {
		text = typed(given[0])
	}
	if text == "" {
		return nil, nil, "", nil
	}
	if err := valueFits(f, field, text); err != nil {
		return nil, nil, "", err
	}
	if f.Type == app.FieldText {
		typedText = text
	}
	return []string{text}, []string{text}, typedText, nil
}

// countFits holds a choice with several answers to how many there may be. None
// at all is judged by whether an answer is required.
func countFits(f app.Field, field string, n int) error {
	switch {
	case n == 0 || !f.MultiSelect:
	case f.MinItems != nil && n < *f.MinItems:
		return invalid(field, "at least "+number(*f.MinItems), number(n), "Too few are chosen.")
	case f.MaxItems != nil && n > *f.MaxItems:
		return invalid(field, "at most "+number(*f.MaxItems), number(n), "Too many are chosen.")
	}
	return nil
}

func value(o app.Option) string {
	if o.Value != "" {
		return o.Value
	}
	return o.Label
}

func valueFits(f app.Field, field, text string) error {
	switch f.Type {
	case app.FieldBoolean:
		if text != "true" && text != "false" {
			return invalid(field, "true or false", text, "This is neither yes nor no.")
		}
	case app.FieldInteger, app.FieldNumber:
		return numberFits(f, field, text)
	default:
		return stringFits(f, field, text)
	}
	return nil
}

func numberFits(f app.Field, field, text string) error {
	n, err := strconv.ParseFloat(text, 64)
	if f.Type == app.FieldInteger && err == nil {
		_, err = strconv.ParseInt(text, 10, 64)
	}
	switch {
	case err != nil && f.Type == app.FieldInteger:
		return invalid(field, "a whole number", text, "This is no whole number.")
	case err != nil || n != n || n-n != 0: // neither NaN nor infinite
		return invalid(field, "a number", text, "This is no number.")
	case f.Minimum != nil && n < *f.Minimum:
		return invalid(field, "at least "+float(*f.Minimum), text, "The number is too small.")
	case f.Maximum != nil && n > *f.Maximum:
		return invalid(field, "at most "+float(*f.Maximum), text, "The number is too large.")
	}
	return nil
}

func stringFits(f app.Field, field, text string) error {
	n := utf8.RuneCountInString(text)
	switch {
	case f.MinLength != nil && n < *f.MinLength:
		return invalid(field, "at least "+number(*f.MinLength)+" characters", number(n)+" characters", "The text is too short.")
	case f.MaxLength != nil && n > *f.MaxLength:
		return invalid(field, "at most "+number(*f.MaxLength)+" characters", number(n)+" characters", "The text is too long.")
	case !formatFits(f.Format, text):
		return invalid(field, f.Format, text, "This doesn't look like what is asked for (%s).", f.Format)
	}
	return nil
}

// formatFits checks the formats that an elicitation can ask for; one that is
// not known holds for every text.
func formatFits(format, text string) bool {
	var err error
	switch format {
	case "email":
		var address *mail.Address
		address, err = mail.ParseAddress(text)
		return err == nil && address.Address == text
	case "uri":
		var u *url.URL
		u, err = url.Parse(text)
		return err == nil && u.IsAbs()
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	}
	return err == nil
}

func number(n int) string { return strconv.Itoa(n) }

func float(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }
