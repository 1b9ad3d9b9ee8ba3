import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Interaction } from '../../backend/types.gen.ts';
import { type T, useLanguage, useT } from '../../lib/i18n/i18n.ts';
import { oneLine } from '../../lib/text.ts';
import { clockTime, countdown } from '../../lib/time.ts';
import { useAgentName } from '../../state/agents.ts';
import { useServerNow } from '../../state/clock.ts';
import { fieldAnswered } from '../../state/drafts.logic.ts';
import { draftOf, useDrafts } from '../../state/drafts.ts';
import { isWaiting } from '../../state/live.reducer.ts';
import { useLive } from '../../state/live.ts';
import { go, href } from '../../state/route.ts';
import { Coded, Line, Ring } from '../../ui/bits.tsx';
import { Icon, State } from '../../ui/icon.tsx';
import { steady } from './inbox.logic.ts';

interface Props {
  waiting: readonly Interaction[];
  movedOn: readonly Interaction[];
  /** The one that is open. */
  front: string;
  enter: (id: string) => void;
  clear: (i: Interaction) => Promise<void>;
}

/** What waits and what was moved on from. Nothing moves while the pointer is over it. */
export function List({ waiting, movedOn, front, enter, clear }: Props) {
  const t = useT();
  const interactions = useLive((s) => s.interactions);
  const list = useRef<HTMLElement>(null);
  const [over, setOver] = useState(false);
  const now = waiting.map((i) => i.interaction_id);
  const shown = useRef<readonly string[]>(now);
  shown.current = over ? steady(shown.current, now) : now;
  const rows = shown.current.flatMap((id) => interactions[id] ?? []);

  useEffect(() => {
    if (front) list.current?.querySelector('[aria-current]')?.scrollIntoView?.({ block: 'nearest' });
  }, [front]);

  const onKeyDown = (e: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!step) return;
    const items = Array.from(e.currentTarget.querySelectorAll<HTMLElement>('a.item'));
    const next = items[items.indexOf(document.activeElement as HTMLElement) + step];
    if (!next) return;
    e.preventDefault();
    next.focus();
    go({ page: 'inbox', id: next.dataset.item! }, true);
  };

  return (
    <section
      ref={list}
      className="ilist"
      aria-label={t('inbox.title')}
      onPointerEnter={() => setOver(true)}
      onPointerLeave={() => setOver(false)}
      onKeyDown={onKeyDown}
    >
      {rows.length > 0 && (
        <section aria-label={t('inbox.waitingForYou')}>
          <div className="grp wait" aria-hidden="true">
            <b>{t('inbox.waitingForYou')}</b>
            <span>{waiting.length}</span>
          </div>
          {rows.map((i) => (
            <Item key={i.interaction_id} i={i} current={i.interaction_id === front} enter={enter} />
          ))}
        </section>
      )}
      {rows.length === 0 && <p className="ilist-none sec">{t('inbox.nothing')}</p>}
      {movedOn.length > 0 && <MovedOn list={movedOn} front={front} enter={enter} clear={clear} />}
    </section>
  );
}

function MovedOn({
  list,
  front,
  enter,
  clear,
}: Omit<Props, 'waiting' | 'movedOn'> & { list: Props['movedOn'] }) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const clearAll = async () => {
    setBusy(true);
    for (const i of list) await clear(i);
    setBusy(false);
  };
  return (
    <section aria-label={t('inbox.movedOn')}>
      <div className="grp grp-moved">
        <b>{t('inbox.movedOn')}</b>
        <span>{list.length}</span>
        <button
          type="button"
          className="link"
          disabled={busy}
          title={t('inbox.clearTitle')}
          onClick={() => void clearAll()}
        >
          {t('inbox.clear')}
        </button>
      </div>
      {list.map((i) => (
        <Item key={i.interaction_id} i={i} current={i.interaction_id === front} enter={enter} />
      ))}
    </section>
  );
}

interface ItemProps {
  i: Interaction;
  current: boolean;
  enter: (id: string) => void;
}

function Item({ i, current, enter }: ItemProps) {
  const t = useT();
  const { name } = useAgentName(i.agent);
  return (
    <a
      className="item"
      href={href({ page: 'inbox', id: i.interaction_id })}
      aria-current={current ? 'true' : undefined}
      data-home-focus={current ? '' : undefined}
      data-item={i.interaction_id}
      draggable={false}
      // Pressed by a key, the question is what one wants to answer now; a click only shows it.
      onClick={(e) => e.detail === 0 && enter(i.interaction_id)}
    >
      <Time i={i} />
      <span className="who trunc">
        {name} · <Line text={i.session_title} />
      </span>
      <span className="qq" dir="auto">
        <Coded text={oneLine(titleOf(t, i))} />
      </span>
      <Kind i={i} />
    </a>
  );
}

/** The ring and the time left, or when it ended. */
function Time({ i }: { i: Interaction }) {
  const t = useT();
  const language = useLanguage();
  const now = useServerNow(!i.outcome && i.deadline_at > 0);
  if (i.outcome) {
    return (
      <>
        <span className="item-icon mut">
          {i.outcome.reason === 'response' ? <State name="ok" /> : <Icon name="clock" />}
        </span>
        <span className="left calm">{clockTime(i.outcome.resolved_at, now, language)}</span>
      </>
    );
  }
  if (!i.deadline_at) {
    return (
      <>
        <span className="item-icon item-form">
          <Icon name="form" />
        </span>
        <span className="left">{t('inbox.noLimit')}</span>
      </>
    );
  }
  const given = i.deadline_at - i.requested_at;
  const left = i.deadline_at - now;
  return (
    <>
      <Ring share={given > 0 ? left / given : 0} />
      <span className="left">{countdown(left)}</span>
    </>
  );
}

/** What kind of answer is wanted, and that one was begun. */
function Kind({ i }: { i: Interaction }) {
  const t = useT();
  useDrafts((s) => s.drafts[i.interaction_id]);
  const draft = draftOf(i);
  const begun = isWaiting(i) && draft.revision > 0 && (draft.text.trim() !== '' || draft.selected.length > 0);
  const answered = i.questions?.filter((f) => fieldAnswered(f, draft)).length ?? 0;
  return (
    <span className="ki">
      {kindWords(t, i, answered)}
      {begun && t('inbox.begun')}
    </span>
  );
}

function titleOf(t: T, i: Interaction): string {
  if (i.approval)
    return i.approval.command ? t('inbox.runCommand', { command: i.approval.command }) : i.approval.title;
  return i.question || i.questions?.[0]?.question || '';
}

function kindWords(t: T, i: Interaction, answered: number): string {
  if (i.outcome) {
    if (i.outcome.reason === 'timeout') return t('inbox.kindTimeout');
    return i.outcome.reason === 'cancelled' ? t('inbox.kindLost') : t('inbox.kindSettled');
  }
  if (i.approval) {
    return i.approval.risks.some((r) => r !== '' && r !== 'network')
      ? t('inbox.kindRisky')
      : t('inbox.kindApproval');
  }
  if (i.url) return t('inbox.kindLink');
  if (i.kind === 'elicitation') return t('inbox.kindServer', { server: oneLine(i.server ?? '') });
  const n = i.questions?.length ?? 0;
  if (n > 1) return t('inbox.kindForm', { answered, n });
  const multi = i.multi_select || i.questions?.[0]?.multi_select;
  const options = i.options.length || i.questions?.[0]?.options.length || 0;
  if (options === 0) return t('inbox.kindText');
  return multi ? t('inbox.kindMany') : t('inbox.kindOne');
}
