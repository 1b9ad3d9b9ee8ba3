package claude

import (
	"encoding/json"
	"slices"

	"parley/agents"
)

// todos takes the list of TodoWrite, the whole each time. It reports whether
// there was one.
func (d *decoder) todos(input json.RawMessage) bool {
	var in struct {
		Todos []struct {
			Content string `json:"content"`
			Status  string `json:"status"`
		} `json:"todos"`
	}
	if json.Unmarshal(input, &in) != nil || len(in.Todos) == 0 {
		return false
	}
	d.steps = nil
	for _, t := range in.Todos {
		d.steps = append(d.steps, agents.PlanStep{Step: agents.Redact(t.Content), Status: t.Status})
	}
	return true
}

// taskItem is one line of the CLI's newer list of tasks, which is kept by calls
// for single tasks.
type taskItem struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	Status  string `json:"status"`
}

// taskList takes the result of a call that kept the list. It reports whether
// the list changed.
func (d *decoder) taskList(tool string, result json.RawMessage) bool {
	var r struct {
		Task         taskItem   `json:"task"`   // TaskCreate
		Tasks        []taskItem `json:"tasks"`  // TaskList
		ID           string     `json:"taskId"` // TaskUpdate
		StatusChange struct {
			To string `json:"to"`
		} `json:"statusChange"`
	}
	switch tool {
	case "TaskCreate", "TaskList", "TaskUpdate":
		if json.Unmarshal(result, &r) != nil {
			return false
		}
	default:
		return false
	}
	before := slices.Clone(d.steps)
	switch tool {
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
