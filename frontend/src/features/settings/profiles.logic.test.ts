import { describe, expect, it } from 'vitest';
import type { Profile } from '../../backend/types.gen.ts';
import { badVariables, contents, draftOf } from './profiles.logic.ts';

const work: Profile = {
  name: 'work',
  env: { PROXY: 'http://p:1', A: 'x=y ' },
  agents: { claude: { model: 'opus', env: { ONLY: '1' } }, codex: { effort: 'high' } },
  sessions: 3,
  secrets: ['claude KEY'],
};

describe('a profile', () => {
  it('is the same after it was opened and saved, but for what is only told', () => {
    expect(contents(work, draftOf(work))).toEqual({ ...work, sessions: 0, secrets: [] });
  });

  it('loses what was emptied and keeps an agent’s own variables', () => {
    const d = {
      ...draftOf(work),
      name: ' job ',
      env: '\n',
      agents: { claude: { model: ' ' }, codex: { effort: '' } },
    };
    expect(contents(work, d)).toEqual({
      name: 'job',
      env: {},
      agents: { claude: { env: { ONLY: '1' } } },
      sessions: 0,
      secrets: [],
    });
  });

  it('tells of lines that are no variable', () => {
    expect(badVariables('A=1\n\nB-C=2\nno\n=x\n_D=')).toEqual(['B-C=2', 'no', '=x']);
  });

  it('begins empty', () => {
    expect(contents(null, draftOf(null))).toEqual({
      name: '',
      env: {},
      agents: {},
      sessions: 0,
      secrets: [],
    });
  });
});
