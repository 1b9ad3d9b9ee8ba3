import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { Interaction } from '../../backend/types.gen.ts';
import { errorWords, type T, useLanguage, useT } from '../../lib/i18n/i18n.ts';
import { oneLine } from '../../lib/text.ts';
import { clockTime, countdown } from '../../lib/time.ts';
import { useAgentName } from '../../state/agents.ts';
import { useServerNow } from '../../state/clock.ts';
import { movedOnList, waitingList } from '../../state/live.reducer.ts';
import { useLive } from '../../state/live.ts';
import { go, href } from '../../state/route.ts';
import { Key, Line, Ring } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { inFront } from './inbox.logic.ts';

interface Props {
  /** The question asked for by the address, "" for the first. */
  id: string;
  renderCard: (i: Interaction) => ReactNode;
  /** Takes a question out of the part for what was moved on from. */
  clear: (i: Interaction) => Promise<void>;
  /** Offered while nothing waits. */
  empty: ReactNode;
}

/** Everything that waits for the person, least time left first, and one of it open. */
export function Inbox({ id, renderCard, clear, empty }: Props) {
  const t = useT();
  const interactions = useLive((s) => s.interactions);
  const known = useLive((s) => s.known);
  const present = { known: true, version: '', sessions: {}, plans: {}, interactions };
  // biome-ignore lint/correctness/useExhaustiveDependencies: interactions are all that counts
  const waiting = useMemo(() => waitingList(present), [interactions]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same
  const movedOn = useMemo(() => movedOnList(present), [interactions]);
  const all = useMemo(
    () => new Map([...waiting, ...movedOn].map((i) => [i.interaction_id, i])),
    [waiting, movedOn],
  );
  const order = (waiting.length > 0 ? waiting : movedOn).map((i) => i.interaction_id);

  const lastIndex = useRef(0);
  const front = inFront(id, order, all, lastIndex.current);
  const at = order.indexOf(front);
  if (at >= 0) lastIndex.current = at;
  // An address that names a settled question moves on with the list.
  useEffect(() => {
    if (known && id && front !== id) go({ page: 'inbox', id: front }, true);
  }, [known, id, front]);

  const open = all.get(front);
  return (
    <div className={id ? 'inbox inbox-card' : 'inbox'}>
      <div className="ilist">
        {waiting.length > 0 && (
          <section aria-label={t('inbox.waitingForYou')}>
            <div className="grp wait" aria-hidden="true">
              <b>{t('inbox.waitingForYou')}</b>
              <span>{waiting.length}</span>
            </div>
            {waiting.map((i) => (
              <Item key={i.interaction_id} i={i} current={i === open} />
            ))}
          </section>
        )}
        {waiting.length === 0 && <Empty>{empty}</Empty>}
        {movedOn.length > 0 && <MovedOn list={movedOn} open={open} clear={clear} />}
      </div>
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
                : t('inbox.movedOn')}
            </span>
            <a href={href({ page: 'session', id: open.session_id })}>{t('inbox.openSession')}</a>
          </div>
          {renderCard(open)}
          {!open.outcome && <KeyHints i={open} />}
        </div>
      )}
    </div>
  );
}

function MovedOn({
  list,
  open,
  clear,
}: {
  list: readonly Interaction[];
  open: Interaction | undefined;
  clear: Props['clear'];
}) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const clearAll = async () => {
    setBusy(true);
    try {
      for (const i of list) await clear(i);
    } catch {
      // What could not be cleared stays in the list, where it is seen.
    }
    setBusy(false);
  };
  return (
    <section aria-label={t('inbox.movedOn')}>
      <div className="grp grp-moved">
        <b>{t('inbox.movedOn')}</b>
        <span>{list.length}</span>
        <button type="button" className="link" disabled={busy} onClick={() => void clearAll()}>
          {t('inbox.clear')}
        </button>
      </div>
      {list.map((i) => (
        <Item key={i.interaction_id} i={i} current={i === open} />
      ))}
    </section>
  );
}

function Empty({ children }: { children: ReactNode }) {
  const t = useT();
  return (
    <div className="inbox-empty">
      <h2 className="h2">{t('inbox.nothing')}</h2>
      <p className="sec">{t('inbox.nothingWords')}</p>
      {children}
    </div>
  );
}

function Item({ i, current }: { i: Interaction; current: boolean }) {
  const t = useT();
  const language = useLanguage();
  const now = useServerNow(!i.outcome && i.deadline_at > 0);
  const { name } = useAgentName(i.agent);
  const given = i.deadline_at - i.requested_at;
  const left = i.deadline_at - now;
  return (
    <a
      className="item"
      href={href({ page: 'inbox', id: i.interaction_id })}
      aria-current={current ? 'true' : undefined}
      data-home-focus={current ? '' : undefined}
    >
      {i.outcome ? (
        <span className="item-icon mut">
          <Icon name="clock" />
        </span>
      ) : i.deadline_at ? (
        <Ring share={given > 0 ? left / given : 0} />
      ) : (
        <span className="item-icon item-form">
          <Icon name="form" />
        </span>
      )}
      <span className="who trunc">
        {name} · <Line text={i.session_title} />
      </span>
      <span className={i.outcome ? 'left calm' : 'left'}>
        {i.outcome
          ? clockTime(i.outcome.resolved_at, now, language)
          : i.deadline_at
            ? countdown(left)
            : t('inbox.noLimit')}
      </span>
      <span className="qq">
        <Line text={titleOf(t, i)} />
      </span>
      <span className="ki">{kindWords(t, i)}</span>
    </a>
  );
}

function titleOf(t: T, i: Interaction): string {
  if (i.approval)
    return i.approval.command ? t('inbox.runCommand', { command: i.approval.command }) : i.approval.title;
  return i.question || i.questions?.[0]?.question || '';
}

function kindWords(t: T, i: Interaction): string {
  if (i.outcome) return i.outcome.reason === 'timeout' ? t('inbox.kindTimeout') : t('inbox.kindLost');
  if (i.approval) {
    return i.approval.risks.some((r) => r !== '' && r !== 'network')
      ? t('inbox.kindRisky')
      : t('inbox.kindApproval');
  }
  if (i.url) return t('inbox.kindLink');
  if (i.kind === 'elicitation') return t('inbox.kindServer', { server: oneLine(i.server ?? '') });
  const n = i.questions?.length ?? 0;
  if (n > 1) {
    const answered = i.questions!.filter(
      (f) => (i.draft?.answers?.[f.id]?.length ?? 0) > 0 || i.draft?.typed?.[f.id],
    ).length;
    return t('inbox.kindForm', { answered, n });
  }
  const multi = i.multi_select || i.questions?.[0]?.multi_select;
  const options = i.options.length || i.questions?.[0]?.options.length || 0;
  if (options === 0) return t('inbox.kindText');
  return multi ? t('inbox.kindMany') : t('inbox.kindOne');
}

function KeyHints({ i }: { i: Interaction }) {
  const t = useT();
  const options = Math.min(
    9,
    i.options.length || (i.questions?.length === 1 ? i.questions[0]!.options.length : 0),
  );
  return (
    <div className="keys">
      <span>
        <Key>{t('key.ctrlJ')}</Key>
        {t('keys.nextQuestion')}
      </span>
      {options > 1 && (
        <span>
          <Key>1–{options}</Key>
          {t('keys.choose')}
        </span>
      )}
      <span>
        <Key>{t('key.tab')}</Key>
        {t('keys.ownWords')}
      </span>
      <span>
        <Key>Esc</Key>
        {t('keys.leave')}
      </span>
    </div>
  );
}

/** What was asked and answered before, newest first. */
export function History({ renderQuiet }: { renderQuiet: (i: Interaction) => ReactNode }) {
  const t = useT();
  const [list, setList] = useState<Interaction[] | null>(null);
  const [error, setError] = useState('');
  useEffect(() => {
    let gone = false;
    api.interactions('all', 200).then(
      (l) => !gone && setList(l.interactions.filter((i) => i.outcome)),
      (e) => !gone && setError(errorWords(e, t('common.offline'))),
    );
    return () => {
      gone = true;
    };
  }, [t]);
  return (
    <section className="page history" tabIndex={0} aria-label={t('inbox.history')}>
      {error && <p className="notice error">{error}</p>}
      {list?.length === 0 && <p className="sec">{t('inbox.noHistory')}</p>}
      {list?.map((i) => (
        <div key={i.interaction_id} className="history-row">
          <a className="mut note" href={href({ page: 'session', id: i.session_id })}>
            <Line text={i.session_title} />
          </a>
          {renderQuiet(i)}
        </div>
      ))}
    </section>
  );
}
