import { useState } from 'react';
import { copyText, openOutside } from '../../backend/shell.ts';
import type { Action, Draft, Interaction } from '../../backend/types.gen.ts';
import { type PlainKey, type T, useLanguage, useT } from '../../lib/i18n/i18n.ts';
import { oneLine, shorten } from '../../lib/text.ts';
import { clockTime } from '../../lib/time.ts';
import { hostParts } from '../../lib/url.ts';
import type { Sending } from '../../state/answers.ts';
import { serverNow } from '../../state/clock.ts';
import { draftWords, hasAnswer } from '../../state/drafts.logic.ts';
import { takesLate } from '../../state/live.reducer.ts';
import { Key } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { clearMovedOn, decide, dismiss, moreTime, reopenAndSend, sendAnswer, tryAgain } from './answer.ts';
import { allowActions, canExtend, type Echo, echoOf, isRisky, shapeOf, stepsOf } from './card.logic.ts';
import { stepName } from './fields.tsx';
import { useArmed } from './hooks.ts';

interface Props {
  i: Interaction;
  draft: Draft;
  sending: Sending | undefined;
  /** Runs an act unless this place is too fresh. */
  act: (fn: () => void) => void;
  goStep: (step: number) => void;
  /** The session was closed, so a late answer opens it again. */
  sessionClosed: boolean;
}

/** What the card can do. Verbs say what happens; the one that acts stands at the right. */
export function Foot(props: Props) {
  const { i, sending } = props;
  if (sending?.phase === 'sending' || sending?.phase === 'accepted') return <Busy {...props} />;
  if (sending?.phase === 'failed') return <Failed {...props} sending={sending} />;
  if (i.outcome) return <Late {...props} />;
  switch (shapeOf(i)) {
    case 'approval':
      return <Decisions {...props} />;
    case 'link':
      return <LinkFoot {...props} />;
    default:
      return <AnswerFoot {...props} />;
  }
}

function CloseButton({ i, act }: Pick<Props, 'i' | 'act'>) {
  const t = useT();
  return (
    <button
      type="button"
      className="btn bare"
      title={t('card.dismissKey')}
      onClick={() => act(() => void (i.outcome ? clearMovedOn(i) : dismiss(i)))}
    >
      {t('card.dismiss')}
    </button>
  );
}

function MoreTime({ i, act }: Pick<Props, 'i' | 'act'>) {
  const t = useT();
  const language = useLanguage();
  if (!i.deadline_at) return null;
  const can = canExtend(i);
  const time = clockTime(i.max_deadline_at, serverNow(), language);
  return (
    <button
      type="button"
      className="btn bare"
      aria-disabled={!can || undefined}
      title={
        can
          ? i.max_deadline_at
            ? t('card.moreUntil', { time })
            : t('card.more')
          : t('card.noMore', { time })
      }
      onClick={() => can && act(() => void moreTime(i))}
    >
      {t('card.more')}
      <Key live>T</Key>
    </button>
  );
}

function echoWords(t: T, e: Echo): string {
  switch (e.kind) {
    case 'nothing':
      return '';
    case 'label':
      return shorten(oneLine(e.label), 60);
    case 'text':
      return t('card.echoText');
    case 'both':
      return t('card.echoBoth', { number: e.number });
    case 'many':
      return t('card.chosen', { n: e.n });
    case 'manyAndText':
      return t('card.echoManyText', { n: e.n });
  }
}

function AnswerFoot({ i, draft, act, goStep }: Props) {
  const t = useT();
  const fields = shapeOf(i) === 'fields';
  const steps = stepsOf(i, draft);
  const elicitation = i.kind === 'elicitation';
  const ready = fields && !steps.last ? steps.ready : hasAnswer(i, draft);
  const echo = fields
    ? i.kind === 'form' && draft.revision > 0
      ? t('card.draftKept')
      : ''
    : echoWords(t, echoOf(i, draft));
  return (
    <footer className="c-foot">
      <CloseButton i={i} act={act} />
      <MoreTime i={i} act={act} />
      <span className="echo">{echo}</span>
      {elicitation && (
        <button type="button" className="btn" onClick={() => act(() => void decide(i, 'decline'))}>
          {t('card.decline')}
        </button>
      )}
      {fields && steps.at > 0 && (
        <button type="button" className="btn" onClick={() => act(() => goStep(steps.at - 1))}>
          {t('card.back')}
        </button>
      )}
      {fields && !steps.last ? (
        <Primary ready={ready} act={() => act(() => goStep(steps.at + 1))}>
          {t('card.next', { step: stepName(i.questions![steps.at + 1]!) })}
        </Primary>
      ) : (
        <Primary ready={ready} act={() => act(() => void sendAnswer(i))}>
          {elicitation && i.server
            ? t('card.sendTo', { server: shorten(oneLine(i.server), 24) })
            : t('card.send')}
        </Primary>
      )}
    </footer>
  );
}

/** The acting button: grey and off until there is something to send. */
function Primary({ ready, act, children }: { ready: boolean; act: () => void; children: React.ReactNode }) {
  return (
    <button
      type="button"
      className={ready ? 'btn solid' : 'btn'}
      aria-disabled={!ready || undefined}
      data-primary=""
      onClick={() => ready && act()}
    >
      {children}
      {ready && (
        <Key>
          <Icon name="enter" small />
        </Key>
      )}
    </button>
  );
}

const allowWords: Partial<Record<Action, PlainKey>> = {
  allow_once: 'card.allowOnce',
  allow_session: 'card.allowSession',
  allow_always: 'card.allowAlways',
};

/** Allow and deny. When something could be destroyed Deny is the strong one and allowing takes two steps. */
function Decisions({ i, act }: Props) {
  const t = useT();
  const [asked, setAsked] = useState(false);
  const sure = useArmed(String(asked));
  const a = i.approval!;
  const risky = isRisky(a);
  const actions = allowActions(a);
  const allow = (action: Action) => act(() => void decide(i, action));
  if (risky) {
    return (
      <>
        {asked && (
          <div className="strip bad confirm" role="group" aria-label={t('card.really')}>
            <Icon name="warn" />
            <div className="grow">{t('card.really')}</div>
            <button type="button" className="btn sm" onClick={() => setAsked(false)}>
              {t('card.notYet')}
            </button>
            <button type="button" className="btn sm risk" onClick={() => sure() && allow(actions[0]!)}>
              {t('card.yesAllow')}
            </button>
          </div>
        )}
        <footer className="c-foot">
          <CloseButton i={i} act={act} />
          <span className="echo">{t('card.asksOnceMore')}</span>
          <button
            type="button"
            className="btn risk"
            aria-expanded={asked}
            onClick={() => act(() => setAsked(true))}
          >
            {t('card.allowOnceMore')}
          </button>
          <button type="button" className="btn solid" onClick={() => act(() => void decide(i, 'deny'))}>
            {t('card.deny')}
          </button>
        </footer>
      </>
    );
  }
  return (
    <footer className={actions.length > 2 ? 'c-foot c-foot-two' : 'c-foot c-foot-wide'}>
      <CloseButton i={i} act={act} />
      <MoreTime i={i} act={act} />
      <span className="echo" />
      <button type="button" className="btn" onClick={() => act(() => void decide(i, 'deny'))}>
        {t('card.deny')}
      </button>
      {actions
        .slice(1)
        .reverse()
        .map((action) => (
          <button key={action} type="button" className="btn" onClick={() => allow(action)}>
            {t(allowWords[action]!)}
          </button>
        ))}
      <button type="button" className="btn solid" onClick={() => allow(actions[0]!)}>
        {t(allowWords[actions[0]!]!)}
      </button>
    </footer>
  );
}

function LinkFoot({ i, act }: Props) {
  const t = useT();
  const { host } = hostParts(i.url!);
  return (
    <footer className="c-foot">
      <CloseButton i={i} act={act} />
      <span className="echo" />
      <button type="button" className="btn" onClick={() => void copyText(i.url!)}>
        {t('common.copy')}
      </button>
      <button type="button" className="btn" onClick={() => act(() => void decide(i, 'decline'))}>
        {t('card.decline')}
      </button>
      {host && (
        <button
          type="button"
          className="btn solid"
          onClick={() =>
            act(() => {
              openOutside(i.url!);
              void decide(i, 'accept');
            })
          }
        >
          <Icon name="link" small />
          {t('card.open', { host: shorten(host, 32) })}
        </button>
      )}
    </footer>
  );
}

/** Nobody waits any more; an answer goes out as the next message. */
function Late({ i, draft, act, sessionClosed }: Props) {
  const t = useT();
  const takes = takesLate(i);
  return (
    <footer className="c-foot">
      <CloseButton i={i} act={act} />
      <span className="echo">{takes && sessionClosed ? t('card.reopens') : ''}</span>
      {takes && (
        <Primary
          ready={hasAnswer(i, draft)}
          act={() => act(() => void (sessionClosed ? reopenAndSend(i) : sendAnswer(i)))}
        >
          {sessionClosed ? t('card.reopenAndSend') : t('card.sendNext')}
        </Primary>
      )}
    </footer>
  );
}

function Busy({ i, draft }: Props) {
  const t = useT();
  return (
    <footer className="c-foot" aria-busy="true">
      <span className="echo">{shapeOf(i) === 'clarify' ? echoWords(t, echoOf(i, draft)) : ''}</span>
      <button type="button" className="btn" aria-disabled="true">
        {t('card.sending')}
      </button>
    </footer>
  );
}

function Failed({ i, draft, act, sending }: Props & { sending: Sending }) {
  const t = useT();
  const words = draftWords(i, draft);
  return (
    <>
      <div className="strip bad" role="alert">
        <Icon name="warn" />
        <div>{sending.error}</div>
      </div>
      <footer className="c-foot">
        <CloseButton i={i} act={act} />
        {words && (
          <button type="button" className="btn bare" onClick={() => void copyText(words)}>
            {t('card.copyAnswer')}
          </button>
        )}
        <span className="echo" />
        <Primary ready act={() => act(() => void tryAgain(i, sending))}>
          {t('card.tryAgain')}
        </Primary>
      </footer>
    </>
  );
}
