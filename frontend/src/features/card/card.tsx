import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import type { Action, Draft, Interaction } from '../../backend/types.gen.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { neutral } from '../../lib/text.ts';
import { useAnswers } from '../../state/answers.ts';
import { useServerNow } from '../../state/clock.ts';
import { hasAnswer } from '../../state/drafts.logic.ts';
import { takesLate } from '../../state/live.reducer.ts';
import { useLive } from '../../state/live.ts';
import { useSettings } from '../../state/settings.ts';
import { setFolded, useView } from '../../state/view.ts';
import { announce } from '../../ui/announce.ts';
import { Coded } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { clearMovedOn, decide, dismiss, edit, moreTime, sendAnswer } from './answer.ts';
import { ApprovalBody, LinkBody } from './approval.tsx';
import {
  allowActions,
  asksAgain,
  cardKey,
  isRisky,
  moreTimeFor,
  shapeOf,
  soonMS,
  stepsOf,
} from './card.logic.ts';
import { type BodyProps, ClarifyBody } from './clarify.tsx';
import { fieldAt, groupOf, move, press, textFor } from './dom.ts';
import { FieldsBody, StepList } from './fields.tsx';
import { Foot } from './foot.tsx';
import { Head } from './head.tsx';
import { useArmed, useDraft, useInViewOf, useLiveness } from './hooks.ts';
import { Instead } from './instead.tsx';
import { CalmStrip } from './strips.tsx';
import { SoonStrip } from './time.tsx';

interface Props {
  i: Interaction;
  /** The agent's last lines stand right above, so the card leaves them out. */
  docked?: boolean;
}

/**
 * The question card: one for every way an agent can ask. It takes no focus and
 * no key by itself. Keys are live once the person has focused it, and nothing at
 * its place acts in the first moment after it, or a step of it, came up.
 */
export function Card({ i, docked = false }: Props) {
  const t = useT();
  const root = useRef<HTMLElement>(null);
  const headingID = useId();
  const draft = useDraft(i);
  const sending = useAnswers((s) => s.sending[i.interaction_id]);
  const aside = useAnswers((s) => s.asides[i.interaction_id]);
  const folded = useView((v) => v.folded[i.interaction_id] ?? false);
  const ctrlSends = useSettings((s) => s.settings.send_key === 'ctrl_enter');
  const sessionClosed = useLive((s) => s.sessions[i.session_id]?.closed ?? false);
  const now = useServerNow(!i.outcome);
  const { live, onFocus, onBlur, leave } = useLiveness(root);
  const [asked, setAsked] = useState<Action | ''>('');
  const [checked, setChecked] = useState(false);
  const steps = stepsOf(i, draft);
  const armed = useArmed(
    `${i.interaction_id} ${steps.at} ${folded} ${asked} ${sending?.phase ?? ''} ${i.outcome?.reason ?? ''}`,
  );
  useInViewOf(i.interaction_id, root, !i.outcome);

  const shape = shapeOf(i);
  const calm = i.outcome !== undefined;
  const soon = !calm && i.deadline_at > 0 && i.deadline_at - now < soonMS;
  const locked = sending?.phase === 'sending' || sending?.phase === 'accepted' || (calm && !takesLate(i));
  const act = (fn: () => void) => {
    if (armed()) fn();
  };
  const fold = () => setFolded(i.interaction_id, !folded);
  const goStep = (step: number) => {
    setChecked(false);
    edit(i, { step });
  };
  const send = () => {
    if (shape !== 'fields') {
      if (hasAnswer(i, draft)) void sendAnswer(i);
    } else if (!steps.ready || (steps.last && !steps.complete)) {
      setChecked(true);
      if (steps.wrongStep !== steps.at) edit(i, { step: steps.wrongStep });
      const wrong = i.questions![steps.wrong]!.id;
      requestAnimationFrame(() => fieldAt(root.current, wrong)?.focus());
    } else if (steps.last) void sendAnswer(i);
    else goStep(steps.at + 1);
  };
  const deciding = {
    asked,
    choose: (action: Action) => {
      if (!asksAgain(i.approval!, action)) return void decide(i, action);
      setAsked(action);
      announce(t(action === 'allow_always' ? 'card.alwaysAnnounce' : 'card.really'));
    },
    yes: () => {
      setAsked('');
      if (asked) void decide(i, asked);
    },
    no: () => setAsked(''),
  };

  const onKeyDown = (e: KeyboardEvent<HTMLElement>) => {
    if (e.target instanceof Element && e.target.closest('dialog')) return;
    const action = cardKey(press(e, root.current), {
      armed: armed(),
      ctrlSends,
      enterSends: shape === 'fields' || shape === 'clarify',
      decisions: i.approval && !locked ? { offered: [...allowActions(i.approval), 'deny'], asked } : null,
    });
    // A card that was put aside is not answered unseen.
    if (!action || (folded && action.do !== 'fold' && action.do !== 'leave')) return;
    e.preventDefault();
    e.stopPropagation();
    const option = (e.target as Element).closest<HTMLElement>('[data-option]');
    switch (action.do) {
      case 'choose':
        return groupOf(option, root.current)
          ?.querySelector<HTMLElement>(`[data-option="${action.index}"]`)
          ?.click();
      case 'toggle':
        return option?.click();
      case 'move':
        return move(option, action.by);
      case 'text':
        return textFor(option, root.current)?.focus();
      case 'send':
        return send();
      case 'dismiss':
        return void (calm ? clearMovedOn(i) : dismiss(i));
      case 'more':
        return void (moreTimeFor(i) > 0 && !calm && moreTime(i));
      case 'fold':
        return fold();
      case 'decide':
        return deciding.choose(action.action);
      case 'yes':
        return deciding.yes();
      case 'no':
        return deciding.no();
      case 'leave':
        return leave();
    }
  };

  const body: BodyProps = {
    i,
    draft,
    locked,
    checked,
    headingID,
    edit: (change: Partial<Draft>) => {
      // Words and pictures are never lost to the guard; ticks wait for it.
      const kept = change.text ?? change.typed ?? change.files;
      if (kept !== undefined || armed()) edit(i, change);
    },
  };
  const state = [live && 'live', soon && 'soon', calm && 'calm', locked && 'locked']
    .filter(Boolean)
    .join(' ');
  return (
    <section
      ref={root}
      className={`card ${state}`}
      aria-label={t(labelKey(i))}
      tabIndex={-1}
      data-card={i.interaction_id}
      onFocus={onFocus}
      onBlur={onBlur}
      onKeyDown={onKeyDown}
    >
      <Head i={i} now={now} folded={folded} fold={fold} />
      {!folded && (
        <>
          {calm && <CalmStrip i={i} />}
          {/* Where it moves nothing that a hand may be over: a docked card grows upwards, any other downwards. */}
          {soon && docked && <SoonStrip i={i} spent={aside?.spent ?? false} />}
          {shape === 'fields' && <StepList i={i} draft={draft} />}
          <div className="c-body">
            {!docked && i.said_before && (
              <p className="before" dir="auto">
                <Coded text={neutral(i.said_before)} />
              </p>
            )}
            <Body {...body} />
          </div>
          {aside?.shared && !i.outcome && (
            <div className="strip plain">
              <Icon name="info" />
              <div>{t('card.shared')}</div>
            </div>
          )}
          {aside?.error && (
            <div className="strip bad" role="alert">
              <Icon name="warn" />
              <div>{aside.error}</div>
            </div>
          )}
          {i.kind === 'form' && !calm && <Instead i={i} draft={draft} locked={locked} act={act} />}
          <Foot
            i={i}
            draft={draft}
            sending={sending}
            act={act}
            send={send}
            goStep={goStep}
            deciding={deciding}
            sessionClosed={sessionClosed}
          />
          {soon && !docked && <SoonStrip i={i} spent={aside?.spent ?? false} />}
        </>
      )}
    </section>
  );
}

function Body(props: BodyProps): ReactNode {
  switch (shapeOf(props.i)) {
    case 'approval':
      return <ApprovalBody {...props} />;
    case 'link':
      return <LinkBody {...props} />;
    case 'fields':
      return <FieldsBody {...props} />;
    case 'clarify':
      return <ClarifyBody {...props} />;
  }
}

function labelKey(i: Interaction) {
  switch (shapeOf(i)) {
    case 'approval':
      return isRisky(i.approval!) ? 'card.labelRisky' : 'card.labelApproval';
    case 'link':
      return 'card.labelServer';
    default:
      if (i.kind === 'form') return 'card.labelForm';
      return i.server ? 'card.labelServer' : 'card.labelQuestion';
  }
}
