import { useState } from 'react';
import { api } from '../../backend/client.ts';
import type { Queued, Session } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { oneLine } from '../../lib/text.ts';
import { takeSession } from '../../state/live.ts';
import { Coded } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { composing } from '../../ui/keys.ts';

interface Props {
  session: Session;
  fail: (message: string) => void;
}

/** Messages that wait behind the running turn, in their order: edited, moved, dropped. */
export function Queue({ session, fail }: Props) {
  const t = useT();
  if (session.queued.length === 0) return null;
  const run = async (call: () => Promise<Session>) => {
    try {
      takeSession(await call());
    } catch (e) {
      fail(errorWords(e, t('common.offline')));
    }
  };
  return (
    <ol className="queued" aria-label={t('queue.title')}>
      {session.queued.map((q, n) => (
        <Chip
          key={q.turn_id}
          queued={q}
          first={n === 0}
          last={n === session.queued.length - 1}
          edit={(text) => run(() => api.changeQueued(session.id, q.turn_id, { text }))}
          move={(by) => run(() => api.changeQueued(session.id, q.turn_id, { index: n + by }))}
          drop={() => run(() => api.dropQueued(session.id, q.turn_id))}
        />
      ))}
    </ol>
  );
}

interface ChipProps {
  queued: Queued;
  first: boolean;
  last: boolean;
  edit: (text: string) => Promise<void>;
  move: (by: number) => Promise<void>;
  drop: () => Promise<void>;
}

function Chip({ queued, first, last, edit, move, drop }: ChipProps) {
  const t = useT();
  const [draft, setDraft] = useState<string | null>(null);
  const done = () => {
    if (draft?.trim() && draft !== queued.text) void edit(draft.trim());
    setDraft(null);
  };
  return (
    <li className="chip">
      <Icon name="clock" small />
      {draft === null ? (
        <span className="trunc grow" title={queued.text} dir="auto">
          <Coded text={oneLine(queued.text)} />
          {queued.held && <bdi className="mut"> {t('queue.held')}</bdi>}
        </span>
      ) : (
        <textarea
          className="chip-text grow"
          dir="auto"
          rows={Math.min(6, draft.split('\n').length)}
          value={draft}
          aria-label={t('queue.edit')}
          // The person asked for this field by pressing the pencil.
          // biome-ignore lint/a11y/noAutofocus: see above
          autoFocus
          onChange={(e) => setDraft(e.target.value)}
          onBlur={done}
          onKeyDown={(e) => {
            if (composing(e)) return;
            if (e.key === 'Escape') setDraft(null);
            else if (e.key === 'Enter' && !e.shiftKey && !e.repeat) {
              e.preventDefault();
              done();
            }
          }}
        />
      )}
      <span className="chip-tools">
        {!first && (
          <button type="button" className="btn icon sm" title={t('queue.up')} onClick={() => void move(-1)}>
            <Icon name="up" small />
          </button>
        )}
        {!last && (
          <button type="button" className="btn icon sm" title={t('queue.down')} onClick={() => void move(1)}>
            <Icon name="down" small />
          </button>
        )}
        <button
          type="button"
          className="btn icon sm"
          title={t('queue.edit')}
          onClick={() => setDraft(queued.text)}
        >
          <Icon name="pencil" small />
        </button>
        <button type="button" className="btn icon sm" title={t('queue.drop')} onClick={() => void drop()}>
          <Icon name="x" small />
        </button>
      </span>
    </li>
  );
}
