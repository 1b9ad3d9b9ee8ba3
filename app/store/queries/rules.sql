-- name: SaveRule :exec
INSERT INTO rules (id, agent, folder, tool, command, title, created_ms, used_ms, uses)
VALUES (sqlc.arg(id), sqlc.arg(agent), sqlc.arg(folder), sqlc.arg(tool), sqlc.arg(command), sqlc.arg(title),
        sqlc.arg(created_ms), 0, 0)
ON CONFLICT (agent, folder, tool, command) DO NOTHING;

-- name: FindRule :one
SELECT * FROM rules
WHERE agent = sqlc.arg(agent) AND folder = sqlc.arg(folder) AND tool = sqlc.arg(tool) AND command = sqlc.arg(command);

-- name: UseRule :execrows
UPDATE rules SET used_ms = sqlc.arg(used_ms), uses = uses + 1 WHERE id = sqlc.arg(id);

-- name: ListRules :many
SELECT * FROM rules ORDER BY created_ms DESC, id DESC;

-- name: DeleteRule :execrows
DELETE FROM rules WHERE id = sqlc.arg(id);
