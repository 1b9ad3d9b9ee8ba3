// @vitest-environment happy-dom
import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { idempotent } from '../../../dev/scenes.ts';
import {
  armed,
  button,
  card,
  checked,
  option,
  place,
  say,
  startClock,
  stopClock,
} from '../../../test/card.tsx';

beforeEach(stopClock);
afterEach(startClock);

it('sets 4,000 characters in a region that scrolls by itself, and opens them large', async () => {
  place({ ...idempotent(), question: 'All of it has to be read. '.repeat(154).slice(0, 4000) });
  await armed();
  const region = screen.getByRole('region', { name: 'Question' });
  expect(region.className).toContain('scroll');
  expect(region.tabIndex).toBe(0);
  expect(region.textContent).toHaveLength(4000);
  expect(screen.getByText('4,000 characters')).toBeTruthy();
  // Head, field and foot are beside it, not in it.
  for (const part of [document.querySelector('.c-head'), say(), button(/Send answer/)])
    expect(region.contains(part)).toBe(false);
  fireEvent.click(button('Open large'));
  const large = document.querySelector<HTMLElement>('dialog')!;
  expect(large.textContent).toContain('All of it has to be read.');
  expect(checked()).toEqual([]);
});

it('filters 20 options, keeps what was chosen, and gives digits to the first nine alone', async () => {
  const labels = Array.from({ length: 20 }, (_, n) => `service ${String(n + 1).padStart(2, '0')}`);
  place({ ...idempotent(), multi_select: true, options: labels.map((label) => ({ label })) });
  await armed();
  const group = screen.getByRole('group', { name: /A client reuses/ });
  expect(within(group).getAllByRole('checkbox')).toHaveLength(20);
  expect(group.querySelectorAll('.kbd')).toHaveLength(9);
  act(() => card().focus());
  for (const key of ['9', '0']) fireEvent.keyDown(card(), { key });
  expect(checked()).toEqual(['8']);
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'service 17' } });
  expect(within(group).getAllByRole('checkbox')).toHaveLength(1);
  fireEvent.click(option(16));
  expect(screen.getByText('2 chosen', { selector: '.echo' })).toBeTruthy();
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: '' } });
  expect(checked()).toEqual(['8', '16']);
  expect(say()).toBeTruthy();
});

it('shows a long preview beside the options, with the field for own words in reach', async () => {
  const preview = 'line of a preview\n'.repeat(30);
  place({ ...idempotent(), options: [{ label: 'a', preview }, { label: 'b' }] });
  await armed();
  const shown = screen.getByRole('region', { name: 'Preview of 1' });
  expect(shown.tabIndex).toBe(0);
  expect(shown.textContent).toContain('line of a preview');
  act(() => option(1).focus());
  expect(screen.getByText('No preview of 2')).toBeTruthy();
  fireEvent.keyDown(option(1), { key: 'Tab' });
  expect(document.activeElement).toBe(say());
});
