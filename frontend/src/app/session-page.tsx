import { useCallback } from 'react';
import type { Interaction, Session } from '../backend/types.gen.ts';
import { addWords, takesWords } from '../features/card/answer.ts';
import { Card } from '../features/card/card.tsx';
import { Quiet } from '../features/card/quiet.tsx';
import { Composer } from '../features/composer/composer.tsx';
import { SessionHead } from '../features/session/head.tsx';
import { demoEnd } from '../features/session/rows.logic.ts';
import { Side } from '../features/session/side.tsx';
import { Timeline } from '../features/session/timeline.tsx';
import { WhatHappened } from '../features/start/start.tsx';
import { useT } from '../lib/i18n/i18n.ts';
import { takesLate, waitingIn } from '../state/live.reducer.ts';
import { takeInteraction, useLive } from '../state/live.ts';
import { href } from '../state/route.ts';
import { useTimelines } from '../state/timelines.ts';
import { useView } from '../state/view.ts';
import { Icon, State } from '../ui/icon.tsx';
import { Connection } from './connection.tsx';
import { focusCard, focusWords } from './keys.ts';
import '../styles/timeline.css';
import '../styles/card.css';
import '../styles/card-body.css';
import '../styles/card-fields.css';
import '../styles/quiet.css';
import '../styles/composer.css';
import '../styles/side.css';

/** One session: its history, the question that waits in it, the next message. */
export default function SessionPage({ id }: { id: string }) {
  const t = useT();
  const session = useLive((s) => s.sessions[id]);
  const known = useLive((s) => s.known);
  const side = useView((v) => v.side);
  const renderQuestion = useCallback((i: Interaction) => <Asked i={i} />, []);
  if (!session) {
    return (
      <main className="main">
        <Connection />
        {known && (
          <div className="gone">
            <h2 className="h2">{t('session.gone')}</h2>
            <p className="sec">{t('session.goneWords')}</p>
          </div>
        )}
      </main>
    );
  }
  return (
    <>
      <main className={side ? 'main' : 'main wide'}>
        <SessionHead session={session} />
        <Connection />
        <Timeline
          key={id}
          session={session}
          renderQuestion={renderQuestion}
          empty={<p className="tl-empty sec">{t('session.empty')}</p>}
          after={<AfterDemo session={session} />}
        />
        <Dock session={session} />
        <Message session={session} />
      </main>
      {side && <Side session={session} />}
    </>
  );
}

/** The composer. What was typed there by mistake can be put into the card. */
function Message({ session }: { session: Session }) {
  const first = useLive((s) => waitingIn(s, session.id)[0]);
  const use = (i: Interaction) => (words: string) => {
    addWords(i, words);
    focusWords(i.interaction_id);
  };
  return (
    <Composer
      session={session}
      intoCard={first && takesWords(first) ? use(first) : undefined}
      toCard={first && (() => focusCard(first.interaction_id))}
    />
  );
}

/** The card of what waits longest here, above the composer. */
function Dock({ session }: { session: Session }) {
  const t = useT();
  const interactions = useLive((s) => s.interactions);
  const waiting = waitingIn({ known: true, version: '', sessions: {}, plans: {}, interactions }, session.id);
  const first = waiting[0];
  if (!first) return null;
  return (
    <div className="dock">
      {waiting.length > 1 && (
        <p className="dock-more">
          <State name="wait" />
          {t('dock.more', { n: waiting.length - 1 })}
        </p>
      )}
      <Card key={first.interaction_id} i={first} docked />
    </div>
  );
}

/** A settled question in the timeline: what became of it, for ever. */
function Asked({ i }: { i: Interaction }) {
  const t = useT();
  const now = useLive((s) => s.interactions[i.interaction_id]);
  const known = { ...i, ...now };
  return (
    <>
      <Quiet i={known} />
      {takesLate(known) && (
        <a
          className="quiet-late"
          href={href({ page: 'inbox', id: i.interaction_id })}
          // The present may not hold it any more: it was cleared, or is from long ago.
          onClick={() => takeInteraction(known)}
        >
          <Icon name="clock" small />
          {t('quiet.stillAnswer')}
        </a>
      )}
    </>
  );
}

/** After the demo: what it was, and where to go on. */
function AfterDemo({ session }: { session: Session }) {
  const t = useT();
  const turns = useTimelines((s) => s.opened[session.id]?.turns);
  const end = turns ? demoEnd(turns) : null;
  if (session.agent !== 'demo' || session.state !== 'idle' || !session.last_status || !end) return null;
  return (
    <div className="after-demo">
      <WhatHappened end={end} />
      <a className="btn" href={href({ page: 'start' })}>
        {t('after.next')}
      </a>
    </div>
  );
}
