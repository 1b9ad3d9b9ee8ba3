package live

import (
	"testing"

	"parley/agents/fakemodel"
)

// Serve starts a model for the test.
func Serve(t *testing.T, steps ...fakemodel.Step) *fakemodel.Server {
	t.Helper()
	model, err := fakemodel.Start(steps)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	return model
}

// Says is a step that answers a prompt with these words in it.
func Says(words string, reply fakemodel.Reply) fakemodel.Step {
	return fakemodel.Step{When: fakemodel.UserSays(words), Reply: reply}
}

// Then is a step that follows the result of a call.
func Then(call string, reply fakemodel.Reply) fakemodel.Step {
	return fakemodel.Step{When: fakemodel.HasResult(call), Reply: reply}
}

// Call is a reply that calls a tool.
func Call(id, tool string, input map[string]any) fakemodel.Reply {
	return fakemodel.Blocks(fakemodel.ToolUseOf(id, tool, input))
}
