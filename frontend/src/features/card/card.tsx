import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import type { Draft, Interaction } from '../../backend/types.gen.ts';
import { useLanguage, useT } from '../../lib/i18n/i18n.ts';
import { neutral } from '../../lib/text.ts';
import { clockTime } from '../../lib/time.ts';
import { useAnswers } from '../../state/answers.ts';
import { useServerNow } from '../../state/clock.ts';
import { hasAnswer } from '../../state/drafts.logic.ts';
import { takesLate } from '../../state/live.reducer.ts';
import { useLive } from '../../state/live.ts';
import { useSettings } from '../../state/settings.ts';
import { setFolded, useView } from '../../state/view.ts';
import { Coded } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { clearMovedOn, dismiss, edit, moreTime, sendAnswer } from './answer.ts';
import { ApprovalBody, LinkBody } from './approval.tsx';
import { canExtend, cardKey, type Press, shapeOf, soonMS, stepsOf } from './card.logic.ts';
import { type BodyProps, ClarifyBody } from './clarify.tsx';
import { FieldsBody, StepList } from './fields.tsx';
import { Foot } from './foot.tsx';
import { Head } from './head.tsx';
import { useArmed, useDraft, useSeen } from './hooks.ts';

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
  const folded = useView((v) => v.folded[i.interaction_id] ?? false);
  const ctrlSends = useSettings((s) => s.settings.send_key === 'ctrl_enter');
  const sessionClosed = useLive((s) => s.sessions[i.session_id]?.closed ?? false);
  const now = useServerNow(!i.outcome);
  const { live, onFocus, onBlur, leave } = useLiveness(root);
  const steps = stepsOf(i, draft);
  const armed = useArmed(
    `${i.interaction_id} ${steps.at} ${folded} ${sending?.phase ?? ''} ${i.outcome?.reason ?? ''}`,
  );
  useSeen(i.interaction_id, root, !i.outcome);

  const shape = shapeOf(i);
  const calm = i.outcome !== undefined;
  const soon = !calm && i.deadline_at > 0 && i.deadline_at - now < soonMS;
  const locked = sending?.phase === 'sending' || sending?.phase === 'accepted' || (calm && !takesLate(i));
  const act = (fn: () => void) => {
    if (armed()) fn();
  };
  const fold = () => setFolded(i.interaction_id, !folded);
  const goStep = (step: number) => {
    edit(i, { step });
    // The focused row is gone with its step; the card itself keeps the keys live.
    if (live) root.current?.focus();
  };
  const send = () => {
    if (shape === 'fields' && !steps.last) {
      if (steps.ready) goStep(steps.at + 1);
    } else if (hasAnswer(i, draft)) void sendAnswer(i);
  };

  const onKeyDown = (e: KeyboardEvent<HTMLElement>) => {
    if (e.target instanceof Element && e.target.closest('dialog')) return;
    const action = cardKey(press(e, root.current), {
      armed: armed(),
      ctrlSends,
      enterSends: shape === 'fields' || shape === 'clarify',
    });
    if (!action) return;
    e.preventDefault();
    e.stopPropagation();
    const option = (e.target as Element).closest<HTMLElement>('[data-option]');
    const group =
      option?.closest<HTMLElement>('[role="radiogroup"], [role="group"]') ?? onlyGroup(root.current);
    switch (action.do) {
      case 'choose':
        return group?.querySelector<HTMLElement>(`[data-option="${action.index}"]`)?.click();
      case 'toggle':
        return option?.click();
      case 'move':
        return move(option, action.by);
      case 'text':
        return (textAfter(option) ?? root.current?.querySelector<HTMLElement>('[data-say]'))?.focus();
      case 'send':
        return send();
      case 'dismiss':
        return void (calm ? clearMovedOn(i) : dismiss(i));
      case 'more':
        return void (canExtend(i) && !calm && moreTime(i));
      case 'fold':
        return fold();
      case 'leave':
        return leave();
    }
  };

  const body: BodyProps = {
    i,
    draft,
    locked,
    headingID,
    edit: (change: Partial<Draft>) => {
      // Words are never lost to the guard; ticks wait for it.
      if (change.text !== undefined || change.typed !== undefined || armed()) edit(i, change);
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
          {shape === 'fields' && <StepList i={i} draft={draft} />}
          <div className="c-body">
            {!docked && i.said_before && (
              <p className="before" dir="auto">
                <Coded text={neutral(i.said_before)} />
              </p>
            )}
            <Body {...body} />
          </div>
          {soon && <SoonStrip i={i} now={now} />}
          <Foot
            i={i}
            draft={draft}
            sending={sending}
            act={act}
            goStep={goStep}
            sessionClosed={sessionClosed}
          />
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
      return i.approval!.risks.some((r) => r !== '' && r !== 'network')
        ? 'card.labelRisky'
        : 'card.labelApproval';
    case 'link':
      return 'card.labelServer';
    default:
      if (i.kind === 'form') return 'card.labelForm';
      return i.server ? 'card.labelServer' : 'card.labelQuestion';
  }
}

function CalmStrip({ i }: { i: Interaction }) {
  const t = useT();
  return (
    <div className="strip plain strip-top">
      <Icon name="clock" />
      <div>{t(calmKey(i))}</div>
    </div>
  );
}

/** Why nobody waits any more, and what an answer would do now. */
function calmKey(i: Interaction) {
  if (!takesLate(i)) return 'card.over';
  if (i.undelivered_at) return 'card.lostAnswer';
  return i.outcome!.reason === 'timeout' ? 'card.wentOn' : 'card.lostAgent';
}

function SoonStrip({ i, now }: { i: Interaction; now: number }) {
  const t = useT();
  const language = useLanguage();
  const time = clockTime(i.deadline_at, now, language);
  return (
    <div className="strip wait">
      <Icon name="clock" />
      <div>{canExtend(i) ? t('card.soonTyping', { time }) : t('card.soon', { time })}</div>
    </div>
  );
}

/** Whether the person is in the card, and the way back to where they were. */
function useLiveness(root: React.RefObject<HTMLElement | null>) {
  const [live, setLive] = useState(false);
  const from = useRef<HTMLElement | null>(null);
  const inside = useRef(false);
  const back = () => {
    const target = from.current?.isConnected
      ? from.current
      : document.querySelector<HTMLElement>('[data-home-focus]');
    target?.focus();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the card goes, and only then
  useEffect(
    () => () => {
      // The card goes while the focus is in it: give it back, never leave it nowhere.
      if (inside.current) queueMicrotask(back);
    },
    [],
  );
  return {
    live,
    leave: back,
    onFocus: (e: FocusEvent) => {
      if (!inside.current && e.relatedTarget instanceof HTMLElement) from.current = e.relatedTarget;
      inside.current = true;
      setLive(true);
    },
    onBlur: (e: FocusEvent) => {
      if (e.relatedTarget instanceof Node && root.current?.contains(e.relatedTarget)) return;
      // The window losing the focus is not the person leaving the card.
      if (!e.relatedTarget && !document.hasFocus()) return;
      inside.current = false;
      setLive(false);
    },
  };
}

function press(e: KeyboardEvent, root: HTMLElement | null): Press {
  const el = e.target as HTMLElement;
  const text = el.matches('input, textarea, select, [contenteditable="true"]');
  const on = text ? 'text' : el === root ? 'card' : el.closest('[data-option]') ? 'option' : 'button';
  return {
    key: e.key,
    ctrl: e.ctrlKey || e.metaKey,
    shift: e.shiftKey,
    alt: e.altKey,
    repeat: e.repeat,
    composing: e.nativeEvent.isComposing || e.keyCode === 229,
    on,
  };
}

/** The only group of options, when there is one: digits need no choice of group then. */
function onlyGroup(root: HTMLElement | null): HTMLElement | null {
  const groups = root?.querySelectorAll<HTMLElement>('[role="radiogroup"], .opts[role="group"]') ?? [];
  return groups.length === 1 ? groups[0]! : null;
}

function move(option: HTMLElement | null, by: number): void {
  const rows = Array.from(
    option?.closest('[role="radiogroup"], [role="group"]')?.querySelectorAll<HTMLElement>('[data-option]') ??
      [],
  );
  const at = rows.indexOf(option!);
  rows[(at + by + rows.length) % rows.length]?.focus();
}

/** The text field that belongs to the group of this option. */
function textAfter(option: HTMLElement | null): HTMLElement | null {
  return option?.closest('[data-group]')?.querySelector<HTMLElement>('[data-say]') ?? null;
}
