import { copyText, openOutside } from '../../backend/shell.ts';
import type { Draft, Interaction } from '../../backend/types.gen.ts';
import { type T, useT } from '../../lib/i18n/i18n.ts';
import { oneLine, shorten } from '../../lib/text.ts';
import { hostParts } from '../../lib/url.ts';
import type { Sending } from '../../state/answers.ts';
import { draftWords, hasAnswer } from '../../state/drafts.logic.ts';
import { takesLate } from '../../state/live.reducer.ts';
import { ButtonKey } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { decide, reopenAndSend, sendAnswer, tryAgain } from './answer.ts';
import { type Echo, echoOf, shapeOf, stepsOf } from './card.logic.ts';
import { type Deciding, Decisions } from './decide.tsx';
import { stepName } from './fields.tsx';
import { CloseButton, MoreTime } from './time.tsx';

interface Props {
  i: Interaction;
  draft: Draft;
  sending: Sending | undefined;
  /** Runs an act unless this place is too fresh. */
  act: (fn: () => void) => void;
  /** Sends the answer, goes on to the next step, or shows what is still missing. */
  send: () => void;
  goStep: (step: number) => void;
  deciding: Deciding;
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

function AnswerFoot({ i, draft, act, send, goStep }: Props) {
  const t = useT();
  const fields = shapeOf(i) === 'fields';
  const steps = stepsOf(i, draft);
  const elicitation = i.kind === 'elicitation';
  const ready = fields && !steps.last ? steps.ready : hasAnswer(i, draft);
  const echo = fields ? fieldsEcho(t, i, draft) : echoWords(t, echoOf(i, draft));
  return (
    <footer className="c-foot">
      <CloseButton i={i} act={act} />
      <MoreTime i={i} act={act} />
      <span className="echo" dir="auto">
        {echo}
      </span>
      {elicitation && (
        <button
          type="button"
          className="btn"
          data-act="decline"
          title={t('card.declineTitle')}
          onClick={() => act(() => void decide(i, 'decline'))}
        >
          {t('card.decline')}
        </button>
      )}
      {fields && steps.at > 0 && (
        <button type="button" className="btn" onClick={() => act(() => goStep(steps.at - 1))}>
          {t('card.back')}
        </button>
      )}
      {fields && !steps.last ? (
        <Primary ready={ready} helps act={() => act(send)}>
          {t('card.next', { step: stepName(i.questions![steps.at + 1]!) })}
        </Primary>
      ) : (
        <Primary ready={ready} helps={fields} act={() => act(send)}>
          {elicitation && i.server
            ? t('card.sendTo', { server: shorten(oneLine(i.server), 24) })
            : t('card.send')}
        </Primary>
      )}
    </footer>
  );
}

/** What a form says beside its button: what is missing, or that the draft is safe. */
function fieldsEcho(t: T, i: Interaction, draft: Draft): string {
  const { missing } = stepsOf(i, draft);
  const replaced = i.kind === 'form' && draft.text.trim() !== ''; // by a message, which needs no field
  if (missing > 0 && draft.revision > 0 && !replaced) return t('card.missing', { n: missing });
  return i.kind === 'form' && draft.revision > 0 ? t('card.draftKept') : '';
}

interface PrimaryProps {
  ready: boolean;
  /** Pressed too early it shows what is missing. */
  helps?: boolean;
  act: () => void;
  children: React.ReactNode;
}

/** The acting button: grey and off until there is something to send. */
function Primary({ ready, helps = false, act, children }: PrimaryProps) {
  return (
    <button
      type="button"
      className={ready ? 'btn solid' : 'btn'}
      aria-disabled={!ready || undefined}
      data-primary=""
      onClick={() => (ready || helps) && act()}
    >
      {children}
      {ready && (
        <ButtonKey>
          <Icon name="enter" small />
        </ButtonKey>
      )}
    </button>
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
      <button
        type="button"
        className="btn"
        data-act="decline"
        title={t('card.declineTitle')}
        onClick={() => act(() => void decide(i, 'decline'))}
      >
        {t('card.decline')}
      </button>
      {host && (
        <button
          type="button"
          className="btn solid"
          data-act="open"
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
      <span className="echo" dir="auto">
        {shapeOf(i) === 'clarify' ? echoWords(t, echoOf(i, draft)) : ''}
      </span>
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
