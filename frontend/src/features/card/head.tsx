import { useEffect, useRef, useState } from 'react';
import type { Interaction } from '../../backend/types.gen.ts';
import { type T, useLanguage, useT } from '../../lib/i18n/i18n.ts';
import { oneLine, shortPath, tailPath } from '../../lib/text.ts';
import { amount, clockTime, countdown } from '../../lib/time.ts';
import { useAgentName } from '../../state/agents.ts';
import { useSettings } from '../../state/settings.ts';
import { announce } from '../../ui/announce.ts';
import { Line, Ring } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Mark } from '../../ui/mark.tsx';
import { moreTimeFor, planStep, shapeOf, shareLeft, soonMS } from './card.logic.ts';

interface Props {
  i: Interaction;
  now: number;
  folded: boolean;
  fold: () => void;
}

/** The frame's head: who asks from where, and how long they wait. Ours alone; content can't draw here. */
export function Head({ i, now, folded, fold }: Props) {
  const t = useT();
  const { name } = useAgentName(i.agent);
  const home = useSettings((s) => s.about.home);
  const step = planStep(i.plan_step);
  return (
    <header className="c-head">
      <Mark family={i.agent} />
      <div className="grow">
        <div className="c-who">
          <b>{name}</b> {t(verbKey(i))}
          {i.parent_tool_id && ` ${t('card.throughSub')}`}{' '}
          <span className="sec">
            · <Line text={i.session_title} />
          </span>
        </div>
        <div className="c-where">
          <Icon name="folder" />
          <span className="trunc c-path" title={oneLine(i.cwd)}>
            {tailPath(shortPath(i.cwd, home), 40)}
          </span>
          {i.branch && (
            <>
              <Icon name="branch" />
              <span className="trunc c-branch">
                <Line text={i.branch} />
              </span>
            </>
          )}
          {step && (
            <>
              <span className="sep">·</span>
              <span className="trunc">
                <Line text={t('card.step', { at: step.at, of: step.of, step: step.step })} />
              </span>
            </>
          )}
        </div>
      </div>
      <Clock i={i} now={now} />
      <button
        type="button"
        className="btn icon sm"
        aria-expanded={!folded}
        title={folded ? t('card.unfold') : t('card.fold')}
        onClick={fold}
      >
        <Icon name={folded ? 'right' : 'down'} />
      </button>
    </header>
  );
}

/** The verb after the agent's name. */
function verbKey(i: Interaction) {
  if (i.outcome) return 'card.asked';
  switch (shapeOf(i)) {
    case 'approval':
      return 'card.asksPermission';
    case 'link':
      return 'card.passesLink';
    default:
      if (i.kind === 'form') return 'card.asksForm';
      return i.server ? 'card.passesRequest' : 'card.asks';
  }
}

/** Less than this is not worth a word. */
const leastAddedMS = 2000;
const addedShownMS = 4000;

/** What the clock says when it has stopped. */
function endKey(i: Interaction) {
  if (i.undelivered_at) return 'card.undelivered';
  return i.outcome?.reason === 'timeout' ? 'card.timeRanOut' : 'card.cutOff';
}

function Clock({ i, now }: { i: Interaction; now: number }) {
  const t = useT();
  const language = useLanguage();
  useSoonNotice(i, now, t);
  const added = useAdded(i, t);
  if (i.outcome) {
    return (
      <div className="clock">
        <div>
          <div className="left calm">{t(endKey(i))}</div>
          <div className="until">
            {t('card.at', { time: clockTime(i.outcome.resolved_at, now, language) })}
          </div>
        </div>
        <Icon name="clock" />
      </div>
    );
  }
  if (!i.deadline_at) {
    return (
      <div className="clock">
        <div>
          <div className="left">{t('card.noLimit')}</div>
          {i.kind === 'form' && <div className="until">{t('card.resumes')}</div>}
        </div>
      </div>
    );
  }
  const untilKey = moreTimeFor(i) > 0 ? 'card.until' : 'card.untilLimit';
  return (
    <div className="clock">
      <div>
        <div className="left">{t('card.left', { time: countdown(i.deadline_at - now) })}</div>
        <div className="until">
          {added
            ? t('card.added', { time: added })
            : t(untilKey, { time: clockTime(i.deadline_at, now, language) })}
        </div>
      </div>
      <Ring share={shareLeft(i, now)} />
    </div>
  );
}

/** What was added to the time, in words, for a moment after it came: by the button, or by typing. */
function useAdded(i: Interaction, t: T): string {
  const before = useRef(i);
  const [added, setAdded] = useState(0);
  useEffect(() => {
    const { deadline_at, max_deadline_at } = before.current;
    before.current = i;
    const more = i.deadline_at - deadline_at;
    // A clock that was set moves the ceiling as well, and gives nobody any time.
    if (i.outcome || more < leastAddedMS || i.max_deadline_at !== max_deadline_at) return;
    setAdded(more);
    announce(t('card.added', { time: amount(t, more) }));
  }, [i, t]);
  useEffect(() => {
    if (!added) return;
    const timer = setTimeout(() => setAdded(0), addedShownMS);
    return () => clearTimeout(timer);
  }, [added]);
  return added ? amount(t, added) : '';
}

/** Says once, out loud, that little time is left; again only after more was given. */
function useSoonNotice(i: Interaction, now: number, t: T): void {
  const said = useRef(0);
  const soon = !i.outcome && i.deadline_at > 0 && i.deadline_at - now < soonMS;
  useEffect(() => {
    if (!soon || said.current === i.deadline_at) return;
    said.current = i.deadline_at;
    announce(t('card.soonNotice', { seconds: Math.max(0, Math.ceil((i.deadline_at - now) / 1000)) }));
  }, [soon, i.deadline_at, now, t]);
}
