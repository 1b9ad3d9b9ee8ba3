package claude

import (
	"encoding/json"
	"slices"

	"parley/agents"
)

// todos is the list of TodoWrite, the whole each time.
func todos(input json.RawMessage) []agents.PlanStep {
	var in struct {
		Todos []struct {
			Content string `json:"content"`
			Status  string `json:"status"`
		} `json:"todos"`
	}
	_ = json.Unmarshal(input, &in) // what has another shape is no step
	var steps []agents.PlanStep
	for _, t := range in.Todos {
		steps = append(steps, agents.PlanStep{Step: agents.Redact(t.Content), Status: t.Status})
	}
	return steps
}

// taskItem is one line of the CLI's newer list of tasks, which is kept by calls
// for single tasks.
type taskItem struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	Status  string `json:"status"`
}

// taskList takes a finished call that kept the list of tasks. It reports
// whether the list changed.
func (d *decoder) taskList(t *tool, result json.RawMessage) bool {
	var r struct {
		Task         taskItem   `json:"task"`   // TaskCreate
		Tasks        []taskItem `json:"tasks"`  // TaskList
		ID           string     `json:"taskId"` // TaskUpdate
		StatusChange struct {
			To string `json:"to"`
		} `json:"statusChange"`
	}
	switch t.name {
	case "TodoWrite":
	case "TaskCreate", "TaskList", "TaskUpdate":
		if json.Unmarshal(result, &r) != nil {
			return false
		}
	default:
		return false
	}
	before := slices.Clone(d.steps)
	switch t.name {
	case "TodoWrite":
		d.steps = todos(t.raw)
	case "TaskCreate":
		if r.Task.ID != "" {
			d.steps = append(d.steps, r.Task.step())
		}
	case "TaskList":
		d.steps = nil
		for _, t := range r.Tasks {
			d.steps = append(d.steps, t.step())
		}
	case "TaskUpdate":
		i := slices.IndexFunc(d.steps, func(s agents.PlanStep) bool { return s.ID == r.ID })
		switch {
		case i < 0 || r.StatusChange.To == "":
		case r.StatusChange.To == "deleted":
			d.steps = slices.Delete(d.steps, i, i+1)
		default:
			d.steps[i].Status = r.StatusChange.To
		}
	}
	return !slices.Equal(before, d.steps)
}

func (t taskItem) step() agents.PlanStep {
	if t.Status == "" {
		t.Status = "pending"
	}
	return agents.PlanStep{ID: t.ID, Step: agents.Redact(t.Subject), Status: t.Status}
}
