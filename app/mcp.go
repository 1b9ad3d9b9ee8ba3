package app

// MCPPlace says where in the override file something stands, both from 1; zero
// is nowhere.
type MCPPlace struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// MCPProblem is something in the override file that is not in force.
type MCPProblem struct {
	MCPPlace
	Path string `json:"path"` // such as "overrides.codex.default.docs"
	Text string `json:"text"` // a sentence
}

// MCPFile is the override file and what of it is in force.
type MCPFile struct {
	Path     string       `json:"path"`
	Exists   bool         `json:"exists"`
	Text     string       `json:"text"`
	Revision string       `json:"revision"` // of Text, "" when there is no file
	InForce  string       `json:"in_force"` // file, last_good, nothing
	GoodAt   int64        `json:"good_at"`  // of what is in force, 0 for nothing
	ReadAt   int64        `json:"read_at"`
	Problems []MCPProblem `json:"problems"` // why Text is not in force
	Remarks  []MCPProblem `json:"remarks"`  // what of it holds for nobody
	Agents   []string     `json:"agents"`   // which there are, for views of each
	CanUndo  bool         `json:"can_undo"` // Text is what a change of ours left
}

// MCPChanged is the data of mcp.changed: the override file is another one than
// before, whoever changed it. What it says is asked for.
type MCPChanged struct {
	Revision string `json:"revision"`
	InForce  string `json:"in_force"` // as in MCPFile
}

// MCPOrigin is where a value comes from: built_in, managed, project, servers,
// overrides, disabled or raised.
type MCPOrigin struct {
	Layer   string `json:"layer"`
	Agent   string `json:"agent"` // as written, of overrides and disable lists
	Profile string `json:"profile"`
	MCPPlace
}

// MCPPast is a value that a nearer one replaces.
type MCPPast struct {
	MCPOrigin
	Value string `json:"value"`
}

// MCPSetting is one field of a server as it is in force. Values are JSON, as one
// writes them into the file; secrets in them are hidden and placeholders are as
// written.
type MCPSetting struct {
	MCPOrigin
	Field string    `json:"field"`
	Value string    `json:"value"`
	Hides []MCPPast `json:"hides"` // the nearest first
}

// MCPServer is one server as it reaches one agent and profile.
type MCPServer struct {
	Name     string       `json:"name"`
	Managed  bool         `json:"managed"`
	Project  bool         `json:"project"` // of a file of the project
	State    string       `json:"state"`   // on, off, elsewhere, incomplete, untrusted, own
	Why      string       `json:"why"`     // a sentence unless it is on
	Settings []MCPSetting `json:"settings"`
}

// MCPEffective is what one agent and profile get.
type MCPEffective struct {
	Agent   string      `json:"agent"`
	Profile string      `json:"profile"`
	Servers []MCPServer `json:"servers"`
	Own     []MCPOwn    `json:"own"` // which it has in its own files
	// OwnOut says that the settings leave those out; OwnStays why that cannot be,
	// a sentence, "" where it can.
	OwnOut   bool     `json:"own_out"`
	OwnStays string   `json:"own_stays"`
	Notices  []string `json:"notices"`
}

// MCPOwn is a server in an agent's own files, which Parley only reads.
type MCPOwn struct {
	Name string `json:"name"`
	File string `json:"file"`
}

// MCPPreview is what an agent is handed, with secrets hidden and placeholders as
// written.
type MCPPreview struct {
	Agent string `json:"agent"`
	How   string `json:"how"` // how it is handed over, a sentence
	Text  string `json:"text"`
}

// MCPEdit is one change of the file, for an agent and a profile ("*" or "" for
// all of them) or, with Server, of the server itself.
type MCPEdit struct {
	Name    string `json:"name"`
	Agent   string `json:"agent"`
	Profile string `json:"profile"`
	Server  bool   `json:"server"`
	// Fields maps names ("timeout", "env.KEY") to JSON; null takes a field away.
	Fields map[string]string `json:"fields"`
	// Enabled switches the server on or off, nil leaves that.
	Enabled *bool `json:"enabled"`
	// Remove takes all of the entry away.
	Remove bool `json:"remove"`
	// Revision that the person saw, or "" for any.
	Revision string `json:"revision"`
}

// MCPTest is what a server said when it was tried.
type MCPTest struct {
	OK         bool      `json:"ok"`
	Problem    string    `json:"problem"` // a sentence when it is not OK
	Server     string    `json:"server"`  // its own name and version
	Tools      []MCPTool `json:"tools"`
	Prompts    []string  `json:"prompts"`
	Resources  []string  `json:"resources"`
	Stderr     string    `json:"stderr"` // its last words, secrets hidden
	DurationMS int64     `json:"duration_ms"`
}

// MCPTool is one tool of a server.
type MCPTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// MCPImportRequest asks what another program's file holds, and with Write takes
// it over.
type MCPImportRequest struct {
	From  string   `json:"from"`  // claude, codex, opencode, gemini, cursor, vscode, ekko
	Path  string   `json:"path"`  // "" is the program's usual file
	Names []string `json:"names"` // only these servers; empty is all
	Write bool     `json:"write"`
}

// MCPImport is what an import would take over, or took over.
type MCPImport struct {
	Path    string            `json:"path"`
	Servers []MCPImportServer `json:"servers"`
	Notes   []string          `json:"notes"`
	Written bool              `json:"written"`
}

// MCPImportServer is one server of another program's file.
type MCPImportServer struct {
	Name   string            `json:"name"`
	Fields map[string]string `json:"fields"` // JSON, with secrets hidden
	Skip   string            `json:"skip"`   // why it is not taken over, "" when it is
}

// MCPProject is a project's own file of servers.
type MCPProject struct {
	Path    string   `json:"path"`
	Sum     string   `json:"sum"` // of its content, "" when there is no file
	Trusted bool     `json:"trusted"`
	Servers []string `json:"servers"` // as command lines or addresses, secrets hidden
	Problem string   `json:"problem"`
}
