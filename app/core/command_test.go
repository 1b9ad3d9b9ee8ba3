package core_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
)

// The person's command hears of a question and of its end, and cannot answer it.
func TestQuestionCommand(t *testing.T) {
	dirs := apptest.Home(t)
	out := filepath.Join(t.TempDir(), "told")
	script := fmt.Sprintf(`read -r line; echo "$line" >> %[1]q
		if [ "$PARLEY_EVENT" = requested ]; then
			%[2]q answer "$PARLEY_INTERACTION" --text sneaky > %[1]q.answer 2>&1; echo "exit $?" >> %[1]q.answer
		fi`, out, apptest.Program(t, "parley"))
	prefs, err := json.Marshal(map[string]any{"question_command": []string{"/bin/sh", "-c", script}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dirs.Settings(), prefs, 0o600); err != nil {
		t.Fatal(err)
	}
	b := backend.Open(t, dirs)
	tape := apptest.Follow(t, b.Client)
	s := create(t, b.Client, api.NewSession{})
	turn := send(t, b.Client, s.ID, "Make me a page")
	in := tape.Asked(turn, app.KindClarify)
	answered := appears(t, out+".answer", "exit ")
	if strings.Contains(answered, "exit 0") {
		t.Fatalf("the command could answer: %s", answered)
	}
	if got, err := b.Client.Interaction(ctx, in.ID); err != nil || !got.Waiting() {
		t.Fatalf("the question is %+v, %v", got.Outcome, err)
	}
	if _, err := b.Client.Answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Text: "Moin"}); err != nil {
		t.Fatal(err)
	}
	tape.Ended(turn)
	told := appears(t, out, `"resolved"`)
	for i, want := range []string{`{"event":"requested","interaction":{"interaction_id":"` + in.ID, `{"event":"resolved","interaction":{"interaction_id":"` + in.ID} {
		if lines := strings.Split(told, "\n"); !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %s", i, lines[i])
		}
	}
	if !strings.Contains(told, `"text":"Moin"`) {
		t.Errorf("the record lacks the answer: %s", told)
	}
}

// appears waits for a text in a file, for a bounded time, and returns the file.
func appears(t *testing.T, path, text string) string {
	t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	limit := time.After(2 * time.Minute)
	for {
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), text) {
			return string(data)
		}
		select {
		case <-look.C:
		case <-limit:
			t.Fatalf("%s lacks %q: %q, %v", path, text, data, err)
		}
	}
}
