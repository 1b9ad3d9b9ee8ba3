import { useState } from 'react';
import { api } from '../../backend/client.ts';
import type { SessionID } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { useLive } from '../../state/live.ts';
import { href } from '../../state/route.ts';
import { Line } from '../../ui/bits.tsx';
import { Icon, State } from '../../ui/icon.tsx';

/** Sessions whose agents still have the servers of before. Nothing is started anew by itself. */
export function Outdated({ ids, reload }: { ids: readonly SessionID[]; reload: () => void }) {
  const t = useT();
  const sessions = useLive((s) => s.sessions);
  const [busy, setBusy] = useState<readonly string[]>([]);
  const [open, setOpen] = useState(false);
  const [error, setError] = useState('');
  const list = ids.flatMap((id) => sessions[id] ?? []);
  if (list.length === 0) return null;
  const idle = list.filter((s) => s.state === 'idle' && s.queued.length === 0);

  const again = async (which: readonly string[]) => {
    setBusy((b) => [...b, ...which]);
    setError('');
    try {
      for (const id of which) {
        await api.close(id);
        await api.resume(id);
      }
    } catch (e) {
      setError(errorWords(e, t('common.offline')));
    }
    setBusy((b) => b.filter((id) => !which.includes(id)));
    reload();
  };

  return (
    <section className="mcp-old" aria-label={t('mcp.old', { n: list.length })}>
      <div className="row">
        <Icon name="redo" small />
        <span className="grow">{t('mcp.old', { n: list.length })}</span>
        {idle.length > 1 && (
          <button type="button" className="btn sm" onClick={() => void again(idle.map((s) => s.id))}>
            {t('mcp.oldAll', { n: idle.length })}
          </button>
        )}
        {list.length > 1 && (
          <button
            type="button"
            className="btn icon sm"
            aria-expanded={open}
            title={t(open ? 'common.less' : 'common.all')}
            onClick={() => setOpen(!open)}
          >
            <Icon name={open ? 'up' : 'down'} small />
          </button>
        )}
      </div>
      {(open || list.length === 1) && (
        <ul>
          {list.map((s) => (
            <li key={s.id} className="row">
              <State name={s.state === 'waiting' ? 'wait' : s.state === 'idle' ? 'idle' : 'run'} />
              <a className="grow trunc" href={href({ page: 'session', id: s.id })}>
                <Line text={s.title} />
              </a>
              {idle.includes(s) ? (
                <button
                  type="button"
                  className="btn sm"
                  disabled={busy.includes(s.id)}
                  onClick={() => void again([s.id])}
                >
                  {t(busy.includes(s.id) ? 'mcp.oldStarting' : 'mcp.oldStart')}
                </button>
              ) : (
                <span className="mut note">{t('mcp.oldBusy')}</span>
              )}
            </li>
          ))}
        </ul>
      )}
      {error && (
        <p className="help bad" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}
