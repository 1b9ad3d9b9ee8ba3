package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"runtime"
)

// CredentialVersion is the version of the credential file that this program
// reads.
const CredentialVersion = 1

// LoadCredential reads the file that PARLEY_RUN_CREDENTIAL names. Its errors
// are *Error with a sentence for the model and the person behind it. A file
// that others may read is refused: the token in it may be known to them.
func LoadCredential(path string) (Credential, error) {
	if path == "" {
		return Credential{}, unusable("parley-mcp was started without a credential, so no question can reach a person. "+
			"Only Parley can start it with one.", nil)
	}
	data, err := readPrivate(path)
	if err != nil {
		return Credential{}, err
	}
	var c Credential
	if err := json.Unmarshal(data, &c); err != nil {
		return Credential{}, unusable("The credential file of this agent is damaged. Restart this agent in Parley.", err)
	}
	if c.Version != CredentialVersion {
		return Credential{}, &Error{
			Status: http.StatusConflict, Code: CodeVersionMismatch,
			Message: fmt.Sprintf("The credential file of this agent has version %d, this parley-mcp reads version %d. Restart this agent in Parley.",
				c.Version, CredentialVersion),
		}
	}
	if c.Socket == "" || c.Token == "" {
		return Credential{}, unusable("The credential file of this agent lacks its socket or token. Restart this agent in Parley.", nil)
	}
	return c, nil
}

func readPrivate(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unusable("The credential file of this agent is gone: Parley has ended this agent. Start it again in Parley.", err)
	} else if err != nil {
		return nil, unusable("The credential file of this agent can't be read. Restart this agent in Parley.", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, unusable("The credential of this agent is no file. Restart this agent in Parley.", err)
	}
	// Windows has no such bits; there the folder's access list guards the file.
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, &Error{
			Status: http.StatusUnauthorized, Code: CodeUnauthenticated,
			Message: fmt.Sprintf("The credential file of this agent is open to other users (mode %04o, it must be 0600), so it isn't used. Restart this agent in Parley.",
				info.Mode().Perm()),
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return nil, unusable("The credential file of this agent can't be read. Restart this agent in Parley.", err)
	}
	return data, nil
}

func unusable(message string, cause error) *Error {
	return &Error{Status: http.StatusServiceUnavailable, Code: CodeUnavailable, Message: message, Err: cause}
}
