package api

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/app"
)

// Limits of a folder list.
const (
	maxFolders = 1000
	maxRecent  = 10
)

// folders lists a folder's sub-folders for the choice of a workspace. Hidden
// ones are left out; their path can still be typed.
func (h *handler) folders(r *http.Request, _ Empty) (FolderList, error) {
	path, err := h.folderPath(r.URL.Query().Get("path"))
	if err != nil {
		return FolderList{}, err
	}
	list := FolderList{Path: path, Branch: h.Branch(path)}
	if parent := filepath.Dir(path); parent != path {
		list.Parent = parent
	}
	if list.Folders, list.More, err = subFolders(path); err != nil {
		return FolderList{}, &app.Error{Code: app.CodeFolderUnusable, Message: "The folder " + path + " can't be read.",
			Field: "path", Got: path, Err: err}
	}
	sessions, err := h.Records.Sessions(r.Context())
	if err != nil {
		return FolderList{}, err
	}
	list.Recent = recentFolders(sessions)
	return list, nil
}

// folderPath cleans what was typed: "" is the home folder, "~/x" lies in it.
func (h *handler) folderPath(typed string) (string, error) {
	if typed == "" || typed == "~" {
		return h.About.Home, nil
	}
	if rest, ok := strings.CutPrefix(typed, "~/"); ok {
		return filepath.Join(h.About.Home, rest), nil
	}
	if !filepath.IsAbs(typed) {
		return "", &app.Error{Code: app.CodeInvalidArgument, Message: "The path of a folder starts at the root or with ~/.",
			Field: "path", Limit: "an absolute path", Got: typed}
	}
	return filepath.Clean(typed), nil
}

func subFolders(path string) (list []Folder, more bool, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, false, err
	}
	for _, e := range entries {
		full := filepath.Join(path, e.Name())
		if strings.HasPrefix(e.Name(), ".") || !isFolder(full) {
			continue
		}
		if len(list) == maxFolders {
			more = true
			break
		}
		list = append(list, folderAt(full))
	}
	slices.SortStableFunc(list, func(a, b Folder) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return list, more, nil
}

// recentFolders are the folders of the newest sessions that still exist.
func recentFolders(sessions []app.Session) []Folder {
	var list []Folder
	known := map[string]bool{}
	for _, s := range sessions {
		if len(list) == maxRecent {
			break
		}
		if s.Cwd == "" || known[s.Cwd] || s.Agent == "demo" || !isFolder(s.Cwd) {
			continue
		}
		known[s.Cwd] = true
		list = append(list, folderAt(s.Cwd))
	}
	return list
}

func folderAt(path string) Folder {
	_, err := os.Lstat(filepath.Join(path, ".git"))
	return Folder{Name: filepath.Base(path), Path: path, Git: err == nil}
}

func isFolder(path string) bool {
	info, err := os.Stat(path) // follows a link to a folder
	return err == nil && info.IsDir()
}
