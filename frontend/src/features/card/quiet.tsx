import { useState } from 'react';
import { api } from '../../backend/client.ts';
import type { Draft, Interaction, Outcome } from '../../backend/types.gen.ts';
import { type T, useLanguage, useT } from '../../lib/i18n/i18n.ts';
import { fewLines, neutral, oneLine } from '../../lib/text.ts';
import { clockTime } from '../../lib/time.ts';
import { carriesWords, useAnswers } from '../../state/answers.ts';
import { askedOf } from '../../state/asked.ts';
import { useServerNow } from '../../state/clock.ts';
import { draftWords, isTouched } from '../../state/drafts.logic.ts';
import { draftOf, dropDraft, useDrafts } from '../../state/drafts.ts';
import { takesLate } from '../../state/live.reducer.ts';
import { shownOf } from '../../state/pictures.ts';
import { setOpen, useView } from '../../state/view.ts';
import { Coded, Paragraphs } from '../../ui/bits.tsx';
import { Icon, State } from '../../ui/icon.tsx';
import { Thumbs } from '../../ui/thumbs.tsx';
import { descriptionLines } from './card.logic.ts';
import { byKey, endKey, moments, offered, quietState } from './quiet.logic.ts';

/** A settled question: one quiet line that stays for ever, and unfolds to all that was on offer. */
export function Quiet({ i }: { i: Interaction }) {
  const t = useT();
  const language = useLanguage();
  const now = useServerNow(false);
  const key = `quiet.${i.interaction_id}`;
  const open = useView((v) => v.open[key] ?? false);
  const o = i.outcome;
  if (!o) return null;
  const end = endKey(o);
  const when = clockTime(i.late?.answered_at ?? o.resolved_at, now, language);
  const answered = o.reason === 'response' || o.reason === 'dismissed' || i.late;
  const by = i.late ? byKey({ ...o, by: i.late.by }) : byKey(o);
  return (
    <div className="quiet" data-settled={i.interaction_id}>
      <State name={i.late ? 'ok' : quietState(o)} />
      <button
        type="button"
        className="quiet-q sec trunc"
        dir="auto"
        aria-expanded={open}
        onClick={() => setOpen(key, !open)}
      >
        <Coded text={oneLine(askedOf(i))} />
      </button>
      <span className="m">{answered ? t('quiet.byAt', { by: t(by), when }) : when}</span>
      <div className="a" dir="auto">
        {i.late ? said(t, i.late) : end ? t(end) : said(t, o)}
        {i.late && <span className="mut"> {t('quiet.late')}</span>}
        {o.note && <span className="sec"> “{oneLine(o.note)}”</span>}
        <Thumbs pictures={shownOf(i.session_id, o.files ?? [], api.pictureURL)} />
      </div>
      {open && <Offered i={i} />}
      <LeftDraft i={i} />
    </div>
  );
}

/** What was answered: the labels, then the person's own words in quotes. */
function said(t: T, o: Pick<Outcome, 'selected' | 'text' | 'response' | 'files'>): string {
  const chosen = o.selected.map(oneLine).join(', ');
  const text = neutral(o.text).trim();
  if (chosen && text) return t('quiet.both', { chosen, text });
  if (text) return t('quiet.text', { text });
  // Without words it is what its pictures show, and not where they lie.
  return chosen || (o.files?.length ? '' : neutral(o.response));
}

function Offered({ i }: { i: Interaction }) {
  const t = useT();
  const language = useLanguage();
  const now = useServerNow(false);
  const life = moments(i).map(({ key, at }) => t(key, { when: clockTime(at, now, language) }));
  if (i.undelivered_at && !i.delivered_at) life.push(t('quiet.undelivered'));
  return (
    <div className="quiet-more">
      {i.approval?.command && <pre className="cmd">{neutral(i.approval.command)}</pre>}
      {offered(i).map((q, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: questions have no identity but their place
        <div key={n}>
          <Paragraphs text={q.question} />
          <ul>
            {q.options.map((opt) => (
              <li key={opt.label} className={opt.taken ? 'taken' : ''}>
                {opt.taken ? <Icon name="check" small /> : <span className="dot" />}
                <div dir="auto">
                  <Coded text={oneLine(opt.label)} />
                  {opt.taken && <bdi className="vh"> {t('quiet.taken')}</bdi>}
                  {opt.recommended && <bdi className="mut"> · {t('card.recommended')}</bdi>}
                  {opt.description && (
                    <div className="mut quiet-desc">
                      <Paragraphs text={fewLines(opt.description, descriptionLines)} />
                    </div>
                  )}
                </div>
              </li>
            ))}
          </ul>
          {q.typed.trim() && (
            <p className="quiet-typed" dir="auto">
              <span className="mut">{t('quiet.typed')}</span> {neutral(q.typed)}
            </p>
          )}
          {q.leftOut && <p className="mut">{t('quiet.leftOut')}</p>}
        </div>
      ))}
      <p className="mut quiet-life">{life.join(' · ')}</p>
    </div>
  );
}

/** A draft that did not go out is offered, never lost and never sent by itself. */
function LeftDraft({ i }: { i: Interaction }) {
  const t = useT();
  const [sent, setSent] = useState<'no' | 'sending' | 'failed'>('no');
  useDrafts((s) => s.drafts[i.interaction_id]);
  const mine = useAnswers((s) => s.sending[i.interaction_id]);
  const draft = draftOf(i);
  const answeredHere = mine?.phase === 'accepted' && !mine.lost && carriesWords(mine.action);
  if (i.late || takesLate(i) || !isTouched(i, draft) || answeredHere || saysTheSame(i, draft)) return null;
  const send = async () => {
    setSent('sending');
    try {
      const question = askedOf(i)
        .split('\n')
        .map((l) => `> ${l}`)
        .join('\n');
      await api.send(i.session_id, { text: `${question}\n\n${draftWords(i, draft)}` });
      dropDraft(i.interaction_id);
      // The back end keeps its copy; an empty one with a newer number takes its place.
      void api.saveDraft(i.interaction_id, { revision: Date.now(), selected: [], text: '' });
      setSent('no');
    } catch {
      setSent('failed');
    }
  };
  return (
    <div className="quiet-draft row">
      <span className="sec">{sent === 'failed' ? t('quiet.draftFailed') : t('quiet.draftLeft')}</span>
      <button type="button" className="link" disabled={sent === 'sending'} onClick={() => void send()}>
        {t('quiet.sendAsNew')}
      </button>
    </div>
  );
}

/** Whether a draft holds just what was answered, so that nothing of it is left. */
function saysTheSame(i: Interaction, d: Draft): boolean {
  const o = i.outcome!;
  if (o.reason !== 'response') return false;
  if (i.questions?.length)
    return i.questions.every((f) => same(o.answers?.[f.id] ?? [], d.answers?.[f.id] ?? []));
  return o.text === d.text.trim() && same(o.selected, d.selected);
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((v) => b.includes(v));
}
