import type { Interaction } from '../../backend/types.gen.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { Key } from '../../ui/bits.tsx';
import { Head } from './head.tsx';
import { Options } from './options.tsx';
import { Say } from './say.tsx';

const given = 300_000;
const left = 252_000;

/** How a question looks, drawn with the parts of the real card. Nothing in it can be pressed or reached. */
export function SampleCard() {
  const t = useT();
  const at = Date.now();
  const i: Interaction = {
    interaction_id: '',
    run_id: '',
    session_id: '',
    kind: 'clarify',
    agent: 'demo',
    session_title: t('sample.session'),
    cwd: '~/hello',
    branch: 'main',
    plan_step: '',
    said_before: '',
    question: t('sample.question'),
    choices: null,
    options: [
      { label: t('sample.first'), description: t('sample.firstNote'), recommended: true },
      { label: t('sample.second'), description: t('sample.secondNote') },
    ],
    multi_select: false,
    requested_at: at - (given - left),
    timeout_ms: given,
    remaining_timeout_ms: left,
    deadline_at: at + left,
    max_deadline_at: at + 3_600_000,
  };
  return (
    <div className="card calm sample" inert aria-hidden="true">
      <Head i={i} now={at} folded={false} fold={() => {}} />
      <div className="c-body">
        <p className="q">{i.question}</p>
        <Options
          options={i.options}
          chosen={[]}
          valueFor={(o) => o.label}
          multi={false}
          labelledBy=""
          locked={false}
          choose={() => {}}
        />
        <Say value="" placeholder={t('card.orSay')} change={() => {}} locked={false} />
      </div>
      <footer className="c-foot">
        <span className="btn bare">{t('card.dismiss')}</span>
        <span className="btn bare">
          {t('card.moreBy', { time: t('dur.min', { n: 5 }) })}
          <Key live>T</Key>
        </span>
        <span className="echo" />
        <span className="btn" aria-disabled="true">
          {t('card.send')}
        </span>
      </footer>
    </div>
  );
}
