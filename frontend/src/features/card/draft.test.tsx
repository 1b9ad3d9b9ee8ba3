// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { idempotent } from '../../../dev/scenes.ts';
import {
  armed,
  button,
  checked,
  option,
  Place,
  place,
  say,
  startClock,
  stopClock,
  wait,
} from '../../../test/card.tsx';
import { type BackEnd, json, show } from '../../../test/page.tsx';
import type { Interaction } from '../../backend/types.gen.ts';

let back: BackEnd;

beforeEach(stopClock);
afterEach(startClock);

describe('a draft', () => {
  it('survives the card going and coming, and a reload', async () => {
    back = place(idempotent());
    await armed();
    fireEvent.change(say(), { target: { value: 'x'.repeat(300) } });
    fireEvent.click(option(1));
    cleanup();
    const { useDrafts } = await import('../../state/drafts.ts');
    useDrafts.setState({ drafts: {} }); // what a reload leaves: storage alone
    show(<Place id="q-idem" />);
    expect(say().value).toBe('x'.repeat(300));
    expect(checked()).toEqual(['1']);
  });

  it('is saved a moment after the last change, with a higher number each time', async () => {
    back = place(idempotent());
    await armed();
    for (const value of ['a', 'ab', 'abc']) fireEvent.change(say(), { target: { value } });
    await wait(400);
    fireEvent.change(say(), { target: { value: 'abcd' } });
    await wait(400);
    const saved = back.told('/draft') as { text: string; revision: number }[];
    expect(saved.map((d) => d.text)).toEqual(['abc', 'abcd']);
    expect(saved[1]!.revision).toBeGreaterThan(saved[0]!.revision);
    expect(Object.keys(saved[0]!)).not.toContain('saved');
  });

  it('is kept in the browser and saved later when the back end can’t be reached', async () => {
    back = place(idempotent());
    await armed();
    back.offline = true;
    fireEvent.change(say(), { target: { value: 'kept' } });
    await wait(400);
    expect(localStorage.getItem('parley.draft.q-idem')).toContain('kept');
    back.offline = false;
    await wait(5000);
    expect(back.told('/draft').at(-1)).toMatchObject({ text: 'kept' });
  });
});

it('says when another window writes too, keeps its own words, and saves above the other', async () => {
  back = place(idempotent());
  await armed();
  const other = Date.now() + 1_000_000;
  back.onDraft = () => json(200, { saved: false, draft: { revision: other, selected: [], text: 'theirs' } });
  fireEvent.change(say(), { target: { value: 'mine' } });
  await wait(400);
  expect(say().value).toBe('mine');
  expect(screen.getByText(/Another window has a different draft/)).toBeTruthy();
  back.onDraft = () => json(200, { saved: true });
  fireEvent.change(say(), { target: { value: 'mine still' } });
  await wait(400);
  const last = back.told('/draft').at(-1) as { revision: number; text: string };
  expect(last.text).toBe('mine still');
  expect(last.revision).toBeGreaterThan(other);
});

it('shows the pictures of an answer, and no path where there were no words', () => {
  const path = '/home/mara/.parley/pictures/abc.png';
  const i: Interaction = {
    ...idempotent(),
    outcome: {
      reason: 'response',
      cause: 'person',
      response: path,
      selected: [],
      text: '',
      files: [{ name: 'Sketch.png', mime: 'image/png', path }],
      by: 'window',
      resolved_at: Date.now(),
    },
  };
  back = place(i);
  expect(screen.getByRole('img', { name: 'Sketch.png' }).getAttribute('src')).toMatch(/abc\.png$/);
  expect(document.querySelector('.quiet .a')!.textContent).toBe('');
});

it('keeps a settled question with all that was on offer, what was said, who and when', async () => {
  const at = new Date(2026, 10, 30, 14, 0).getTime();
  const i: Interaction = {
    ...idempotent(),
    requested_at: at,
    seen_at: at + 60_000,
    delivered_at: at + 240_000,
    outcome: {
      reason: 'response',
      cause: 'person',
      response: '',
      selected: ['409 Conflict'],
      text: 'and log it',
      by: 'cli',
      resolved_at: at + 180_000,
    },
  };
  back = place(i);
  fireEvent.click(button(/A client reuses/));
  const more = document.querySelector('.quiet-more')!.textContent!;
  expect(more).toContain('422 with a problem document');
  expect(more).toContain('Recommended');
  expect(more).toContain('The client sees a clear error.');
  expect(document.querySelector('.quiet-more .taken')!.textContent).toContain('409 Conflict');
  expect(more).toContain('In your own words: and log it');
  const life = document.querySelector('.quiet-life')!.textContent!;
  expect(life).toMatch(/Asked .*14:00 · seen .*14:01 · answered .*14:03 · reached the agent .*14:04/);
  expect(screen.getByText(/You, in a terminal/)).toBeTruthy();
});
