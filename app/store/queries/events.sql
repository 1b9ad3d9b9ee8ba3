-- name: InsertEvent :exec
INSERT INTO events (session_id, seq, at_ms, turn_id, type, data)
VALUES (sqlc.arg(session_id), sqlc.arg(seq), sqlc.arg(at_ms), sqlc.arg(turn_id), sqlc.arg(type), sqlc.arg(data));

-- name: EventSizesDown :many
SELECT seq, CAST(octet_length(data) AS INTEGER) AS size FROM events
WHERE session_id = sqlc.arg(session_id) AND seq > sqlc.arg(after) AND seq < sqlc.arg(before)
ORDER BY seq DESC LIMIT sqlc.arg(most);

-- name: EventSizesUp :many
SELECT seq, CAST(octet_length(data) AS INTEGER) AS size FROM events
WHERE session_id = sqlc.arg(session_id) AND seq > sqlc.arg(after)
ORDER BY seq LIMIT sqlc.arg(most);

-- name: ListEvents :many
SELECT * FROM events
WHERE session_id = sqlc.arg(session_id) AND seq >= sqlc.arg(low) AND seq <= sqlc.arg(high)
ORDER BY seq;

-- name: CopyEvents :execrows
INSERT INTO events (session_id, seq, at_ms, turn_id, type, data)
SELECT CAST(sqlc.arg(copy) AS TEXT), CAST(sqlc.arg(copied) AS INTEGER) + ROW_NUMBER() OVER (ORDER BY e.seq),
       e.at_ms, e.turn_id, e.type, e.data FROM events e
WHERE e.session_id = sqlc.arg(origin) AND e.seq > sqlc.arg(after) AND e.seq <= sqlc.arg(through)
  AND e.type NOT LIKE 'session.%' AND e.type NOT LIKE 'agent.%';
