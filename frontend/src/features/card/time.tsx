import type { Interaction } from '../../backend/types.gen.ts';
import { useLanguage, useT } from '../../lib/i18n/i18n.ts';
import { amount, clockTime } from '../../lib/time.ts';
import { serverNow } from '../../state/clock.ts';
import { ButtonKey } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { clearMovedOn, dismiss, moreTime } from './answer.ts';
import { moreTimeFor } from './card.logic.ts';

interface Props {
  i: Interaction;
  act: (fn: () => void) => void;
}

/** The way out that is no answer: the agent is told so. */
export function CloseButton({ i, act }: Props) {
  const t = useT();
  return (
    <button
      type="button"
      className="btn bare"
      data-act="dismiss"
      aria-keyshortcuts="Control+Backspace"
      title={t('card.dismissKey')}
      onClick={() => act(() => void (i.outcome ? clearMovedOn(i) : dismiss(i)))}
    >
      {t('card.dismiss')}
    </button>
  );
}

/** More time: what it adds stands on it, and at the ceiling it is off and says why. */
export function MoreTime({ i, act }: Props) {
  const t = useT();
  const language = useLanguage();
  if (!i.deadline_at) return null;
  const gain = moreTimeFor(i);
  const limit = clockTime(i.max_deadline_at, serverNow(), language);
  const title = !gain
    ? t('card.noMoreWhy', { time: limit })
    : i.max_deadline_at
      ? t('card.moreUntil', { time: limit })
      : t('card.more');
  return (
    <button
      type="button"
      className="btn bare"
      data-act="more"
      aria-keyshortcuts="T"
      aria-disabled={!gain || undefined}
      title={title}
      onClick={() => gain > 0 && act(() => void moreTime(i))}
    >
      {gain > 0 ? t('card.moreBy', { time: amount(t, gain) }) : t('card.noMore')}
      {gain > 0 && <ButtonKey live>T</ButtonKey>}
    </button>
  );
}

/** Under 30 s: what will happen, and what typing does about it. */
export function SoonStrip({ i, spent }: { i: Interaction; spent: boolean }) {
  const t = useT();
  const language = useLanguage();
  const time = clockTime(i.deadline_at, serverNow(), language);
  const grows = moreTimeFor(i) > 0;
  return (
    <div className="strip wait strip-soon">
      <Icon name="clock" />
      <div>
        {!grows
          ? t('card.soonLimit', { time })
          : spent
            ? t('card.soonSpent', { time })
            : t('card.soonTyping', { time })}
      </div>
    </div>
  );
}
