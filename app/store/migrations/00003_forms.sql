-- +goose Up

-- The form whose end a message tells the agent.
ALTER TABLE turns ADD COLUMN form_id TEXT NOT NULL DEFAULT '';
-- How a turn ended, '' until then and for turns of before.
ALTER TABLE turns ADD COLUMN status TEXT NOT NULL DEFAULT '';
