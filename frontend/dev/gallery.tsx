// Every state of the question card on one page, for looking at. Not part of the
// built page: npm run dev, then /dev/gallery.html

import { useEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { Card } from '../src/features/card/card.tsx';
import { Quiet } from '../src/features/card/quiet.tsx';
import { chooseLanguage, setLanguage } from '../src/lib/i18n/i18n.ts';
import { useAnswers } from '../src/state/answers.ts';
import { useDrafts } from '../src/state/drafts.ts';
import { takesLate } from '../src/state/live.reducer.ts';
import { takeAbout, useSettings } from '../src/state/settings.ts';
import { setFolded } from '../src/state/view.ts';
import { type Cell, cells } from './cells.ts';
import '../src/styles/tokens.css';
import '../src/styles/base.css';
import '../src/styles/controls.css';
import '../src/styles/overlays.css';
import '../src/styles/blocks.css';
import '../src/styles/thumbs.css';
import '../src/styles/card.css';
import '../src/styles/card-body.css';
import '../src/styles/card-fields.css';
import '../src/styles/quiet.css';
import './gallery.css';

const zh = document.documentElement.lang.startsWith('zh');

function Show({ cell }: { cell: Cell }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (cell.act !== 'allow') return;
    // The first press does nothing while the card is fresh.
    const timer = setTimeout(
      () => box.current?.querySelector<HTMLElement>('[data-act="allow_once"]')?.click(),
      600,
    );
    return () => clearTimeout(timer);
  }, [cell]);
  return (
    <section className="cell" ref={box}>
      <h2>{cell.name}</h2>
      {cell.i.outcome && !takesLate(cell.i) ? <Quiet i={cell.i} /> : <Card i={cell.i} />}
    </section>
  );
}

const all = cells(zh);
for (const c of all) {
  const id = c.i.interaction_id;
  if (c.draft) {
    const draft = { revision: 1, selected: [], text: '', ...c.draft };
    useDrafts.setState((s) => ({ drafts: { ...s.drafts, [id]: draft } }));
  }
  if (c.act === 'send' || c.act === 'refuse') {
    const phase = c.act === 'send' ? ('sending' as const) : ('failed' as const);
    const sending = { phase, action: 'answer' as const, error: '', offline: true, lost: false };
    useAnswers.setState((s) => ({ sending: { ...s.sending, [id]: sending } }));
  }
  if (c.act === 'fold') setFolded(id, true);
}
takeAbout({ ...useSettings.getState().about, version: 'dev', home: '/home/mara' });
await setLanguage(chooseLanguage([document.documentElement.lang]));
createRoot(document.getElementById('root')!).render(
  <main className="sheet">
    {all.map((cell) => (
      <Show key={cell.id} cell={cell} />
    ))}
  </main>,
);
