-- name: InsertTurn :exec
INSERT INTO turns (id, session_id, text, attachments, late_id, form_id, unrequested, state, place, queued_ms, started_ms, ended_ms, status)
VALUES (sqlc.arg(id), sqlc.arg(session_id), sqlc.arg(text), sqlc.arg(attachments), sqlc.arg(late_id), sqlc.arg(form_id),
        sqlc.arg(unrequested), sqlc.arg(state), sqlc.arg(place), sqlc.arg(queued_ms), sqlc.arg(started_ms), 0, '');

-- name: GetTurn :one
SELECT * FROM turns WHERE id = sqlc.arg(id);

-- name: LastPlace :one
SELECT CAST(COALESCE(MAX(place), 0) AS INTEGER) AS place FROM turns
WHERE session_id = sqlc.arg(session_id) AND state = 'queued';

-- name: ListQueued :many
SELECT * FROM turns WHERE session_id = sqlc.arg(session_id) AND state = 'queued' ORDER BY place, id;

-- name: ListAllQueued :many
SELECT * FROM turns WHERE state = 'queued' ORDER BY session_id, place, id;

-- name: ListRunning :many
SELECT * FROM turns WHERE session_id = sqlc.arg(session_id) AND state = 'running' ORDER BY started_ms, id;

-- name: StartTurn :exec
UPDATE turns SET state = 'running', started_ms = sqlc.arg(now) WHERE id = sqlc.arg(id);

-- name: EndTurn :exec
UPDATE turns SET state = 'over', ended_ms = sqlc.arg(now), status = sqlc.arg(status) WHERE id = sqlc.arg(id);

-- name: SetTurnText :exec
UPDATE turns SET text = sqlc.arg(text) WHERE id = sqlc.arg(id);

-- name: SetTurnPlace :exec
UPDATE turns SET place = sqlc.arg(place) WHERE id = sqlc.arg(id);

-- name: DeleteTurn :exec
DELETE FROM turns WHERE id = sqlc.arg(id);

-- name: ListUnrecordedLate :many
SELECT t.* FROM turns t JOIN interactions i ON i.id = t.late_id
WHERE t.late_id <> '' AND i.late = '' ORDER BY t.id;

-- name: BeganSince :one
SELECT EXISTS (SELECT 1 FROM turns WHERE session_id = sqlc.arg(session_id) AND started_ms >= sqlc.arg(since));
