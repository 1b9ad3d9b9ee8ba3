//go:build deps

package main

import (
	_ "github.com/adrg/xdg"
	_ "github.com/coder/acp-go-sdk"
	_ "github.com/esiqveland/notify"
	_ "github.com/fsnotify/fsnotify"
	_ "github.com/godbus/dbus/v5"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/renameio/v2"
	_ "github.com/google/uuid"
	_ "github.com/mark3labs/mcp-go/client"
	_ "github.com/mark3labs/mcp-go/server"
	_ "github.com/mattn/go-isatty"
	_ "github.com/mattn/go-sqlite3"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "github.com/pressly/goose/v3"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/tailscale/hujson"
	_ "github.com/thejerf/suture/v4"
	_ "github.com/wailsapp/wails/v2"
	_ "github.com/wailsapp/wails/v2/pkg/options"
	_ "go.uber.org/goleak"
	_ "golang.org/x/mod/semver"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "pgregory.net/rapid"
)
