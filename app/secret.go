package app

// SecretPlace is where a secret rests.
type SecretPlace string

// Places of a secret.
const (
	SecretInKeyring SecretPlace = "keyring" // the system's own
	SecretInFile    SecretPlace = "file"    // in the data folder, for the person alone
)

// SecretRef names a secret: a variable of the environment of one agent, in one
// profile.
type SecretRef struct {
	Agent   string `json:"agent"` // family
	Profile string `json:"profile"`
	Name    string `json:"name"` // of the variable
}

// Secret is what may be told of one. Its value is told to the agent alone.
type Secret struct {
	SecretRef
	Place     SecretPlace `json:"place"`
	ChangedAt int64       `json:"changed_at"`
}
