import { clearMovedOn } from '../features/card/answer.ts';
import { Card } from '../features/card/card.tsx';
import { Quiet } from '../features/card/quiet.tsx';
import { History, Inbox } from '../features/inbox/inbox.tsx';
import { DemoBox } from '../features/start/start.tsx';
import { useT } from '../lib/i18n/i18n.ts';
import { waitingList } from '../state/live.reducer.ts';
import { useLive } from '../state/live.ts';
import { href } from '../state/route.ts';
import { Icon } from '../ui/icon.tsx';
import { Connection } from './connection.tsx';
import '../styles/card.css';
import '../styles/inbox.css';
import '../styles/pages.css';

interface Props {
  id: string;
  history: boolean;
}

/** The inbox, or what was answered before. */
export default function InboxPage({ id, history }: Props) {
  const t = useT();
  const waiting = useLive((s) => waitingList(s).length);
  return (
    <main className={id ? 'main inbox-main has-card' : 'main inbox-main'}>
      <header className="head">
        <div className="grow row">
          <h1>{history ? t('inbox.history') : t('inbox.title')}</h1>
          {waiting > 0 && <span className="count wait phone-only">{waiting}</span>}
        </div>
        {!history && waiting > 1 && <span className="mut note wide-only">{t('inbox.order')}</span>}
        <a
          className="btn icon"
          href={href(history ? { page: 'inbox', id: '' } : { page: 'history' })}
          title={history ? t('inbox.title') : t('inbox.history')}
        >
          <Icon name={history ? 'inbox' : 'clock'} />
        </a>
      </header>
      <Connection />
      {history ? (
        <History renderQuiet={(i) => <Quiet i={i} />} />
      ) : (
        <Inbox
          id={id}
          renderCard={(i) => <Card key={i.interaction_id} i={i} />}
          clear={clearMovedOn}
          empty={<DemoBox />}
        />
      )}
    </main>
  );
}
