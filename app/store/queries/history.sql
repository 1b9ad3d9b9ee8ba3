-- name: SaveInteractionText :exec
INSERT INTO interaction_texts (interaction_id, text) VALUES (sqlc.arg(interaction_id), sqlc.arg(text))
ON CONFLICT (interaction_id) DO UPDATE SET text = excluded.text;

-- name: ListHistory :many
SELECT sqlc.embed(i), COALESCE(d.data, '') AS draft
FROM interactions i
     JOIN sessions s ON s.id = i.session_id
     JOIN interaction_texts t ON t.interaction_id = i.id
     LEFT JOIN drafts d ON d.interaction_id = i.id
WHERE (i.session_id = sqlc.arg(session_id) OR sqlc.arg(session_id) = '')
  AND (s.agent = sqlc.arg(agent) OR sqlc.arg(agent) = '')
  AND (i.kind = sqlc.arg(kind) OR sqlc.arg(kind) = '')
  AND CASE CAST(sqlc.arg(ended) AS TEXT) WHEN '' THEN 1 WHEN 'waiting' THEN i.reason = '' WHEN 'late' THEN i.late <> ''
      ELSE i.reason = sqlc.arg(ended) END
  AND i.requested_ms >= sqlc.arg(since) AND i.requested_ms < sqlc.arg(until)
  AND (i.requested_ms < sqlc.arg(before_ms) OR i.requested_ms = sqlc.arg(before_ms) AND i.id < sqlc.arg(before_id))
  AND NOT EXISTS (SELECT 1 FROM json_each(CAST(sqlc.arg(words) AS TEXT)) w
                  WHERE instr(t.text, w.value) = 0 AND instr(lower(s.title), w.value) = 0)
ORDER BY i.requested_ms DESC, i.id DESC LIMIT sqlc.arg(most);
