import { expect, it } from 'vitest';
import type { Interaction } from '../../backend/types.gen.ts';
import { inFront, neighbour } from './inbox.logic.ts';

const known = (...ids: string[]) => new Map(ids.map((id) => [id, {} as Interaction]));

it('shows what the address asks for, as long as it can be answered', () => {
  expect(inFront('b', ['a', 'b'], known('a', 'b'), 0)).toBe('b');
  expect(inFront('late', ['a'], known('a', 'late'), 0)).toBe('late');
});

it('brings up what took the place of an answered one', () => {
  expect(inFront('b', ['a', 'c'], known('a', 'c'), 1)).toBe('c');
  expect(inFront('c', ['a', 'b'], known('a', 'b'), 2)).toBe('b');
  expect(inFront('', ['a'], known('a'), 0)).toBe('a');
  expect(inFront('x', [], known(), 0)).toBe('');
});

it('goes round and round', () => {
  expect(neighbour(['a', 'b', 'c'], 'c', 1)).toBe('a');
  expect(neighbour(['a', 'b', 'c'], 'a', -1)).toBe('c');
  expect(neighbour(['a', 'b'], 'gone', 1)).toBe('a');
  expect(neighbour([], 'a', 1)).toBe('');
});
