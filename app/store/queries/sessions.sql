-- name: InsertSession :exec
INSERT INTO sessions (id, title, kind, agent, profile, cwd, branch, model, effort, mode, state, native_id, live, closed,
                      last_seq, last_status, created_ms, updated_ms, forked_from, fork_native)
VALUES (sqlc.arg(id), sqlc.arg(title), sqlc.arg(kind), sqlc.arg(agent), sqlc.arg(profile), sqlc.arg(cwd), sqlc.arg(branch),
        sqlc.arg(model), sqlc.arg(effort), sqlc.arg(mode), sqlc.arg(state), sqlc.arg(native_id), sqlc.arg(live),
        sqlc.arg(closed), 0, sqlc.arg(last_status), sqlc.arg(created_ms), sqlc.arg(updated_ms),
        sqlc.arg(forked_from), sqlc.arg(fork_native));

-- name: UpdateSession :exec
UPDATE sessions
SET title = sqlc.arg(title), kind = sqlc.arg(kind), agent = sqlc.arg(agent), profile = sqlc.arg(profile),
    cwd = sqlc.arg(cwd), branch = sqlc.arg(branch), model = sqlc.arg(model), effort = sqlc.arg(effort),
    mode = sqlc.arg(mode), state = sqlc.arg(state), native_id = sqlc.arg(native_id), live = sqlc.arg(live),
    closed = sqlc.arg(closed), last_status = sqlc.arg(last_status), fork_native = sqlc.arg(fork_native)
WHERE id = sqlc.arg(id);

-- name: DeleteSession :exec
DELETE FROM sessions WHERE id = sqlc.arg(id);

-- name: GetSession :one
SELECT * FROM sessions WHERE id = sqlc.arg(id);

-- name: ListSessions :many
SELECT * FROM sessions WHERE state <> 'copying' ORDER BY created_ms DESC, id DESC;

-- name: TouchSession :exec
UPDATE sessions SET updated_ms = sqlc.arg(now) WHERE id = sqlc.arg(id);

-- name: TakeSeqs :one
UPDATE sessions SET last_seq = last_seq + sqlc.arg(n) WHERE id = sqlc.arg(id) RETURNING last_seq;

-- name: ListUnsettledSessions :many
SELECT s.id FROM sessions s
WHERE s.state <> 'idle' OR s.live <> 0
   OR EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id AND t.state = 'running')
   OR EXISTS (SELECT 1 FROM interactions i WHERE i.session_id = s.id AND i.part = 'waiting' AND i.kind <> 'form')
ORDER BY s.id;
