import { Quiet } from '../features/card/quiet.tsx';
import { History } from '../features/history/history.tsx';
import { useT } from '../lib/i18n/i18n.ts';
import { href } from '../state/route.ts';
import { Icon } from '../ui/icon.tsx';
import { Connection } from './connection.tsx';
import '../styles/quiet.css';
import '../styles/pages.css';
import '../styles/history.css';

/** What was asked and decided, for ever. */
export default function HistoryPage() {
  const t = useT();
  return (
    <main className="main">
      <header className="head">
        <div className="grow row">
          <h1>{t('inbox.history')}</h1>
        </div>
        <a className="btn icon" href={href({ page: 'inbox', id: '' })} title={t('inbox.title')}>
          <Icon name="inbox" />
        </a>
      </header>
      <Connection />
      <History renderQuiet={(i) => <Quiet i={i} />} />
    </main>
  );
}
