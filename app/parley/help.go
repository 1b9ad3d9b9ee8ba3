package main

import (
	"context"
	"fmt"

	"parley/app"
)

const overview = `Parley runs coding agents and brings their questions to you.

  parley serve [--listen ADDRESS] [--allow-host NAME]…   the page for a browser
  parley serve link                                      one more link to it
  parley run --agent NAME [OPTIONS] PROMPT               one session in the terminal
  parley questions [--watch] [--moved-on] [--json]       what waits for you
  parley questions --history | --export md|json          what was asked, and what became of it
  parley answer ID [OPTIONS]                             answer any of them
  parley sessions list|show|resume|stop|close|fork|…     what was said and done
  parley agents [--refresh] [--json]                     what is installed
  parley doctor [NAME…] [--json]                         tries what they really do
  parley agent demo                                      the scripted agent, over ACP
  parley mcp show|effective|set|test|import|…            MCP servers that agents get
  parley profiles [list|show|set|rename|remove]          what agents start with, by name
  parley secrets [list|set|remove]                       keys that agents need
  parley version | help [COMMAND]

The window is parley-desktop. All of them share one back end and one record.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 agent not installed or not logged
in, 4 interrupted, 5 a form waits; of answer also 6 answered before, 7 unknown.
`

var helps = map[string]string{
	"serve": `parley serve [--listen 127.0.0.1:0] [--allow-host NAME]…
parley serve link

Serves the page to browsers until Ctrl-C, and prints a link that lets one
browser in, once, within five minutes. "serve link" prints one more.

  --listen ADDRESS   host and port; the default is a free port of this computer.
                     An address that others can reach needs --allow-host too.
  --allow-host NAME  a further name by which browsers may call it, such as
                     box.lan:8080; may be given several times

From another computer, leave it as it is and use a tunnel:
  ssh -L PORT:127.0.0.1:PORT THIS-COMPUTER
`,
	"run": `parley run --agent NAME [OPTIONS] PROMPT

Runs one turn of a new session. What the agent writes goes to standard output,
everything else to standard error. Questions are asked here when somebody sits
at the terminal; otherwise they wait for parley answer, the window or a browser.
PROMPT "-" is read from standard input.

  --agent NAME    claude, demo, … (see parley agents); default is that of the settings
  --cwd FOLDER    where the agent works; default is the current folder, and for
                  the demo agent a new one of its own
  --model NAME    default is the agent's own
  --effort WORD   how hard the model thinks, in the agent's own words, such as low or high
  --mode MODE     plan, ask, edits or full; default is ask
  --profile NAME  a set of credentials and MCP overrides
  --title TEXT    default is made from the prompt
  --json          one event a line on standard output, and no questions here
  --fast          shortens the demo agent's pace

Ctrl-C stops the turn, a second one leaves.
`,
	"questions": `parley questions [--watch] [--moved-on] [--json]
parley questions --history [CHOICE] [--limit N] [--json]
parley questions --export md|json [CHOICE]

Lists what agents are waiting for, by the time left. --history lists what was
ever asked, newest first; --export writes it as a decision log, all of it.

  --watch     goes on as questions come and go
  --moved-on  lists those that the agent went on without; they still take an answer
  --json      one question a line

CHOICE, each for a part of the past:
  --search TEXT   words that occur in question, options, answer, reason or title
  --session ID, --agent NAME, --kind KIND
  --end END       response, dismissed, timeout, cancelled, waiting or late
  --since DAY, --until DAY   such as 2026-11-30 or "2026-11-30 14:00"
`,
	"answer": `parley answer ID [OPTIONS]

Answers a question, whatever its kind. ID may be the beginning or the end of an
id, of at least four characters, when only one question fits.

  --choose LABEL     an option; may be given several times where several may be chosen
  --text TEXT        an answer of your own, alone or beside options
  --set FIELD=VALUE  one field of a form; may be given several times
  --allow WHAT       once, session or always; for a permission
  --deny             for a permission; --reason TEXT tells the agent why
  --decline          for an MCP server's request
  --dismiss          closes the question without an answer; with a form, --text is
                     the message that goes out instead
`,
	"sessions": `parley sessions list [--json]
parley sessions show ID [--json]
parley sessions resume ID [--json] [PROMPT]
parley sessions stop ID
parley sessions close ID
parley sessions fork ID [--json]
parley sessions export ID [--json] [--outputs FOLDER]

resume without a prompt goes on with what waits: a form is asked here, or an
answer that was given goes out.
stop ends what the agent does now; it can be told to go on. close ends the agent
itself and keeps the record; resume starts it again.
fork begins a session with a copy of the conversation and prints its id; both go
on by themselves. It needs an agent that can, and no turn under way.
export writes the whole conversation as Markdown, with --json one event a line.
Of a long output it has the beginning and the end; with --outputs every long
output is written whole into that folder, a file each.
ID may be the beginning or the end of an id.
`,
	"agents": `parley agents [--refresh] [--json]

Lists the agents that Parley knows and what was found of them.
`,
	"doctor": `parley doctor [NAME…] [--json]

Tries agents, all that were found or those that are named: starts the real
program in a folder and a home of its own, with a scripted model on this computer
in place of the provider. No account is used and nothing is sent out. It takes
about half a minute; two agents are tried side by side. The findings are kept.

  starts      until its first word
  tools       how many of Parley's tools its model sees
  permission  from a command that must be asked for to its card
  question    from a question to its card; the answer reached the model
  stop        until it was stopped in mid-question and took the next message
  resume      until another process had taken the conversation up
  waits       how long a question may really wait; tried with a short limit
  left        processes and files that it left behind

Exit code 1 when a check failed. Ctrl-C ends what was started.

  --json    one object on one line
`,
	"mcp": `parley mcp [show]                          the servers, and who gets them
parley mcp effective --agent NAME          every value, and where it comes from
parley mcp preview --agent NAME            what that agent is handed, secrets hidden
parley mcp set NAME FIELD=VALUE…           a server of yours, or with --agent or
                                           --profile a change for those alone
parley mcp remove NAME                     takes the server, or that change, away
parley mcp enable|disable NAME             for all, or for --agent and --profile
parley mcp own [on|off --agent NAME]       the servers of agents' own files; off
                                           starts that agent without them
parley mcp undo                            takes the newest of these changes back
parley mcp validate [FILE]                 with line and column; exit code 1 if broken
parley mcp test NAME                       starts it, lists what it offers, ends it
parley mcp import FROM [--write]           from claude, codex, opencode, gemini,
                                           cursor, vscode or ekko; shows first
parley mcp trust [--yes]                   the servers of a project's .mcp.json

All of them edit or read one file, mcp-overrides.jsonc, which you may edit as
well; comments and order stay. Agents that run keep what they have.

  --agent NAME      claude, codex, demo, …
  --profile NAME    default is default
  --cwd FOLDER      a project with servers of its own
  --file FILE       of import: another file than the program's usual one
  --name NAME       of import: only this server; may be given several times
  --json            one object on one line

Fields: command, args, env.NAME, cwd, url, headers.NAME, type (stdio, http, sse),
timeout (such as 10m), enabled, agents, profiles. FIELD= takes a field out of the
file; FIELD=null takes away what a farther layer says. args is split at blanks, or
written as a JSON list.

  parley mcp set docs command=uvx args="docs-mcp" env.KEY='${env:DOCS_KEY}'
  parley mcp set docs --agent codex timeout=10m
`,
	"profiles": `parley profiles [list] [--json]
parley profiles show NAME
parley profiles set NAME [--agent NAME] FIELD=VALUE…
parley profiles rename NAME NEW
parley profiles remove NAME

A profile is what agents start with, by a name: variables (env.NAME), and for an
agent the model and effort of new sessions that name none. Secrets and overrides of
MCP servers carry its name too. Nothing behind the sign takes a field out.

  ${env:NAME} and ${keyring:NAME} in a variable are filled in when an agent starts;
  the rest is no secret and is shown.

A new name takes sessions, secrets and overrides along; no agent may run with the
profile then. A profile that is removed takes its secrets and overrides along;
sessions that have it can be read, and their agents do not start any more.

  parley profiles set work env.HTTPS_PROXY=http://proxy.example:3128
  parley profiles set work --agent claude model=opus env.ANTHROPIC_API_KEY='${keyring:WORK_KEY}'
  parley run --agent claude --profile work "Fix the test"
`,
	"secrets": `parley secrets [list] [--json]
parley secrets set --agent NAME [--profile NAME] VARIABLE
parley secrets remove --agent NAME [--profile NAME] VARIABLE

Keeps API keys and the like in the system's keyring, or, where there is none, in
a file that only you can read; the list says which. An agent gets those of its
profile (default, unless --profile names another) as variables of its environment.
The value is read from standard input:
  pass show anthropic | parley secrets set --agent claude ANTHROPIC_API_KEY
`,
	"agent": `parley agent demo

Runs the scripted agent as an ACP process on standard input and output. It needs
no account.
`,
}

// help prints the overview or the help of a command.
func (p *program) help(_ context.Context, args []string) (int, error) {
	text := overview
	if len(args) > 0 {
		var ok bool
		if text, ok = helps[args[0]]; !ok {
			return 0, usagef("parley knows no command %q.", args[0])
		}
	}
	_, err := fmt.Fprint(p.Out, text)
	return exitDone, err
}

// version prints the version.
func (p *program) version(context.Context, []string) (int, error) {
	_, err := fmt.Fprintln(p.Out, "parley", app.Version)
	return exitDone, err
}
