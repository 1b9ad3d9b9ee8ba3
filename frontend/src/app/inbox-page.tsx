import { clearMovedOn } from '../features/card/answer.ts';
import { Card } from '../features/card/card.tsx';
import { Quiet } from '../features/card/quiet.tsx';
import { SampleCard } from '../features/card/sample.tsx';
import { Empty } from '../features/inbox/empty.tsx';
import { Inbox } from '../features/inbox/inbox.tsx';
import { DemoBox } from '../features/start/start.tsx';
import { useT } from '../lib/i18n/i18n.ts';
import { waitingList } from '../state/live.reducer.ts';
import { useLive } from '../state/live.ts';
import { href } from '../state/route.ts';
import { Icon } from '../ui/icon.tsx';
import { Connection } from './connection.tsx';
import { focusCard } from './keys.ts';
import '../styles/card.css';
import '../styles/card-body.css';
import '../styles/card-fields.css';
import '../styles/quiet.css';
import '../styles/inbox.css';

/** All that waits for the person. */
export default function InboxPage({ id }: { id: string }) {
  const t = useT();
  const waiting = useLive((s) => waitingList(s).length);
  return (
    <main className={id ? 'main inbox-main has-card' : 'main inbox-main'}>
      <header className="head">
        <div className="grow row">
          <h1>{t('inbox.title')}</h1>
          {waiting > 0 && <span className="count wait phone-only">{waiting}</span>}
        </div>
        {waiting > 1 && <span className="mut note wide-only">{t('inbox.order')}</span>}
        <a className="btn icon" href={href({ page: 'history' })} title={t('inbox.history')}>
          <Icon name="clock" />
        </a>
      </header>
      <Connection />
      <Inbox
        id={id}
        renderCard={(i) => <Card key={i.interaction_id} i={i} />}
        renderSettled={(i) => <Quiet key={i.interaction_id} i={i} />}
        enter={focusCard}
        clear={clearMovedOn}
        empty={<Empty sample={<SampleCard />} demo={<DemoBox />} />}
      />
    </main>
  );
}
