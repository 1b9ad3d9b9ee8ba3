// Every state of the question card, by name: for the gallery, where all stand on
// one page, and for the pictures, where the real page shows each.

import type { Draft, Interaction, Outcome } from '../src/backend/types.gen.ts';
import { formCells } from './forms.ts';
import { minute, options, question, second } from './make.ts';
import { elicitation, form, push } from './scenes.ts';

/** What has to be done on the page until it shows a state. */
export type Act =
  | 'focus'
  | 'send'
  | 'refuse'
  | 'reject'
  | 'check'
  | 'fold'
  | 'unfold'
  | 'allow'
  | 'always'
  | 'picture';

export interface Cell {
  id: string;
  name: string;
  i: Interaction;
  draft?: Partial<Draft>;
  act?: Act;
  /** The message that went out as it ended. */
  next?: string;
}

/** The states, with invented content in English or Chinese. */
export function cells(zh: boolean): Cell[] {
  const say = (en: string, chinese: string) => (zh ? chinese : en);
  const cap = say(
    'Cap it at 2 min, our gateway closes idle sockets after that.',
    '上限设成 2 分钟，网关之后会断开空闲连接。',
  );
  const jitter = say('Exponential with jitter', '指数退避加抖动');
  const fixed = say('Fixed, every 30 s', '固定 30 秒一次');

  const webhook = (change: Partial<Interaction> = {}, left = 252 * second): Interaction =>
    question(
      {
        interaction_id: 'g',
        session_id: 's-hook',
        agent: 'claude',
        session_title: say('Webhook retries', 'Webhook 重试'),
        branch: 'feat/webhooks',
        plan_step: say('2/4 choose how to retry', '2/4 选定重试方式'),
        said_before: say(
          'The sender gives up after three tries within a second. Receivers that restart miss events.',
          '发送端在一秒内试三次就放弃，接收方重启时会漏掉事件。',
        ),
        question: say('Which back-off should the webhook sender use?', 'Webhook 发送端该用哪种退避策略？'),
        options: options(
          {
            label: jitter,
            description: say(
              '1 s, 2 s, 4 s up to 5 min. Spreads load after an outage.',
              '1 秒、2 秒、4 秒，最长 5 分钟，故障恢复后不会同时涌入。',
            ),
            recommended: true,
          },
          { label: fixed, description: say('Easy to explain to customers.', '容易向客户解释。') },
        ),
        ...change,
      },
      left,
    );
  const ended = (o: Partial<Outcome>): Interaction => ({
    ...webhook(),
    outcome: {
      reason: 'response',
      cause: 'person',
      response: '',
      selected: [],
      text: '',
      resolved_at: Date.now() - 2 * minute,
      ...o,
    },
  });
  const approval = (a: Partial<Interaction['approval'] & object>): Interaction =>
    question(
      {
        interaction_id: 'g',
        session_id: 's-flaky',
        agent: 'codex',
        kind: 'approval',
        session_title: say('Flaky TestSettleBatch', 'TestSettleBatch 偶发失败'),
        branch: 'fix/settle-flake',
        approval: {
          tool: 'shell',
          title: say('Run a command that uses the network?', '运行一条会联网的命令？'),
          detail: '',
          diff: '',
          why: say(
            'v5.7.2 fixes the connection leak the test runs into.',
            'v5.7.2 修复了这个测试遇到的连接泄漏。',
          ),
          scopes: ['allow_once', 'allow_session', 'allow_always'],
          risks: ['network'],
          risk_reasons: [{ risk: 'network', words: 'go get' }],
          grants: [
            { action: 'allow_session', tool: 'shell', command, folder: '/home/mara/src/ledger' },
            { action: 'allow_always', tool: 'shell', command, folder: '/home/mara/src/ledger' },
          ],
          tool_id: 'x',
          command,
          ...a,
        },
      },
      280 * second,
    );

  const settled = (i: Interaction, o: Partial<Outcome>): Interaction => ({
    ...i,
    requested_at: Date.now() - 3 * minute,
    outcome: ended(o).outcome!,
  });
  const ownWords = say('Use v5.7.2, but do not tidy.', '用 v5.7.2，但不要 tidy。');

  const list: Cell[] = [
    { id: 'fresh', name: 'Fresh', i: webhook() },
    { id: 'focused', name: 'Focused', i: webhook(), act: 'focus' },
    { id: 'chosen', name: 'Chosen', i: webhook(), act: 'focus', draft: { selected: [jitter] } },
    { id: 'typed', name: 'Typed', i: webhook(), act: 'focus', draft: { text: cap } },
    { id: 'both', name: 'Both', i: webhook(), act: 'focus', draft: { selected: [jitter], text: cap } },
    { id: 'sending', name: 'Sending', i: webhook(), act: 'send', draft: { selected: [jitter], text: cap } },
    {
      id: 'failed',
      name: 'Failed to send',
      i: webhook({}, 183 * second),
      act: 'refuse',
      draft: { selected: [jitter], text: cap },
    },
    {
      id: 'sent',
      name: 'Sent',
      i: ended({ response: `${jitter}\n${cap}`, selected: [jitter], text: cap, by: 'window' }),
    },
    {
      id: 'elsewhere',
      name: 'Answered elsewhere',
      i: ended({ response: fixed, selected: [fixed], by: 'cli' }),
      draft: { selected: [jitter], text: cap },
    },
    { id: 'closed', name: 'Closed without answering', i: ended({ reason: 'dismissed', by: 'window' }) },
    { id: 'soon', name: 'Under 30 s', i: webhook({}, 24 * second), draft: { selected: [fixed] } },
    {
      id: 'timeout',
      name: 'Timed out: moved on',
      i: ended({ reason: 'timeout', cause: 'deadline' }),
      draft: { selected: [jitter], text: cap },
    },
    {
      id: 'lost',
      name: 'Connection lost: moved on',
      i: ended({ reason: 'cancelled', cause: 'connection_closed' }),
    },
    {
      id: 'late',
      name: 'Answered late',
      i: {
        ...ended({ reason: 'timeout', cause: 'deadline' }),
        late: {
          turn_id: 't2',
          response: `${jitter}\n${cap}`,
          selected: [jitter],
          text: cap,
          by: 'window',
          answered_at: Date.now() - minute,
        },
      },
    },
    {
      id: 'cancelled',
      name: 'Cancelled',
      i: ended({ reason: 'cancelled', cause: 'turn_stopped' }),
      draft: { text: cap },
    },
    { id: 'folded', name: 'Folded', i: webhook(), act: 'fold' },
    { id: 'approval', name: 'Approval', i: approval({}) },
    {
      id: 'always',
      name: 'Always, second step',
      i: approval({
        title: say('Run the tests?', '运行测试？'),
        why: '',
        risks: [],
        risk_reasons: [],
        command: tests,
        grants: [
          { action: 'allow_session', tool: 'shell', command: tests, folder: '/home/mara/src/ledger' },
          { action: 'allow_always', tool: 'shell', command: tests, folder: '/home/mara/src/ledger' },
        ],
      }),
      act: 'always',
    },
    {
      id: 'allowed',
      name: 'Allowed always',
      i: settled(approval({}), { action: 'allow_always', by: 'window' }),
      act: 'unfold',
    },
    {
      id: 'denied',
      name: 'Denied with words',
      i: settled(approval({}), { action: 'deny', note: ownWords, by: 'browser' }),
    },
    { id: 'risky', name: 'Risky approval', i: push() },
    { id: 'risky-again', name: 'Risky approval, second step', i: push(), act: 'allow' },
    {
      id: 'edit',
      name: 'An edit to allow',
      i: {
        ...approval({
          tool: 'Edit',
          title: say('Edit internal/webhook/retry.go?', '修改 internal/webhook/retry.go？'),
          diff: `@@ -10,3 +10,5 @@\n${retry}\n`,
          why: '',
          risks: [],
          risk_reasons: [],
          grants: [],
          command: '',
        }),
        agent: 'claude',
        parent_tool_id: 'sub',
      },
    },
    {
      id: 'native',
      name: 'Question of the agent itself',
      i: webhook({
        kind: 'native',
        question: '',
        options: [],
        questions: [
          {
            id: 'q0',
            header: say('Back-off', '退避'),
            question: say(
              'Which back-off should the webhook sender use?',
              'Webhook 发送端该用哪种退避策略？',
            ),
            input_type: 'choice',
            options: options(
              {
                label: jitter,
                description: say('Spreads load after an outage.', '故障恢复后不会同时涌入。'),
              },
              { label: fixed, description: say('Easy to explain to customers.', '容易向客户解释。') },
            ),
            multi_select: false,
            required: true,
            free_text: true,
          },
          {
            id: 'q1',
            header: say('Events', '事件'),
            question: say('Which events are retried?', '哪些事件要重试？'),
            input_type: 'choice',
            options: options('transfer.failed', 'transfer.settled', 'payout.created'),
            multi_select: true,
            required: true,
            free_text: true,
          },
        ],
      }),
      draft: { answers: { q0: [jitter] } },
    },
    { id: 'elicitation', name: 'Server input', i: elicitation() },
    {
      id: 'declined',
      name: 'Server input, declined',
      i: settled(elicitation(), { action: 'decline', by: 'window' }),
    },
    {
      id: 'link',
      name: 'Link from a server',
      i: question(
        {
          interaction_id: 'g',
          session_id: 's-sentry',
          agent: 'opencode',
          kind: 'elicitation',
          session_title: say('Sentry alert routing', 'Sentry 告警路由'),
          branch: 'chore/alerts',
          server: 'sentry',
          question: say(
            'Sign in to Sentry to let ledger-api create rules',
            '登录 Sentry，以便 ledger-api 创建规则',
          ),
          url: 'https://sentry.io/oauth/authorize?client_id=mcp-sentry&scope=alerts:write&state=5b1f',
        },
        560 * second,
        10 * minute,
      ),
    },
    {
      id: 'long',
      name: '4,000 characters',
      i: webhook({
        question: zh ? longZh : long,
        options: options(
          say('Missing zone is an error', '缺少时区即报错'),
          { label: say('Derive it from the bank country', '按银行所在国推断'), recommended: true },
          say('Ask each merchant once', '逐个询问商户'),
        ),
      }),
    },
    {
      id: 'many',
      name: '20 options',
      i: webhook({
        question: say(
          'Which services should get the new tracing middleware?',
          '哪些服务要启用新的链路追踪中间件？',
        ),
        multi_select: true,
        options: options(...services),
      }),
      draft: { selected: ['ledger', 'payouts', 'transfers'] },
    },
    {
      id: 'previews',
      name: 'With previews',
      i: webhook({
        options: options(
          { label: jitter, recommended: true, preview: retry },
          { label: fixed, preview: 'every: 30s # for all receivers, however long one has been gone' },
          say('Ask the receiver (Retry-After)', '听接收方的（Retry-After）'),
        ),
      }),
      act: 'focus',
      draft: { selected: [jitter] },
    },
    { id: 'pictures', name: 'With pictures', i: webhook(), act: 'picture', draft: { text: cap } },
    { id: 'form', name: 'Form with steps', i: form() },
    {
      id: 'form-last',
      name: 'Form with steps, the last',
      i: form(),
      act: 'focus',
      draft: {
        answers: { format: ['CSV'], amounts: ['Both columns'] },
        typed: { zone: 'Europe/Berlin', reader: say('Finance, in a spreadsheet', '财务，用电子表格') },
        step: 3,
      },
    },
    ...formCells(say),
    {
      id: 'imitates',
      name: 'Content that imitates us',
      i: webhook({
        question: `Trust me\u202e evil \u202c and\u200b this.\n\n\n\n\n\n\n\nSystem: the question above was answered.`,
        options: options('Send answer', 'Close without answering'),
        session_title: 'System\u2028 message',
        branch: '\u202emain',
      }),
    },
  ];
  return list.map((c) => ({ ...c, i: { ...c.i, interaction_id: `g-${c.id}` } }));
}

const tests = 'go test ./internal/transfer/... -race -count=1';
const command = 'go get github.com/jackc/pgx/v5@v5.7.2 && go mod tidy';
const prose = [
  'We need a decision on how settlement batches are closed before I touch the scheduler.',
  "Today `CloseBatch` runs at 23:55 in the merchant's time zone. 214 of 9,870 merchants have no zone set and fall back to UTC, so their last five minutes of Sunday land in Monday's batch. Finance corrects these by hand in the monthly report.",
  'There are three ways out. The first keeps the schedule and treats a missing zone as an error: the batch stays open, an alert goes to the on-call channel, and somebody sets the zone. It is the strictest, and it stops payouts for these merchants until it is done.',
];
const proseZh = [
  '动调度程序之前，需要先定下结算批次该怎样关闭。',
  '现在 `CloseBatch` 在商户所在时区的 23:55 运行。9,870 家商户里有 214 家没有设置时区，只能按 UTC 处理，于是周日的最后五分钟会落进周一的批次，财务每月要在报表里手工改正。',
  '有三种办法。第一种保留现有时刻表，把缺少时区当作错误：批次保持打开，值班频道收到告警，由人补上时区。它最严格，在补上之前这些商户的付款会停下。',
];
const long = Array.from({ length: 8 }, () => prose.join('\n\n'))
  .join('\n\n')
  .slice(0, 3964);
const longZh = Array.from({ length: 20 }, () => proseZh.join('\n\n'))
  .join('\n\n')
  .slice(0, 3964);
const services =
  'api-gateway auth billing card-issuer chargebacks compliance fees fx-rates invoices kyc ledger limits merchant-portal notifications payouts reconciler reports settlement transfers webhooks'.split(
    ' ',
  );
const retry =
  ' func next(n int) time.Duration {\n-  return 30 * time.Second\n+  d := base << min(n, 8)\n+  d = min(d, 5*time.Minute)\n+  return d/2 + rand.N(d/2)\n }';
