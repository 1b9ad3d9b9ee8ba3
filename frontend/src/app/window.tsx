import { useEffect, useState } from 'react';
import { hearWindow, leaveRunning, quitNow } from '../backend/window.ts';
import { useT } from '../lib/i18n/i18n.ts';
import { go } from '../state/route.ts';
import { Dialog } from '../ui/dialog.tsx';

/** What only the desktop window asks for: bring up a question, and quit with agents at work. */
export function WindowRequests() {
  const t = useT();
  const [agents, setAgents] = useState(0);
  useEffect(
    () => hearWindow({ open: (r) => go({ page: 'session', id: r.session_id }), quit: setAgents }),
    [],
  );
  if (agents === 0) return null;
  const stay = () => setAgents(0);
  return (
    <Dialog
      title={t('quit.title', { n: agents })}
      close={stay}
      foot={
        <>
          <button type="button" className="btn" onClick={stay}>
            {t('quit.stay')}
          </button>
          <button type="button" className="btn risk" onClick={quitNow}>
            {t('quit.now')}
          </button>
          <button type="button" className="btn" onClick={leaveRunning}>
            {t('quit.keep')}
          </button>
        </>
      }
    >
      <p>{t('quit.words')}</p>
      <p className="sec">{t('quit.keepWords')}</p>
    </Dialog>
  );
}
