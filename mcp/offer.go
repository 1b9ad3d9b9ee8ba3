package mcp

import "strings"

// Offer is what the interaction server offers in one session, with its tools
// spelled as the agent's CLI shows them to the model. It owns the words that a
// model is told about them, so that instructions, system prompt and context
// block cannot drift apart.
type Offer struct {
	Prefix string // before a tool's name, such as "mcp__parley-interaction__"; "" for bare names
	Ask    bool   // the asking tools
	Plan   bool   // the plan tool
}

// OfferFromEnv reads the flags that Interaction writes. Asking is offered on
// an explicit "1" alone; a CLI with plan and question tools of its own gets
// none of ours.
func OfferFromEnv(getenv func(string) string) Offer {
	if getenv(EnvNativeTaskPlan) == "1" {
		return Offer{}
	}
	return Offer{Ask: getenv(EnvUserClarification) == "1", Plan: true}
}

// Tools lists the offered tools by their bare names.
func (o Offer) Tools() []string {
	var names []string
	if o.Plan {
		names = append(names, ToolUpdatePlan)
	}
	if o.Ask {
		names = append(names, ToolClarify, ToolForm)
	}
	return names
}

// Instructions is the text of the server for a model, "" when nothing is
// offered. Its first paragraph stays under 250 characters and stands alone,
// since some CLIs cut there; the whole stays under 2,000. Where a CLI drops the
// instructions of servers, the same text goes into the system prompt.
func (o Offer) Instructions() string {
	if !o.Ask && !o.Plan {
		return ""
	}
	if !o.Ask {
		return o.spell(planFirst)
	}
	text := askFirst + "\n\n" + askRules
	if o.Plan {
		text += planRule
	}
	return o.spell(text)
}

// ContextBlock is what goes to the end of a turn's input: the context id of
// this turn and the rules once more, under 1,200 characters. It is "" when
// nothing is offered. The id is a capability: the block belongs to no stored
// or shown text.
func (o Offer) ContextBlock(contextID string) string {
	if !o.Ask && !o.Plan {
		return ""
	}
	var b strings.Builder
	b.WriteString("<" + ContextTag + ">\n")
	b.WriteString(`context_id="` + contextID + "\"\n")
	b.WriteString(blockFirst)
	if o.Ask {
		b.WriteString(blockAsk)
	}
	if o.Plan {
		b.WriteString(blockPlan)
	}
	b.WriteString("</" + ContextTag + ">")
	return o.spell(b.String())
}

// ContextTag is the element that holds a turn's context id.
const ContextTag = "parley_interaction_context"

func (o Offer) spell(text string) string {
	return strings.NewReplacer(
		"{clarify}", "`"+o.Prefix+ToolClarify+"`",
		"{form}", "`"+o.Prefix+ToolForm+"`",
		"{plan}", "`"+o.Prefix+ToolUpdatePlan+"`",
	).Replace(text)
}

const (
	askFirst = "When a missing decision would materially change the work, ask the person with {clarify} and wait. " +
		"Don't guess, and don't write the question or its options as plain text. No answer is no approval."

	askRules = `Rules:
- Ask one concise question for one decision in mid-work. Give choices when there are clear ones; the person can always type instead. A follow-up question is another call.
- Ask about preferences, ambiguity, decisions in mid-work, directions to take, and wherever you would list options: never write options as plain text, nor a list of one. Use these tools in place of terminal input and of native question tools.
- For several questions, or when the person may take long, show a form with {form}: it ends this run, and the answer comes as your next input. One form each run; call nothing beside it.
- If tools are deferred or hidden, search for "interaction clarify" and use the name you find.
- Pass the context_id of the newest <` + ContextTag + `> block, never one from an earlier message. Without such a block nobody can be asked.
- Look at reason before going on. Only "response" carries an answer. "timeout", "dismissed" and "cancelled" are no approval and choose nothing: leave undone what depended on the answer, and say so.
- Never call them from delegated sub-agents or background tasks.
`

	planRule = `- On work of several steps keep a plan with {plan}, with the same context_id: the whole plan each time, at most one step in progress.
`

	planFirst = "On work of several steps keep a plan that the person can follow with {plan}: the whole plan each time, " +
		"at most one step in progress, with the context_id of the newest <" + ContextTag + "> block.\n"

	blockFirst = "Added by Parley, not written by the person. The id is valid for this turn only: never use one from an earlier message.\n"

	blockAsk = `- When a missing decision would materially change the work, call {clarify} and wait: one concise question, with choices when there are clear ones. A follow-up question is another call.
- For several questions, or when the person may take long, call {form} (no context_id): it ends this run, and the answer comes as your next input.
- Use these in place of terminal input or native question tools; never write options as plain text.
- If tools are deferred, search for "interaction clarify" and use the name you find.
- Look at reason before going on: only "response" is an answer; "timeout", "dismissed" and "cancelled" are no approval.
- Never call them from delegated sub-agents or background tasks.
`

	blockPlan = `- On work of several steps keep a plan with {plan}: the whole plan each time.
`
)
