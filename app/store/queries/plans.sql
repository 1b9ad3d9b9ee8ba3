-- name: InsertPlan :exec
INSERT INTO plans (id, session_id, turn_id, revision, state, explanation, steps, updated_ms)
VALUES (sqlc.arg(id), sqlc.arg(session_id), sqlc.arg(turn_id), sqlc.arg(revision), sqlc.arg(state),
        sqlc.arg(explanation), sqlc.arg(steps), sqlc.arg(now));

-- name: UpdatePlan :exec
UPDATE plans
SET revision = sqlc.arg(revision), state = sqlc.arg(state), explanation = sqlc.arg(explanation),
    steps = sqlc.arg(steps), updated_ms = sqlc.arg(now)
WHERE id = sqlc.arg(id);

-- name: GetTurnPlan :one
SELECT * FROM plans WHERE turn_id = sqlc.arg(turn_id);

-- name: ListNewestPlans :many
-- The plan of each session's newest turn; the plan of an older one is no plan of what is done now.
SELECT p.* FROM plans p JOIN sessions s ON s.id = p.session_id
WHERE p.id = (SELECT q.id FROM plans q WHERE q.session_id = p.session_id ORDER BY q.updated_ms DESC, q.id DESC LIMIT 1)
  AND NOT EXISTS (SELECT 1 FROM turns t JOIN turns n ON n.session_id = t.session_id
                  WHERE t.id = p.turn_id AND n.id <> t.id AND n.started_ms > t.started_ms)
ORDER BY p.updated_ms DESC, p.id DESC;
