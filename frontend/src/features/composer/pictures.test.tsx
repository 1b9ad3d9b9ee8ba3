// @vitest-environment happy-dom
// Pictures that are pasted, in a message and in an answer.
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { session } from '../../../dev/make.ts';
import { type BackEnd, begin, eventually, json, show } from '../../../test/page.tsx';
import { Composer } from './composer.tsx';

let back: BackEnd;
const s = session({ id: 's1', title: 'One', agent: 'claude' });

beforeEach(() => {
  back = begin([s], []);
  let n = 0;
  back.onPicture = (p) =>
    json(200, { name: p.name, mime: 'image/png', path: `/data/pictures/s1/${n++}.png` });
});
afterEach(() => vi.unstubAllGlobals());

const field = () => screen.getByRole('textbox', { name: 'Message Claude Code' });
const png = (name: string) => new File([new Uint8Array([137, 80, 78, 71])], name, { type: 'image/png' });
const paste = (files: File[], text = '') =>
  fireEvent.paste(field(), { clipboardData: { files, getData: () => text } });

it('sends what was pasted in its order, and nothing that was left out', async () => {
  show(<Composer session={s} />);
  paste([png('a.png'), png('b.png')]);
  paste([png('c.png')]);
  await eventually(() =>
    expect(screen.getAllByRole('img').map((i) => i.getAttribute('alt'))).toEqual(['a.png', 'b.png', 'c.png']),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Leave out b.png' }));
  fireEvent.click(screen.getByRole('button', { name: /Send/ }));
  await eventually(() => expect(back.told('/messages')).toHaveLength(1));
  expect(back.told('/messages')[0]).toMatchObject({
    text: '',
    attachments: [{ path: '/data/pictures/s1/0.png' }, { path: '/data/pictures/s1/2.png' }],
  });
  expect(screen.queryAllByRole('img')).toEqual([]);
});

it('leaves a paste with text to the field', () => {
  show(<Composer session={s} />);
  expect(paste([png('cells.png')], 'a\tb')).toBe(true); // not prevented
  expect(back.told('/pictures')).toEqual([]);
});

it('says what does not go along, and why', async () => {
  show(<Composer session={s} />);
  paste([new File(['%PDF'], 'paper.pdf', { type: 'application/pdf' })]);
  await screen.findByText(/“paper.pdf” can’t be read as a picture/);
  back.onPicture = () =>
    json(413, { error: { code: 'payload_too_large', message: 'The picture is larger than 3 MiB.' } });
  paste([png('large.png')]);
  await screen.findByText(/larger than 3 MiB/);
  back.offline = true;
  paste([png('later.png')]);
  await screen.findByText('“later.png” could not be added.');
  back.offline = false;
  back.onPicture = (p) => json(200, { name: p.name, mime: 'image/png', path: `/data/${p.name}` });
  paste(Array.from({ length: 11 }, (_, n) => png(`${n}.png`)));
  await screen.findByText('At most 10 pictures go along at once.');
  await eventually(() => expect(screen.getAllByRole('img')).toHaveLength(10));
});

it('waits for what is on its way, and gives all back when it could not go out', async () => {
  let arrive = (_: Response) => {};
  back.onPicture = () =>
    new Promise((done) => {
      arrive = done;
    });
  show(<Composer session={s} />);
  fireEvent.change(field(), { target: { value: 'look' } });
  paste([png('a.png')]);
  await screen.findByText('Adding a picture…');
  fireEvent.keyDown(field(), { key: 'Enter' });
  expect(back.told('/messages')).toEqual([]);
  await eventually(() => expect(back.told('/pictures')).toHaveLength(1));
  arrive(json(200, { name: 'a.png', mime: 'image/png', path: '/data/pictures/s1/a.png' }));
  await screen.findByRole('img');
  await eventually(() => expect(screen.queryByText('Adding a picture…')).toBeNull());
  back.offline = true;
  fireEvent.keyDown(field(), { key: 'Enter' });
  await screen.findByRole('alert');
  expect((field() as HTMLTextAreaElement).value).toBe('look');
  expect(screen.getAllByRole('img')).toHaveLength(1);
});
