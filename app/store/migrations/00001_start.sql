-- +goose Up

-- Times are Unix milliseconds, 0 is "has not happened". JSON columns hold the
-- texts that package app writes and reads; what is searched for has a column.

CREATE TABLE sessions (
    id          TEXT    NOT NULL PRIMARY KEY,
    title       TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    agent       TEXT    NOT NULL,
    profile     TEXT    NOT NULL,
    cwd         TEXT    NOT NULL,
    branch      TEXT    NOT NULL,
    model       TEXT    NOT NULL,
    effort      TEXT    NOT NULL,
    mode        TEXT    NOT NULL,
    state       TEXT    NOT NULL, -- idle, starting, running, stopping; "waiting" is derived
    native_id   TEXT    NOT NULL,
    live        INTEGER NOT NULL,
    closed      INTEGER NOT NULL,
    last_seq    INTEGER NOT NULL, -- number of the newest event
    last_status TEXT    NOT NULL, -- how the newest ended turn ended
    created_ms  INTEGER NOT NULL,
    updated_ms  INTEGER NOT NULL
) STRICT;

CREATE TABLE turns (
    id          TEXT    NOT NULL PRIMARY KEY,
    session_id  TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    text        TEXT    NOT NULL, -- as typed
    attachments TEXT    NOT NULL, -- JSON list
    late_id     TEXT    NOT NULL, -- interaction that this message answers late
    unrequested INTEGER NOT NULL,
    state       TEXT    NOT NULL, -- queued, running, over
    place       INTEGER NOT NULL, -- order in the queue
    queued_ms   INTEGER NOT NULL,
    started_ms  INTEGER NOT NULL,
    ended_ms    INTEGER NOT NULL
) STRICT;
CREATE INDEX turns_by_session ON turns (session_id, state, place);
-- A question is answered late by one message at most, whatever crashes between.
CREATE UNIQUE INDEX turns_one_late ON turns (late_id) WHERE late_id <> '';

CREATE TABLE events (
    session_id TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq        INTEGER NOT NULL,
    at_ms      INTEGER NOT NULL,
    turn_id    TEXT    NOT NULL,
    type       TEXT    NOT NULL,
    data       TEXT    NOT NULL, -- JSON
    PRIMARY KEY (session_id, seq)
) STRICT;

CREATE TABLE interactions (
    id              TEXT    NOT NULL PRIMARY KEY,
    session_id      TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn_id         TEXT    NOT NULL,
    kind            TEXT    NOT NULL,
    tool_use_id     TEXT    NOT NULL,
    asked           TEXT    NOT NULL, -- JSON of what was asked, as shown
    part            TEXT    NOT NULL, -- waiting, moved_on, done: where the inbox keeps it
    requested_ms    INTEGER NOT NULL,
    timeout_ms      INTEGER NOT NULL,
    deadline_ms     INTEGER NOT NULL,
    max_deadline_ms INTEGER NOT NULL,
    seen_ms         INTEGER NOT NULL,
    reason          TEXT    NOT NULL, -- '' while it waits
    cause           TEXT    NOT NULL,
    outcome         TEXT    NOT NULL, -- JSON, '' while it waits
    resolved_ms     INTEGER NOT NULL,
    delivered_ms    INTEGER NOT NULL,
    undelivered_ms  INTEGER NOT NULL,
    late            TEXT    NOT NULL, -- JSON, '' without a late answer
    cleared_ms      INTEGER NOT NULL
) STRICT;
CREATE INDEX interactions_by_part ON interactions (part, session_id);
CREATE INDEX interactions_by_turn ON interactions (turn_id);
CREATE INDEX interactions_by_session ON interactions (session_id, requested_ms);
CREATE INDEX interactions_by_time ON interactions (requested_ms);

CREATE TABLE drafts (
    interaction_id TEXT    NOT NULL PRIMARY KEY REFERENCES interactions (id) ON DELETE CASCADE,
    revision       INTEGER NOT NULL,
    data           TEXT    NOT NULL, -- JSON
    saved_ms       INTEGER NOT NULL
) STRICT;

CREATE TABLE plans (
    id          TEXT    NOT NULL PRIMARY KEY,
    session_id  TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn_id     TEXT    NOT NULL UNIQUE,
    revision    INTEGER NOT NULL,
    state       TEXT    NOT NULL,
    explanation TEXT    NOT NULL,
    steps       TEXT    NOT NULL, -- JSON list
    updated_ms  INTEGER NOT NULL
) STRICT;
CREATE INDEX plans_by_session ON plans (session_id, updated_ms);
