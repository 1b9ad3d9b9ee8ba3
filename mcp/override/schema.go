package override

import _ "embed"

// SchemaName is the file with the JSON Schema, beside the override file: it is
// what "$schema" of a new file names, so that editors help and complain.
const SchemaName = "mcp-overrides.schema.json"

// Schema is the JSON Schema of the file.
//
//go:embed schema.json
var Schema []byte
