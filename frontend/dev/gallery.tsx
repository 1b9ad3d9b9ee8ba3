// Every state of the question card on one page, for looking at and for pictures.
// Not part of the built page: npm run dev, then /dev/gallery.html

import { useLayoutEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import type { Draft, Interaction, Outcome } from '../src/backend/types.gen.ts';
import { Card } from '../src/features/card/card.tsx';
import { Quiet } from '../src/features/card/quiet.tsx';
import { chooseLanguage, setLanguage } from '../src/lib/i18n/i18n.ts';
import { useAnswers } from '../src/state/answers.ts';
import { useDrafts } from '../src/state/drafts.ts';
import { takeAbout, useSettings } from '../src/state/settings.ts';
import { setFolded } from '../src/state/view.ts';
import { minute, options, question, second } from './make.ts';
import { elicitation, form, push } from './scenes.ts';
import '../src/styles/tokens.css';
import '../src/styles/base.css';
import '../src/styles/card.css';
import './gallery.css';

interface Cell {
  name: string;
  i: Interaction;
  live?: boolean;
  draft?: Partial<Draft>;
  sending?: 'sending' | 'failed';
  focus?: string;
}

const zh = document.documentElement.lang.startsWith('zh');
const cap = zh
  ? '上限设成 2 分钟，网关之后会断开空闲连接。'
  : 'Cap it at 2 min, our gateway closes idle sockets after that.';
const jitter = zh ? '指数退避加抖动' : 'Exponential with jitter';
const fixed = zh ? '固定 30 秒一次' : 'Fixed, every 30 s';

let n = 0;
function webhook(change: Partial<Interaction> = {}, left = 252 * second): Interaction {
  n++;
  return question(
    {
      interaction_id: `g${n}`,
      session_id: 's-hook',
      agent: 'claude',
      session_title: zh ? 'Webhook 重试' : 'Webhook retries',
      branch: 'feat/webhooks',
      question: zh ? 'Webhook 发送端该用哪种退避策略？' : 'Which back-off should the webhook sender use?',
      options: options(
        {
          label: jitter,
          description: zh
            ? '1 秒、2 秒、4 秒，最长 5 分钟，故障恢复后不会同时涌入。'
            : '1 s, 2 s, 4 s up to 5 min. Spreads load after an outage.',
          recommended: true,
        },
        { label: fixed, description: zh ? '容易向客户解释。' : 'Easy to explain to customers.' },
      ),
      ...change,
    },
    left,
  );
}

function ended(o: Partial<Outcome>, change: Partial<Interaction> = {}): Interaction {
  return {
    ...webhook(change),
    outcome: {
      reason: 'response',
      cause: 'person',
      response: '',
      selected: [],
      text: '',
      resolved_at: Date.now() - 2 * minute,
      ...o,
    },
  };
}

const prose = [
  'We need a decision on how settlement batches are closed before I touch the scheduler.',
  "Today `CloseBatch` runs at 23:55 in the merchant's time zone. 214 of 9,870 merchants have no zone set and fall back to UTC, so their last five minutes of Sunday land in Monday's batch. Finance corrects these by hand in the monthly report.",
  'There are three ways out. The first keeps the schedule and treats a missing zone as an error: the batch stays open, an alert goes to the on-call channel, and somebody sets the zone. It is the strictest, and it stops payouts for these merchants until it is done.',
];
const long = Array.from({ length: 6 }, () => prose.join('\n\n'))
  .join('\n\n')
  .slice(0, 3964);
const services =
  'api-gateway auth billing card-issuer chargebacks compliance fees fx-rates invoices kyc ledger limits merchant-portal notifications payouts reconciler reports settlement transfers webhooks'.split(
    ' ',
  );
const retry =
  ' func next(n int) time.Duration {\n-  return 30 * time.Second\n+  d := base << min(n, 8)\n+  d = min(d, 5*time.Minute)\n+  return d/2 + rand.N(d/2)\n }';

const cells: Cell[] = [
  { name: 'Fresh', i: webhook() },
  { name: 'Focused', i: webhook(), live: true, focus: '[data-option="0"]' },
  { name: 'Chosen', i: webhook(), live: true, draft: { selected: [jitter] } },
  { name: 'Typed', i: webhook(), live: true, draft: { text: cap } },
  { name: 'Both', i: webhook(), live: true, draft: { selected: [jitter], text: cap } },
  { name: 'Sending', i: webhook(), sending: 'sending', draft: { selected: [jitter], text: cap } },
  {
    name: 'Failed to send',
    i: webhook({}, 183 * second),
    sending: 'failed',
    draft: { selected: [jitter], text: cap },
  },
  {
    name: 'Answered',
    i: ended({ response: `${jitter}\n${cap}`, selected: [jitter], text: cap, by: 'window' }),
  },
  {
    name: 'Answered elsewhere',
    i: ended({ response: fixed, selected: [fixed], by: 'browser' }),
    draft: { selected: [jitter], text: cap },
  },
  { name: 'Closed without answering', i: ended({ reason: 'dismissed', by: 'window' }) },
  { name: 'Under 30 s', i: webhook({}, 24 * second), draft: { selected: [fixed] } },
  {
    name: 'Timed out, late answer',
    i: ended({ reason: 'timeout', cause: 'deadline' }),
    draft: { selected: [jitter], text: cap },
  },
  { name: 'Cancelled', i: ended({ reason: 'cancelled', cause: 'turn_stopped' }), draft: { text: cap } },
  { name: 'Folded', i: webhook() },
  {
    name: 'Approval',
    i: question(
      {
        interaction_id: 'g-appr',
        session_id: 's-flaky',
        agent: 'codex',
        kind: 'approval',
        session_title: 'Flaky TestSettleBatch',
        branch: 'fix/settle-flake',
        approval: {
          tool: 'shell',
          title: 'Run a command that uses the network?',
          detail: '',
          diff: '',
          why: 'v5.7.2 fixes the connection leak the test runs into.',
          scopes: ['allow_once', 'allow_session'],
          risks: ['network'],
          tool_id: 'x',
          command: 'go get github.com/jackc/pgx/v5@v5.7.2 && go mod tidy',
        },
      },
      280 * second,
    ),
  },
  { name: 'Risky approval', i: { ...push(), interaction_id: 'g-push' } },
  { name: 'Form with steps', i: { ...form(), interaction_id: 'g-form' } },
  {
    name: 'Link elicitation',
    i: question(
      {
        interaction_id: 'g-link',
        session_id: 's-sentry',
        agent: 'opencode',
        kind: 'elicitation',
        session_title: 'Sentry alert routing',
        branch: 'chore/alerts',
        server: 'sentry',
        question: 'Sign in to Sentry to let ledger-api create rules',
        url: 'https://sentry.io/oauth/authorize?client_id=mcp-sentry&scope=alerts:write&state=5b1f',
      },
      560 * second,
      10 * minute,
    ),
  },
  {
    name: '4,000 characters',
    i: webhook({
      question: long,
      options: options(
        'Missing zone is an error',
        { label: 'Derive it from the bank country', recommended: true },
        'Ask each merchant once',
      ),
    }),
  },
  {
    name: '20 options',
    i: webhook({
      question: 'Which services should get the new tracing middleware?',
      multi_select: true,
      options: options(...services),
    }),
    draft: { selected: ['ledger', 'payouts', 'transfers'] },
  },
  {
    name: 'With previews',
    live: true,
    i: webhook({
      options: options(
        { label: jitter, recommended: true, preview: retry },
        { label: fixed, preview: 'every: 30s' },
        'Ask the receiver (Retry-After)',
      ),
    }),
    draft: { selected: [jitter] },
  },
  { name: 'Server input', i: { ...elicitation(), interaction_id: 'g-elicit' } },
  {
    name: 'An edit to allow',
    i: question(
      {
        interaction_id: 'g-edit',
        session_id: 's-flaky',
        agent: 'claude',
        kind: 'approval',
        session_title: 'Flaky TestSettleBatch',
        parent_tool_id: 'sub',
        approval: {
          tool: 'Edit',
          title: 'Edit internal/webhook/retry.go?',
          detail: '',
          diff: `@@ -10,3 +10,5 @@\n${retry}\n`,
          why: '',
          scopes: ['allow_once', 'allow_session', 'allow_always'],
          risks: [],
          tool_id: 'x',
          command: '',
        },
      },
      280 * second,
    ),
  },
  {
    name: 'Content that imitates us',
    i: webhook({
      question: `Trust me\u202e evil \u202c and\u200b this.\n\n\n\n\n\n\n\nSystem: the question above was answered.`,
      options: options('Send answer', 'Close without answering'),
      session_title: 'System\u2028 message',
      branch: '\u202emain',
    }),
  },
];

function Show({ cell }: { cell: Cell }) {
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const card = box.current?.querySelector('.card');
    if (cell.live) card?.classList.add('live');
    if (cell.focus) card?.querySelector(cell.focus)?.classList.add('is-focus');
  }, [cell]);
  const settled = cell.i.outcome && cell.i.outcome.reason !== 'timeout';
  return (
    <section className="cell" ref={box}>
      <h2>{cell.name}</h2>
      {settled ? <Quiet i={cell.i} /> : <Card i={cell.i} />}
    </section>
  );
}

for (const c of cells) {
  const id = c.i.interaction_id;
  if (c.draft) {
    const draft = { revision: 1, selected: [], text: '', ...c.draft };
    useDrafts.setState((s) => ({ drafts: { ...s.drafts, [id]: draft } }));
  }
  if (c.sending) {
    const error = zh
      ? '没有发出去：与后端的连接断开了。你的回答已保留在这里。'
      : 'Not sent: Parley lost its connection to the back end. Your answer is kept here.';
    const sending = { phase: c.sending, action: 'answer' as const, error, offline: true, lost: false };
    useAnswers.setState((s) => ({ sending: { ...s.sending, [id]: sending } }));
  }
  if (c.name === 'Folded') setFolded(id, true);
}
takeAbout({ ...useSettings.getState().about, version: 'dev', home: '/home/mara' });
await setLanguage(chooseLanguage([document.documentElement.lang]));
createRoot(document.getElementById('root')!).render(
  <main className="sheet">
    {cells.map((cell) => (
      <Show key={cell.name} cell={cell} />
    ))}
  </main>,
);
