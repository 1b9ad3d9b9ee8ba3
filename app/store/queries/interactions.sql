-- name: InsertInteraction :exec
INSERT INTO interactions (id, session_id, turn_id, kind, tool_use_id, asked, part, requested_ms, timeout_ms, deadline_ms,
                          max_deadline_ms, seen_ms, reason, cause, outcome, resolved_ms, delivered_ms, undelivered_ms,
                          late, cleared_ms)
VALUES (sqlc.arg(id), sqlc.arg(session_id), sqlc.arg(turn_id), sqlc.arg(kind), sqlc.arg(tool_use_id), sqlc.arg(asked),
        'waiting', sqlc.arg(requested_ms), sqlc.arg(timeout_ms), sqlc.arg(deadline_ms), sqlc.arg(max_deadline_ms),
        0, '', '', '', 0, 0, 0, '', 0);

-- name: UpdateInteraction :exec
UPDATE interactions
SET part = sqlc.arg(part), deadline_ms = sqlc.arg(deadline_ms), max_deadline_ms = sqlc.arg(max_deadline_ms),
    seen_ms = sqlc.arg(seen_ms), reason = sqlc.arg(reason), cause = sqlc.arg(cause), outcome = sqlc.arg(outcome),
    resolved_ms = sqlc.arg(resolved_ms), delivered_ms = sqlc.arg(delivered_ms),
    undelivered_ms = sqlc.arg(undelivered_ms), late = sqlc.arg(late), cleared_ms = sqlc.arg(cleared_ms),
    noticed_ms = sqlc.arg(noticed_ms)
WHERE id = sqlc.arg(id);

-- name: GetInteraction :one
SELECT sqlc.embed(i), COALESCE(d.data, '') AS draft
FROM interactions i LEFT JOIN drafts d ON d.interaction_id = i.id
WHERE i.id = sqlc.arg(id);

-- name: ListInteractionsOfPart :many
SELECT sqlc.embed(i), COALESCE(d.data, '') AS draft
FROM interactions i LEFT JOIN drafts d ON d.interaction_id = i.id
WHERE i.part = sqlc.arg(part) AND (i.session_id = sqlc.arg(session_id) OR sqlc.arg(session_id) = '')
ORDER BY i.requested_ms DESC, i.id DESC LIMIT sqlc.arg(most);

-- name: ListInteractionsOfSession :many
SELECT sqlc.embed(i), COALESCE(d.data, '') AS draft
FROM interactions i LEFT JOIN drafts d ON d.interaction_id = i.id
WHERE i.session_id = sqlc.arg(session_id)
ORDER BY i.requested_ms DESC, i.id DESC LIMIT sqlc.arg(most);

-- name: ListInteractions :many
SELECT sqlc.embed(i), COALESCE(d.data, '') AS draft
FROM interactions i LEFT JOIN drafts d ON d.interaction_id = i.id
ORDER BY i.requested_ms DESC, i.id DESC LIMIT sqlc.arg(most);

-- name: ListTurnInteractions :many
SELECT sqlc.embed(i), COALESCE(d.data, '') AS draft
FROM interactions i LEFT JOIN drafts d ON d.interaction_id = i.id
WHERE i.turn_id = sqlc.arg(turn_id)
ORDER BY i.requested_ms, i.id;

-- name: NewestForm :one
SELECT sqlc.embed(i), COALESCE(d.data, '') AS draft, CAST(COALESCE(t.status, '') AS TEXT) AS status
FROM interactions i LEFT JOIN drafts d ON d.interaction_id = i.id LEFT JOIN turns t ON t.id = i.turn_id
WHERE i.session_id = sqlc.arg(session_id) AND i.kind = 'form'
ORDER BY i.requested_ms DESC, i.id DESC LIMIT 1;

-- name: ListWaits :many
SELECT session_id, COUNT(*) AS n, CAST(MIN(requested_ms) AS INTEGER) AS since,
       CAST(SUM(kind = 'form') AS INTEGER) AS forms
FROM interactions WHERE part = 'waiting' GROUP BY session_id;

-- name: GetWait :one
SELECT COUNT(*) AS n, CAST(COALESCE(MIN(requested_ms), 0) AS INTEGER) AS since,
       CAST(COALESCE(SUM(kind = 'form'), 0) AS INTEGER) AS forms
FROM interactions WHERE part = 'waiting' AND session_id = sqlc.arg(session_id);

-- name: SaveDraft :exec
INSERT INTO drafts (interaction_id, revision, data, saved_ms)
VALUES (sqlc.arg(interaction_id), sqlc.arg(revision), sqlc.arg(data), sqlc.arg(now))
ON CONFLICT (interaction_id) DO UPDATE
SET revision = excluded.revision, data = excluded.data, saved_ms = excluded.saved_ms
WHERE excluded.revision > drafts.revision;

-- name: GetDraft :one
SELECT data FROM drafts WHERE interaction_id = sqlc.arg(interaction_id);

-- name: DeleteDraft :exec
DELETE FROM drafts WHERE interaction_id = sqlc.arg(interaction_id);
