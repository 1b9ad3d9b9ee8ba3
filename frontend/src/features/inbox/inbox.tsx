import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { api } from '../../backend/client.ts';
import type { Interaction } from '../../backend/types.gen.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { useAnswers } from '../../state/answers.ts';
import { movedOnList, takesLate, waitingList } from '../../state/live.reducer.ts';
import { takeInteraction, useLive } from '../../state/live.ts';
import { go, href } from '../../state/route.ts';
import { Icon } from '../../ui/icon.tsx';
import { KeyHints } from './hints.tsx';
import { inFront, neighbour, settledHere, shownAs } from './inbox.logic.ts';
import { List } from './list.tsx';

interface Props {
  /** The question asked for by the address, "" for the first. */
  id: string;
  renderCard: (i: Interaction) => ReactNode;
  /** A question that was settled, as its quiet line. */
  renderSettled: (i: Interaction) => ReactNode;
  /** Puts the focus into the card of a question, because the person asked for it. */
  enter: (id: string) => void;
  /** Takes a question out of the part for what was moved on from. */
  clear: (i: Interaction) => Promise<void>;
  /** What stands there while nothing waits. */
  empty: ReactNode;
}

/** Everything that waits for the person, least time left first, and one of it open. */
export function Inbox({ id, renderCard, renderSettled, enter, clear, empty }: Props) {
  const t = useT();
  const interactions = useLive((s) => s.interactions);
  const known = useLive((s) => s.known);
  const sending = useAnswers((s) => s.sending);
  const present = useMemo(
    () => ({ known: true, version: '', sessions: {}, plans: {}, interactions }),
    [interactions],
  );
  const waiting = useMemo(() => waitingList(present), [present]);
  const movedOn = useMemo(() => movedOnList(present), [present]);
  const order = (waiting.length > 0 ? waiting : movedOn).map((i) => i.interaction_id);

  const before = useRef({ id: '', at: 0, answered: '' });
  const asked = useRef({ id: '', cleared: false });
  if (asked.current.id !== id) asked.current = { id, cleared: !!interactions[id]?.cleared_at };
  const place = {
    wanted: id,
    before: before.current.id,
    beforeAt: before.current.at,
    wantedCleared: asked.current.cleared,
  };
  const front = inFront(place, order, interactions, sending);
  const latest = interactions[front];
  const open = latest && shownAs(latest, sending[front]);
  const at = order.indexOf(front);

  useEffect(() => {
    const was = before.current;
    if (was.id !== front && settledHere(sending[was.id])) was.answered = was.id;
    was.id = front;
    if (at >= 0) was.at = at;
  });
  useUnknown(id, known && !!id && !interactions[id]);
  // An address that names a question settled from here moves on with the list.
  useEffect(() => {
    if (known && id && interactions[id] && front !== id) go({ page: 'inbox', id: front }, true);
  }, [known, id, interactions, front]);

  const answered = interactions[before.current.answered];
  const justSent = answered && answered !== latest && (
    <div className="just-sent">{renderSettled(answered)}</div>
  );
  if (!open && movedOn.length === 0) {
    return (
      <div className="inbox-empty" tabIndex={-1} data-home-focus="">
        {justSent}
        {known && empty}
      </div>
    );
  }
  return (
    <div className={id ? 'inbox inbox-card' : 'inbox'}>
      <List waiting={waiting} movedOn={movedOn} front={front} enter={enter} clear={clear} />
      {open && (
        <div className="idet">
          <div className="dhead">
            <a
              className="btn icon phone-back"
              href={href({ page: 'inbox', id: '' })}
              title={t('common.back')}
            >
              <Icon name="left" />
            </a>
            <span className="grow">
              {at >= 0 && !open.outcome
                ? t('inbox.place', { at: at + 1, n: waiting.length })
                : takesLate(open)
                  ? t('inbox.movedOn')
                  : open.outcome && t('inbox.settledElsewhere')}
            </span>
            <a href={href({ page: 'session', id: open.session_id })}>{t('inbox.openSession')}</a>
          </div>
          {open.outcome && !takesLate(open) ? (
            // Who was writing in it when it was settled elsewhere is left here, on nothing that acts.
            <div className="idet-settled" tabIndex={-1} data-home-focus="">
              {renderSettled(open)}
              {waiting.length > 0 && (
                <button
                  type="button"
                  className="btn"
                  onClick={() => go({ page: 'inbox', id: neighbour(order, front, 1) })}
                >
                  {t('inbox.next')}
                </button>
              )}
            </div>
          ) : (
            renderCard(open)
          )}
          {!open.outcome && <KeyHints i={open} />}
          {justSent}
        </div>
      )}
    </div>
  );
}

/** Fetches a question that the address names and the present does not hold: an old notice, an old link. */
function useUnknown(id: string, unknown: boolean): void {
  useEffect(() => {
    if (!unknown) return;
    let gone = false;
    api.interaction(id).then(
      (i) => !gone && takeInteraction(i),
      // It was deleted with its session, or the connection is lost: the inbox itself is the answer.
      () => !gone && go({ page: 'inbox', id: '' }, true),
    );
    return () => {
      gone = true;
    };
  }, [id, unknown]);
}
