# make run    sets up what is missing, builds, opens the window (or, without a
#             display, serves the page on the loopback and prints the link)
# make build  the four programs, in bin/
# make test   the usual tests, with their own set-up; CI calls this
# make fuzz   every fuzz target for FUZZTIME (60s); what it finds is kept as a test
# make sabotage  breaks copies of the program on purpose: each named test must notice
# make pictures  every state of the page in all sizes, themes and languages:
#             checked, and kept in bin/pictures with a sheet for each state and size
# make long   the tests that take minutes: a question that waits 310 s on the real
#             CLI, what needs many starts of one, twenty sessions that ask at once
# make torture  kill -9 of the back end at 1,000 random moments, minutes of SIGSTOP,
#             10,000 questions: about half an hour (POINTS=100 for a look)
# make agents-matrix  every family on its real CLI, long waits included, its table
#             written into docs/agents.md (about half an hour)
# make bench  the measurements that docs/figures.md quotes
# make generate  SQL code and the page's types, from their sources

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
export PATH := $(shell build/setup.sh path):$(PATH)
export PARLEY_BIN_DIR := $(CURDIR)/bin

link    := -ldflags "-s -w -X parley/app.Version=$(VERSION)"
# Keeps the output of two targets apart, where this make can.
apart   := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
window  := -tags desktop,production,webkit2_41
page    := frontend/dist/index.html
page_of := $(shell find frontend/src frontend/public -type f 2>/dev/null) $(wildcard frontend/*.html frontend/*.json frontend/*.ts)

.PHONY: run build programs window test pictures long torture fuzz sabotage agents-matrix bench generate clean setup setup-test \
        test-go test-page test-browser test-window

run: setup
	@$(MAKE) --no-print-directory build
	@if [ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ]; then exec bin/parley-desktop; \
	else echo "parley: no display here, so the page is served for a browser" >&2; exec bin/parley serve; fi

build: programs window

setup:
	@build/setup.sh run
setup-test:
	@build/setup.sh test

frontend/node_modules/.package-lock.json: frontend/package-lock.json
	@build/setup.sh run
	@touch $@

$(page): $(page_of) | frontend/node_modules/.package-lock.json
	npm --prefix frontend run --silent build
	@touch frontend/dist/.gitkeep $@

programs: $(page)
	go build $(link) -o bin/ ./app/parley
	CGO_ENABLED=0 go build $(link) -o bin/ ./mcp/parley-mcp ./agents/parley-run

window: $(page)
	go build $(window) $(link) -o bin/parley-desktop .

test: setup-test
	@$(MAKE) --no-print-directory build
	@$(MAKE) --no-print-directory -j 2 $(apart) test-go test-page
	@$(MAKE) --no-print-directory -j 2 $(apart) test-browser test-window

# Most tests wait for a program rather than compute, so more packages run at once
# than there are processors; the longest begins first.
test-go: programs
	@unformatted=$$(gofmt -l app agents mcp frontend/*.go *.go); [ -z "$$unformatted" ] || { echo "not formatted: $$unformatted"; exit 1; }
	go vet ./...
	go test -race -timeout 60m -run '^TestInstall' ./build/clis
	PARLEY_TEST_PROGRAMS=$(CURDIR)/bin go test -race -timeout 25m -p $$((2 * $$(getconf _NPROCESSORS_ONLN))) ./app/parley ./...

test-page:
	npm --prefix frontend run --silent check
	npm --prefix frontend run --silent test

test-browser:
	npm --prefix frontend run --silent e2e

test-window:
	go vet $(window) . ./app/desktop
	go test $(window) -timeout 15m -count=1 ./app/desktop

pictures: setup-test $(page)
	PARLEY_PICTURES=$(CURDIR)/bin/pictures npm --prefix frontend run --silent e2e -- pictures

# Tests that wait as a person would: minutes, on the real CLI.
long: setup-test
	@$(MAKE) --no-print-directory programs
	PARLEY_LONG=1 go test -count=1 -timeout 30m -v -run '^TestLong' ./app/parley
	PARLEY_LONG=1 go test -count=1 -timeout 30m -p 1 ./agents/... ./app/doctor ./app/core
	PARLEY_LONG=1 npm --prefix frontend run --silent e2e -- busy

# Each kill is decided by the seed and its number; PARLEY_TORTURE_SEED repeats a run.
POINTS ?= 1000
torture: setup-test
	PARLEY_TORTURE=1 PARLEY_TORTURE_POINTS=$(POINTS) go test -count=1 -timeout 180m -v ./app/torture

# Each target by itself, since go test fuzzes one at a time. An input that breaks
# one is written to testdata/fuzz beside it and is a test from then on.
# Without a limit every new input is made smaller for up to a minute, of which the
# count of executions shows nothing.
FUZZTIME ?= 60s
fuzz:
	@grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9]+' agents app mcp | sort | sed 's/:func / /' | while read -r file name; do \
		go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "./$$(dirname "$$file")" </dev/null \
			|| { echo "failed: $$name in $$file" >&2; exit 1; }; \
	done

# ONLY="name…" chooses patches by a part of their names.
sabotage: setup-test
	go run ./build/sabotage $(ONLY)

# Two cells wait for minutes and nothing else, so the others need not wait for them.
agents-matrix: setup-test
	@$(MAKE) --no-print-directory programs
	PARLEY_LONG=1 PARLEY_MATRIX=$(CURDIR)/docs/agents.md go test -count=1 -parallel 4 -timeout 90m -v -run '^TestMatrix$$' ./app/parley

generate:
	cd app/store && go generate .
	cd app/api && go generate .

# Nothing here passes or fails by the clock. The tables come last, on standard
# output; all else goes to standard error. A quick look: make bench RUNS=20 FEW=3 PAIRS=1
RUNS ?= 1000
FEW  ?= 20
PAIRS ?= 5
bench: setup-test
	@$(MAKE) --no-print-directory build >&2
	@exec 3>&1 1>&2; export PARLEY_FIGURES=$$(mktemp); trap 'cat "$$PARLEY_FIGURES" >&3; rm -f "$$PARLEY_FIGURES"' EXIT; \
	go test -run - -bench Start -benchtime $(FEW)x ./mcp/parley-mcp; \
	go test -run - -bench LongRecord -benchmem ./app/store; \
	go test -run - -bench TwoHundred -benchtime $(FEW)x ./app/servers; \
	go test -run - -bench '^BenchmarkCallToCard' -benchtime $(RUNS)x -timeout 30m ./app/core; \
	go test -run - -bench Unannounced -benchtime $(FEW)x -timeout 30m ./app/core; \
	go test -run - -bench '^BenchmarkLaunch$$' -benchtime $(PAIRS)x -timeout 60m ./app/core; \
	go test $(window) -run - -bench '^Benchmark(AskingIn)?Window$$' -benchtime $(FEW)x -timeout 30m ./app/desktop; \
	node frontend/dev/streaming.mjs

clean:
	rm -rf bin frontend/dist/assets frontend/dist/*.html
