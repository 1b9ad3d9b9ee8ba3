import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { copyText, openOutside } from '../backend/shell.ts';
import { saveNow } from '../features/card/answer.ts';
import { Rail } from '../features/rail/rail.tsx';
import { chooseLanguage, setLanguage, useT } from '../lib/i18n/i18n.ts';
import { later } from '../lib/later.ts';
import { store } from '../lib/storage.ts';
import { oneLine } from '../lib/text.ts';
import { waitingList } from '../state/live.reducer.ts';
import { useLive } from '../state/live.ts';
import { href, type Route, useRoute } from '../state/route.ts';
import { useSettings } from '../state/settings.ts';
import { Icon } from '../ui/icon.tsx';
import { OutsideContext } from '../ui/outside.ts';
import { Unbroken } from './broken.tsx';
import { useDropsStayHere } from './drops.ts';
import { useShortcuts } from './keys.ts';
import { usePresence } from './presence.ts';
import { lookForAgents } from './sync.ts';
import { WindowRequests } from './window.tsx';

const SessionPage = lazy(() => later(() => import('./session-page.tsx')));
const InboxPage = lazy(() => later(() => import('./inbox-page.tsx')));
const HistoryPage = lazy(() => later(() => import('./history-page.tsx')));
const StartPage = lazy(() => later(() => import('./start-page.tsx')));
const AgentsPage = lazy(() => later(() => import('./agents-page.tsx')));
const MCPPage = lazy(() => later(() => import('./mcp-page.tsx')));
const SettingsPage = lazy(() => later(() => import('./settings-page.tsx')));
const KeySheet = lazy(() => later(() => import('./sheets.tsx')).then((m) => ({ default: m.KeySheet })));
const Palette = lazy(() => later(() => import('./sheets.tsx')).then((m) => ({ default: m.Palette })));

const outside = { open: openOutside, copy: copyText };

/** The whole page. */
export function App() {
  const route = useRoute();
  const signedOut = useLive((s) => s.signedOut);
  const [sheet, setSheet] = useState<'' | 'palette' | 'help'>('');
  const openSheet = useCallback((what: 'palette' | 'help') => setSheet(what), []);
  useShortcuts(openSheet);
  useDropsStayHere();
  useLook();
  useTitle();
  usePresence(route);
  useEffect(() => {
    window.addEventListener('pagehide', saveNow);
    return () => window.removeEventListener('pagehide', saveNow);
  }, []);

  if (signedOut) return <SignedOut />;
  const onPhone = route.page === 'session' || (route.page === 'inbox' && route.id) ? 'leaf' : route.page;
  return (
    <OutsideContext value={outside}>
      <div
        className={route.page === 'session' ? 'app' : 'app two'}
        data-page={onPhone}
        data-place={route.page}
      >
        <Rail />
        <Unbroken place={href(route)}>
          <Suspense fallback={<main className="main" />}>
            <Page route={route} />
          </Suspense>
        </Unbroken>
        <PhoneNav route={route} />
      </div>
      <WindowRequests />
      <Suspense fallback={null}>
        {sheet === 'help' && <KeySheet close={() => setSheet('')} />}
        {sheet === 'palette' && <Palette close={() => setSheet('')} openHelp={() => setSheet('help')} />}
      </Suspense>
    </OutsideContext>
  );
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case 'session':
      return <SessionPage id={route.id} />;
    case 'inbox':
      return <InboxPage id={route.id} />;
    case 'history':
      return <HistoryPage />;
    case 'agents':
      return <AgentsPage look={lookForAgents} />;
    case 'mcp':
      return <MCPPage id={route.id} />;
    case 'settings':
      return <SettingsPage />;
    case 'sessions':
    case 'start':
      return <StartPage look={lookForAgents} />;
  }
}

/** Theme and language as the settings say, else as the system does. */
function useLook(): void {
  const { theme, language } = useSettings((s) => s.settings);
  const told = useSettings((s) => s.about.version !== '');
  useEffect(() => {
    if (told) store('theme', theme);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const put = () => {
      const kept = told ? theme : (document.documentElement.dataset.theme ?? '');
      document.documentElement.dataset.theme = kept || (dark.matches ? 'dark' : 'light');
    };
    put();
    dark.addEventListener('change', put);
    return () => dark.removeEventListener('change', put);
  }, [theme, told]);
  useEffect(() => {
    if (!told) return;
    store('language', language);
    void setLanguage(chooseLanguage(language ? [language] : navigator.languages));
  }, [language, told]);
}

function useTitle(): void {
  const t = useT();
  const route = useRoute();
  const waiting = useLive((s) => waitingList(s).length);
  const session = useLive((s) => (route.page === 'session' ? (s.sessions[route.id]?.title ?? '') : ''));
  useEffect(() => {
    const name = session ? t('title.session', { session: oneLine(session) }) : t('title.app');
    document.title = waiting > 0 ? t('title.waiting', { n: waiting, name }) : name;
  }, [t, waiting, session]);
}

/** The three places of a phone, at the thumb. */
function PhoneNav({ route }: { route: Route }) {
  const t = useT();
  const waiting = useLive((s) => waitingList(s).length);
  const current = (page: Route['page']) => (route.page === page ? 'page' : undefined);
  return (
    <nav className="pnav" aria-label={t('rail.pages')}>
      <a href={href({ page: 'inbox', id: '' })} aria-current={current('inbox')}>
        <Icon name="inbox" />
        {t('inbox.title')}
        {waiting > 0 && <span className="count wait">{waiting}</span>}
      </a>
      <a href={href({ page: 'sessions' })} aria-current={current('sessions')}>
        <Icon name="list" />
        {t('rail.sessions')}
      </a>
      <a href={href({ page: 'start' })} aria-current={current('start')}>
        <Icon name="plus" />
        {t('rail.newShort')}
      </a>
    </nav>
  );
}

/** This browser is not known to the back end any more. */
function SignedOut() {
  const t = useT();
  return (
    <main className="signed-out">
      <h1 className="h2">{t('signedOut.title')}</h1>
      <p className="sec">{t('signedOut.words')}</p>
      <pre className="cmd">parley serve link</pre>
    </main>
  );
}
