package doctor_test

import (
	"os"
	"strings"
	"testing"

	"parley/app/doctor"
)

// The page has a sentence in Chinese for all that the doctor says.
func TestFindingsAreTranslated(t *testing.T) {
	text, err := os.ReadFile("../../frontend/src/lib/i18n/told.zh-CN.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, told, ok := strings.Cut(string(text), "export const findings")
	if !ok {
		t.Fatal("the page has no findings")
	}
	codes := doctor.Codes()
	if len(codes) < 10 {
		t.Fatalf("only %d findings", len(codes))
	}
	for _, code := range codes {
		if !strings.Contains(told, "\n  "+code+": {") {
			t.Errorf("no Chinese for %s", code)
		}
	}
}
