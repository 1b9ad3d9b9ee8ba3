// What a card does to the world: answers, closes, asks for time, keeps drafts.
// Every call names the interaction it is for; nothing goes to "the open one".

import { ApiError, api, isOffline } from '../../backend/client.ts';
import type { Action, Answer, Draft, Interaction } from '../../backend/types.gen.ts';
import { errorWords, now as texts } from '../../lib/i18n/i18n.ts';
import {
  beginSending,
  carriesWords,
  forgetFailure,
  markFailed,
  markSettled,
  noteAside,
  type Sending,
  useAnswers,
} from '../../state/answers.ts';
import { serverNow } from '../../state/clock.ts';
import { hasAnswer, toAnswer } from '../../state/drafts.logic.ts';
import { changeDraft, confirmDraft, draftOf, dropDraft, outrank, useDrafts } from '../../state/drafts.ts';
import { takeCleared, takeInteraction, takeOutcome, takeSession } from '../../state/live.ts';
import { soonMS } from './card.logic.ts';

const saveAfterMS = 400;
const saveAgainMS = 5000;
const typingEveryMS = 5000;

const saving = new Map<string, ReturnType<typeof setTimeout>>();
const pinged = new Map<string, number>();

/** Sends the draft as the answer, if there is one and none is on its way. */
export function sendAnswer(i: Interaction): Promise<void> {
  const draft = draftOf(i);
  if (!hasAnswer(i, draft)) return Promise.resolve();
  return deliver(i, 'answer', toAnswer(i, draft));
}

/** Sends a decision on an approval, a decline, or the acceptance of a link. */
export function decide(i: Interaction, action: Action): Promise<void> {
  const text = draftOf(i).text.trim();
  const answer: Answer = {
    interaction_id: i.interaction_id,
    session_id: i.session_id,
    status: 'answered',
    action,
  };
  if (i.tool_use_id) answer.tool_use_id = i.tool_use_id;
  if (text && carriesWords(action)) answer.reason = text;
  return deliver(i, action, answer);
}

/** Closes without answering. That is no consent, and the agent is told so. */
export function dismiss(i: Interaction): Promise<void> {
  return deliver(i, 'dismiss', closing(i));
}

/** Closes a form without answering it; the message of the draft goes out behind that. */
export function replace(i: Interaction): Promise<void> {
  const message = draftOf(i).text.trim();
  return message ? deliver(i, 'replace', { ...closing(i), message }) : Promise.resolve();
}

function closing(i: Interaction): Answer {
  const answer: Answer = { interaction_id: i.interaction_id, session_id: i.session_id, status: 'cancelled' };
  if (i.kind === 'form') answer.type = 'interactive_form_question';
  if (i.tool_use_id) answer.tool_use_id = i.tool_use_id;
  return answer;
}

/** The same again that has failed. */
export function tryAgain(i: Interaction, failed: Sending): Promise<void> {
  if (failed.action === 'answer') return sendAnswer(i);
  if (failed.action === 'replace') return replace(i);
  return failed.action === 'dismiss' ? dismiss(i) : decide(i, failed.action);
}

/** Opens the closed session again and sends the late answer: the person was asked and said so. */
export function reopenAndSend(i: Interaction): Promise<void> {
  const draft = draftOf(i);
  if (!hasAnswer(i, draft)) return Promise.resolve();
  return deliver(i, 'answer', toAnswer(i, draft), true);
}

async function deliver(
  i: Interaction,
  action: Sending['action'],
  answer: Answer,
  reopen = false,
): Promise<void> {
  const id = i.interaction_id;
  if (!beginSending(id, action)) return;
  cancelSaving(id);
  try {
    if (reopen) takeSession(await api.resume(i.session_id));
    const reply = await api.answer(answer);
    markSettled(id, false);
    if (action === 'replace') dropDraft(id); // it went out, and is no answer
    if (reply.outcome && !reply.late) takeOutcome(id, reply.outcome);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'already_resolved' && error.outcome) {
      // Somebody was first. Their answer is shown; the draft here stays on offer.
      markSettled(id, true);
      takeOutcome(id, error.outcome);
      return;
    }
    const offline = isOffline(error);
    markFailed(id, errorWords(error, texts()('card.notSent')), offline);
  }
}

/** Changes the answer in the making and sees to it that it is kept. */
export function edit(i: Interaction, change: Partial<Draft>): void {
  const id = i.interaction_id;
  const phase = useAnswers.getState().sending[id]?.phase;
  if (phase === 'sending' || phase === 'accepted') return;
  forgetFailure(id);
  changeDraft(i, change);
  saveSoon(id, saveAfterMS);
  pingTyping(i);
}

/** Whether a card has one field that words from elsewhere can go into. */
export function takesWords(i: Interaction): boolean {
  if (i.outcome || i.approval || i.url) return false;
  return !i.questions?.length || (i.questions.length === 1 && i.questions[0]!.free_text);
}

/** Puts words into the answer in the making, behind those that are there. Nothing is sent. */
export function addWords(i: Interaction, words: string): void {
  const d = draftOf(i);
  const field = i.questions?.[0];
  const old = field ? (d.typed?.[field.id] ?? '') : d.text;
  const all = old.trim() ? `${old}\n${words.trim()}` : words.trim();
  edit(i, field ? { typed: { ...d.typed, [field.id]: all } } : { text: all });
}

function cancelSaving(id: string): void {
  clearTimeout(saving.get(id));
  saving.delete(id);
}

function saveSoon(id: string, afterMS: number): void {
  clearTimeout(saving.get(id));
  saving.set(
    id,
    setTimeout(() => void save(id), afterMS),
  );
}

async function save(id: string): Promise<void> {
  saving.delete(id);
  const draft = useDrafts.getState().drafts[id];
  if (!draft) return;
  try {
    const { saved, draft: other } = await api.saveDraft(id, draft);
    if (saved || !other) return confirmDraft(id, draft.revision);
    // Another window is at it. Nothing of here is lost: the next change goes above it.
    outrank(id, other.revision);
    noteAside(id, { shared: true });
  } catch (error) {
    // Unreachable: the browser keeps it, and it is tried again. A refusal is final.
    if (isOffline(error)) saveSoon(id, saveAgainMS);
  }
}

/** Saves what is waiting to be saved at once: the page is being left. */
export function saveNow(): void {
  for (const id of [...saving.keys()]) {
    cancelSaving(id);
    void save(id);
  }
}

/** Typing near the end earns more time by itself; the desk decides how often. */
function pingTyping(i: Interaction): void {
  const now = serverNow();
  if (i.outcome || !i.deadline_at || i.deadline_at - now > soonMS) return;
  if (now - (pinged.get(i.interaction_id) ?? 0) < typingEveryMS) return;
  pinged.set(i.interaction_id, now);
  api.typing(i.interaction_id).then(
    (fresh) => {
      takeInteraction(fresh);
      if (fresh.deadline_at <= i.deadline_at) noteAside(i.interaction_id, { spent: true });
    },
    () => {
      // The clock on the card stays as it is; the next key tries again.
      pinged.delete(i.interaction_id);
    },
  );
}

/** Asks for more time. */
export async function moreTime(i: Interaction): Promise<void> {
  const id = i.interaction_id;
  try {
    takeInteraction(await api.moreTime(id));
    noteAside(id, { error: '' });
  } catch (error) {
    if (error instanceof ApiError && error.outcome) takeOutcome(id, error.outcome);
    else noteAside(id, { error: errorWords(error, texts()('card.noTimeGiven')) });
  }
}

/** Takes a question that was moved on from out of the inbox. Its draft stays: the timeline still takes an answer. */
export async function clearMovedOn(i: Interaction): Promise<void> {
  const id = i.interaction_id;
  try {
    await api.clear(id);
    takeCleared(id, serverNow());
    noteAside(id, { error: '' });
  } catch (error) {
    noteAside(id, { error: errorWords(error, texts()('common.offline')) });
  }
}
