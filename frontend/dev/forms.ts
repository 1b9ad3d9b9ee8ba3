// The states of a form's card: what is asked at once, in steps, before something
// is destroyed, and how each may end.

import type { Field, Interaction, Outcome } from '../src/backend/types.gen.ts';
import type { Cell } from './cells.ts';
import { minute, options, question } from './make.ts';

type Say = (en: string, chinese: string) => string;

function field(f: Partial<Field> & Pick<Field, 'id' | 'question'>): Field {
  const choice = f.options !== undefined;
  return {
    input_type: choice ? 'choice' : 'text',
    options: [],
    multi_select: false,
    required: true,
    free_text: true,
    ...f,
  };
}

function asked(change: Partial<Interaction>): Interaction {
  const i = question(
    {
      interaction_id: 'g',
      session_id: 's-release',
      agent: 'claude',
      kind: 'form',
      tool_use_id: 'call-1',
      branch: 'release/2.4',
      ...change,
    },
    0,
    0,
  );
  return { ...i, deadline_at: 0, max_deadline_at: 0, requested_at: Date.now() - 95 * minute };
}

function ended(i: Interaction, o: Partial<Outcome>): Interaction {
  const outcome: Outcome = {
    reason: 'response',
    cause: 'person',
    response: '',
    selected: [],
    text: '',
    by: 'window',
    resolved_at: Date.now() - 2 * minute,
    ...o,
  };
  return { ...i, outcome };
}

/** All states of forms, with invented content in English or Chinese. */
export function formCells(say: Say): Cell[] {
  const title = say('Release 2.4', '发布 2.4');
  const store = asked({
    session_title: title,
    said_before: say(
      'Both work. Postgres is what the other services run on.',
      '两种都可行，其他服务用的是 Postgres。',
    ),
    questions: [
      field({
        id: 'store',
        question: say('Which database should the new service use?', '新服务该用哪种数据库？'),
        options: options(
          { label: 'Postgres', value: 'postgres', recommended: true },
          { label: 'SQLite', value: 'sqlite' },
          { label: say('None, keep it in memory', '不用，留在内存里'), value: 'none' },
        ),
      }),
    ],
  });
  const several = asked({
    session_title: title,
    questions: [
      field({
        id: 'branch',
        question: say('Which branch should the release come from?', '从哪个分支发布？'),
        options: options('main', { label: 'stable', recommended: true }),
      }),
      field({
        id: 'checks',
        question: say('Which checks should run before it?', '发布前要跑哪些检查？'),
        multi_select: true,
        required: false,
        options: options(say('unit tests', '单元测试'), say('browser tests', '浏览器测试'), 'lint'),
        default: [say('unit tests', '单元测试')],
      }),
      field({
        id: 'note',
        question: say('What should the note say?', '发布说明写什么？'),
        required: false,
        placeholder: say('one sentence', '一句话'),
      }),
    ],
  });
  const drop = asked({
    session_title: say('Clean up the staging database', '清理预发数据库'),
    branch: 'main',
    said_before: say(
      'The table `users_old` has 48,210 rows and nothing has read it for a year. There is no backup of it.',
      '表 `users_old` 有 48,210 行，一年里没有程序读过它，也没有备份。',
    ),
    questions: [
      field({
        id: 'drop',
        question: say(
          'Drop the table users_old? This cannot be undone.',
          '删除表 users_old？删除后无法恢复。',
        ),
        options: options(
          { label: say('Drop it', '删除'), value: 'yes' },
          {
            label: say('Rename it to users_gone and drop it in a month', '改名为 users_gone，一个月后再删'),
            value: 'later',
          },
          { label: say('Keep it', '保留'), value: 'no' },
        ),
      }),
    ],
  });
  const other = say(
    'Keep both for now and only print what would be dropped.',
    '先都保留，只打印会删除什么。',
  );
  const mine = say('and a dry run', '再试运行一次');
  return [
    { id: 'form-one', name: 'Form, one choice', i: store },
    {
      id: 'form-typed',
      name: 'Form, own words beside a choice',
      i: store,
      act: 'focus',
      draft: {
        answers: { store: ['postgres'] },
        typed: { store: say('version 17, as in the other services', '用 17 版，与其他服务一致') },
      },
    },
    { id: 'form-several', name: 'Form, three questions', i: several },
    {
      id: 'form-missing',
      name: 'Form, something is missing',
      i: several,
      act: 'check',
      draft: { answers: { checks: ['lint'] }, typed: { checks: mine } },
    },
    { id: 'form-destroys', name: 'Form before something is destroyed', i: drop },
    { id: 'form-instead', name: 'Form, a message in its place', i: drop, draft: { text: other } },
    {
      id: 'form-refused',
      name: 'Form, refused by the back end',
      i: store,
      act: 'reject',
      draft: { answers: { store: ['sqlite'] } },
    },
    {
      id: 'form-answered',
      name: 'Form, answered',
      act: 'unfold',
      i: ended(several, {
        response: several
          .questions!.slice(0, 2)
          .map((f, n) => `${f.question} ${n ? `${say('unit tests', '单元测试')}, ${mine}` : 'stable'}`)
          .join('\n'),
        answers: { branch: ['stable'], checks: [say('unit tests', '单元测试'), mine], note: [] },
        typed: { checks: mine },
      }),
    },
    { id: 'form-closed', name: 'Form, closed', i: ended(drop, { reason: 'dismissed' }) },
    {
      id: 'form-replaced',
      name: 'Form, closed with a message',
      i: ended(drop, { reason: 'dismissed', by: 'browser' }),
      next: other,
    },
  ];
}
