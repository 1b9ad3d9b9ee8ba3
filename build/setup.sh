#!/usr/bin/env bash
# Sets up a machine for building, running or testing Parley, and does nothing
# where nothing is missing.
#
#   build/setup.sh run    what `make run` and `make build` need
#   build/setup.sh test   that, plus a browser, a virtual display and their tools
#   build/setup.sh path   prints the folders to put in front of PATH
#
# Installs Debian or Ubuntu packages when they are missing (asks sudo when it is
# not root), and a Go or Node of its own when the ones on PATH are too old; those
# go into one cache folder (PARLEY_TOOLCHAIN, by default under the user's cache)
# and touch nothing else on the machine.
set -euo pipefail
cd "$(dirname "$0")/.."

want=${1:-run}
go_least=1.26.0
go_ours=1.26.8
node_least=20.19.0
tools=${PARLEY_TOOLCHAIN:-${XDG_CACHE_HOME:-$HOME/.cache}/parley/toolchain}
log=$tools/setup.log

say()  { printf 'parley: %s\n' "$*" >&2; }
stop() { printf '\nparley: %s\n' "$1" >&2; shift; for l in "$@"; do printf '        %s\n' "$l" >&2; done; exit 1; }
# at_least A B: version A is B or newer.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }
# long WORDS COMMAND…: says what is being done, and after it how long it took.
long() {
  local words=$1 from=$SECONDS; shift
  say "$words …"
  mkdir -p "$tools"
  "$@" >"$log" 2>&1 </dev/null &
  local job=$! next=15
  while kill -0 "$job" 2>/dev/null; do
    sleep 0.2
    ((SECONDS - from < next)) || { say "  still at it, $((SECONDS - from)) s: $(tail -n 1 "$log" | cut -c 1-70)"; next=$((next + 15)); }
  done
  if ! wait "$job"; then
    tail -n 25 "$log" >&2
    stop "$words: that did not work (the last lines are above)." "The whole output is in $log." "Run the same command again once the cause is gone: what was done stays done."
  fi
  say "$words: done in $((SECONDS - from)) s"
}
retry() { local n; for n in 1 2 3; do "$@" && return 0; sleep $((n * 4)); done; return 1; }

PATH=$tools/go/bin:$tools/node/bin:$PATH
[ "$want" = path ] && { printf '%s:%s\n' "$tools/go/bin" "$tools/node/bin"; exit 0; }

go_version()   { command -v go   >/dev/null && (cd / && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//') || true; }
node_version() { command -v node >/dev/null && node --version 2>/dev/null | sed 's/^v//' || true; }

run_packages=(build-essential pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev ca-certificates git)
test_packages=(xvfb xauth dbus dbus-x11 gnome-keyring at-spi2-core python3 python3-pyatspi gir1.2-atspi-2.0 xdotool imagemagick
  x11-utils openbox dunst libnotify-bin chromium fonts-liberation fonts-noto-cjk fonts-inter fonts-dejavu-core procps)
have_package() { dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }

install_packages() {
  local p missing=()
  for p in "$@"; do have_package "$p" || missing+=("$p"); done
  [ ${#missing[@]} -eq 0 ] && return 0
  local root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || stop "these packages are missing, and installing them needs root: ${missing[*]}" \
      "Ask somebody with root to run:" "  apt-get install --no-install-recommends ${missing[*]}" "then run the same make command again."
    root=(sudo)
    say "installing packages needs root; sudo may ask for your password"
    sudo -v </dev/tty || stop "sudo was refused, so these packages are still missing: ${missing[*]}" \
      "  sudo apt-get install --no-install-recommends ${missing[*]}"
  fi
  [ -n "${lists_fresh:-}" ] || long "updating the package lists" retry "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -qq update
  lists_fresh=1
  long "installing ${#missing[@]} packages (${missing[*]})" retry "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 -qq -y --no-install-recommends install "${missing[@]}"
}

system_check() {
  case "$(uname -s)" in
    Linux) ;;
    Darwin) stop "macOS is not set up by this script." "Install Xcode's command line tools, Go $go_least or newer and Node $node_least or newer," "then: make build" ;;
    *) stop "this system ($(uname -s)) is not set up by this script." "Parley's headless programs need Go $go_least or newer: go build ./app/parley ./mcp/parley-mcp ./agents/parley-run" ;;
  esac
  if ! command -v apt-get >/dev/null; then
    command -v pkg-config >/dev/null && pkg-config --exists webkit2gtk-4.1 gtk+-3.0 && [ -n "$(go_version)" ] && [ -n "$(node_version)" ] && return 1
    stop "this Linux has no apt-get, so its packages can't be installed from here." \
      "Install with your own package manager: a C compiler, pkg-config, GTK 3 and WebKitGTK 4.1 with headers," \
      "Go $go_least or newer, Node $node_least or newer; then run the same make command again."
  fi
  return 0
}

# A Go of our own comes through the module proxy, as the go command itself would
# fetch it; any Go, however old, can do the download.
need_go() {
  at_least "$(go_version)" "$go_least" 2>/dev/null && [ -n "$(go_version)" ] && return 0
  say "Go ${go_least} or newer is needed, found: $(go_version | grep . || echo none)"
  command -v go >/dev/null || install_packages golang-go
  local arch; case "$(uname -m)" in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; *) stop "no Go toolchain is known for $(uname -m); install Go $go_least by hand." ;; esac
  fetch_go() {
    local tmp=$tools/tmp.$$ zip
    rm -rf "$tmp" && mkdir -p "$tmp/mod"
    (cd "$tmp" && printf 'module fetch\n' >go.mod && GOFLAGS=-mod=mod GOTOOLCHAIN=local GOMODCACHE=$tmp/mod GONOSUMDB= go mod download "golang.org/toolchain@v0.0.1-go$go_ours.linux-$arch")
    zip=$tmp/mod/golang.org/toolchain@v0.0.1-go$go_ours.linux-$arch
    [ -x "$zip/bin/go" ] || chmod -R u+rwX,+x "$zip/bin" "$zip/pkg/tool" 
    chmod -R u+rwX "$zip" && chmod +x "$zip"/bin/* "$zip"/pkg/tool/*/*
    rm -rf "$tools/go" && mv "$zip" "$tools/go"
    chmod -R u+w "$tmp" && rm -rf "$tmp"
  }
  long "fetching Go $go_ours" fetch_go
  hash -r
}

need_node() {
  at_least "$(node_version)" "$node_least" 2>/dev/null && [ -n "$(node_version)" ] && command -v npm >/dev/null && return 0
  say "Node $node_least or newer is needed, found: $(node_version | grep . || echo none)"
  command -v npm >/dev/null || install_packages nodejs npm
  local arch; case "$(uname -m)" in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) stop "no Node is known for $(uname -m); install Node $node_least by hand." ;; esac
  fetch_node() {
    local tmp=$tools/tmp.$$
    rm -rf "$tmp" "$tools/node" && mkdir -p "$tmp" "$tools/node"
    npm install --prefix "$tmp" --no-audit --no-fund --loglevel=error "node-linux-$arch@24" "npm@11"
    cp -a "$tmp/node_modules/node-linux-$arch/." "$tools/node/"
    mkdir -p "$tools/node/lib/node_modules" && cp -a "$tmp/node_modules/npm" "$tools/node/lib/node_modules/"
    ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$tools/node/bin/npm"
    ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$tools/node/bin/npx"
    chmod +x "$tools"/node/bin/* "$tools"/node/lib/node_modules/npm/bin/*.js
    rm -rf "$tmp"
  }
  long "fetching Node 24" fetch_node
  hash -r
}

# The page's packages, again only when the lock file changed.
need_page_packages() {
  local stamp=frontend/node_modules/.parley-lock
  [ -f "$stamp" ] && cmp -s frontend/package-lock.json "$stamp" && return 0
  long "installing the page's packages" retry npm --prefix frontend ci --no-audit --no-fund --loglevel=error
  cp frontend/package-lock.json "$stamp"
}

if system_check; then
  case "$want" in
    run)  install_packages "${run_packages[@]}" ;;
    test) install_packages "${run_packages[@]}" "${test_packages[@]}" ;;
    *)    stop "build/setup.sh run|test|path" ;;
  esac
fi
need_go
need_node
need_page_packages
