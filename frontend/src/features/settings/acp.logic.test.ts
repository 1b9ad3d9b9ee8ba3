import { describe, expect, it } from 'vitest';
import type { ACPAgent } from '../../backend/types.gen.ts';
import { agentOf, draftOf, faults, fieldOf, idOf } from './acp.logic.ts';

const mine: ACPAgent = {
  id: 'mine',
  name: 'My agent',
  command: '/opt/mine',
  args: ['--acp', 'two\nlines', ''],
  env: { B: 'x=y ', A: '1' },
  modes: { ask: '', full: 'yolo' },
};

describe('an ACP agent', () => {
  it('is the same after it was opened and saved, also where lines cannot say it', () => {
    expect(agentOf(mine, draftOf(mine))).toEqual(mine);
  });

  it('takes what was typed and keeps its modes', () => {
    const d = { ...draftOf(mine), name: ' Ours ', command: ' ours ', args: 'acp\n\n-v', env: 'C=3\n' };
    expect(agentOf(mine, d)).toEqual({
      ...mine,
      name: 'Ours',
      command: 'ours',
      args: ['acp', '-v'],
      env: { C: '3' },
    });
  });

  it('begins with nothing, and without modes of its own', () => {
    const d = { name: 'A', id: 'a', command: 'a', args: '', env: '' };
    expect(agentOf(null, d)).toEqual({ id: 'a', name: 'A', command: 'a', args: [], env: {}, modes: {} });
  });

  it('is told what is wrong with it, field by field', () => {
    expect(faults(draftOf(mine), ['other'])).toEqual({});
    expect(faults(draftOf(null), [])).toEqual({
      name: 'acp.badName',
      id: 'acp.badId',
      command: 'acp.badCommand',
    });
    const d = draftOf(mine);
    expect(faults({ ...d, name: 'é'.repeat(61) }, [])).toEqual({ name: 'acp.badName' });
    expect(faults({ ...d, env: 'A=1\nB C=2' }, [])).toEqual({ env: 'acp.badEnv' });
    expect(faults(d, ['mine'])).toEqual({ id: 'acp.takenId' });
    for (const id of ['-a', 'a:b', 'A', 'a'.repeat(33)])
      expect(faults({ ...d, id }, [])).toEqual({ id: 'acp.badId' });
  });

  it('has an id made of its name', () => {
    expect(['My Agent!', '--', '智能体', `${'x'.repeat(31)} y`].map(idOf)).toEqual([
      'my-agent',
      'agent',
      'agent',
      'x'.repeat(31),
    ]);
  });

  it('knows which field a refusal is about', () => {
    expect(fieldOf('acp_agents[1].command', 1)).toBe('command');
    expect(fieldOf('acp_agents[1].command', 0)).toBeNull();
    expect(fieldOf('acp_agents[0].modes', 0)).toBeNull();
    expect(fieldOf('acp_agents', 0)).toBeNull();
  });
});
