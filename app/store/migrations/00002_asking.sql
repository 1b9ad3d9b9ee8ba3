-- +goose Up

-- The person was told of it in a system notice: once in its life.
ALTER TABLE interactions ADD COLUMN noticed_ms INTEGER NOT NULL DEFAULT 0;

-- What a reader of the history can search for, in small letters. It is a plain
-- text that is looked through: whole words would miss parts of a path and most of
-- what is written without spaces.
CREATE TABLE interaction_texts (
    interaction_id TEXT NOT NULL PRIMARY KEY REFERENCES interactions (id) ON DELETE CASCADE,
    text           TEXT NOT NULL
) STRICT;
INSERT INTO interaction_texts (interaction_id, text)
SELECT i.id, COALESCE((
    SELECT lower(group_concat(t.atom, char(10)))
    FROM (SELECT key, atom, type FROM json_tree(i.asked)
          UNION ALL SELECT key, atom, type FROM json_tree(CASE i.outcome WHEN '' THEN '{}' ELSE i.outcome END)
          UNION ALL SELECT key, atom, type FROM json_tree(CASE i.late WHEN '' THEN '{}' ELSE i.late END)) t
    WHERE t.type = 'text' AND t.key IN ('question', 'header', 'label', 'description', 'title', 'detail', 'command', 'why',
                                        'response', 'text', 'note', 'session_title', 'url')), '')
FROM interactions i;

-- Permissions that the person gave for good.
CREATE TABLE rules (
    id         TEXT    NOT NULL PRIMARY KEY, -- that of the interaction in which it was given, which may be deleted
    agent      TEXT    NOT NULL, -- family
    folder     TEXT    NOT NULL,
    tool       TEXT    NOT NULL,
    command    TEXT    NOT NULL, -- exactly this one; '' is every use of the tool
    title      TEXT    NOT NULL, -- of the request that it was given for
    created_ms INTEGER NOT NULL,
    used_ms    INTEGER NOT NULL,
    uses       INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX rules_by_scope ON rules (agent, folder, tool, command);
