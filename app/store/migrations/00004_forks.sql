-- +goose Up

-- The session that this one was forked from, which may be gone by now, and the
-- CLI's own id of the conversation that is still to be copied: '' once it was.
ALTER TABLE sessions ADD COLUMN forked_from TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN fork_native TEXT NOT NULL DEFAULT '';
