// @vitest-environment happy-dom
// What agents write is text. It becomes no markup that acts, loads or lies.
import { cleanup, fireEvent, render } from '@testing-library/react';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../test/page.tsx';
import { Line, Paragraphs } from './bits.tsx';
import { Diff } from './diff.tsx';
import { OutsideContext } from './outside.ts';
import { Prose } from './prose.tsx';

const payloads = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '<svg onload="window.hacked = 1"><circle/></svg>',
  '<svg><script>window.hacked=1</script></svg>',
  '<iframe src="javascript:window.hacked=1"></iframe>',
  '<a href="javascript:window.hacked=1">x</a>',
  '<details open ontoggle="window.hacked=1">x</details>',
  '<style>body{display:none}</style>',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<form action="https://evil.example"><input name=x></form>',
  '[x](javascript:window.hacked=1)',
  '[x](JaVaScRiPt:window.hacked=1)',
  '[x](&#106;avascript:window.hacked=1)',
  '[x](java\tscript:window.hacked=1)',
  '[x](data:text/html,<script>window.hacked=1</script>)',
  '[x](vbscript:x)',
  '[x](file:///etc/passwd)',
  '[x](wails://wails/x)',
  '[x](//evil.example/x)',
  '[x](/api/sessions)',
  '[x][1]\n\n[1]: javascript:window.hacked=1',
  '<javascript:window.hacked=1>',
  '![x](https://evil.example/track.png)',
  '![x](javascript:window.hacked=1)',
  '```mermaid\ngraph TD; click A href "javascript:window.hacked=1"\n```',
  '```html\n<script>window.hacked=1</script>\n```',
  '| a |\n| - |\n| <img src=x onerror=window.hacked=1> |',
  '- [ ] <img src=x onerror=window.hacked=1>',
  '~~<b onclick=window.hacked=1>x</b>~~',
  '$\\href{javascript:window.hacked=1}{x}$',
  '\u202e<script>x</script>\u202c',
];

const open = vi.fn();
const outside = { open, copy: async () => true };

async function markdown(text: string): Promise<HTMLElement> {
  const { container } = render(
    <OutsideContext value={outside}>
      <Prose text={text} />
    </OutsideContext>,
  );
  await eventually(() => expect(container.querySelector('.plain')).toBeNull());
  return container;
}

function harmless(el: HTMLElement): void {
  expect(
    el.querySelectorAll(
      'script, style, iframe, object, embed, base, meta, form, link, img, video, svg script',
    ),
  ).toHaveLength(0);
  for (const e of el.querySelectorAll('*')) {
    for (const a of e.attributes) {
      expect(a.name).not.toMatch(/^on|^srcdoc$|^formaction$|^src$/i);
      if (a.name === 'href' || a.name === 'title')
        expect(a.value).not.toMatch(/^\s*(javascript|data|vbscript|file|wails):/i);
      if (a.name === 'href') expect(a.value).toMatch(/^(https?:|mailto:)/);
    }
  }
  expect((window as { hacked?: unknown }).hacked).toBeUndefined();
  expect(el.textContent).not.toMatch(/[\u202a-\u202e]/);
}

// Loaded late in the page; here up front, so that no test waits for it.
beforeAll(() => Promise.all([import('./markdown.tsx'), import('./highlight.ts')]));

afterEach(() => {
  cleanup();
  open.mockReset();
});

describe('Markdown', () => {
  it.each(payloads)('%j', async (payload) => {
    harmless(await markdown(payload));
    cleanup();
    harmless(await markdown(`Before.\n\n${payload}\n\nAfter.`));
  });

  it('opens a link outside, with any button, and never follows it here', async () => {
    const el = await markdown('See [docs](https://example.com/a) and <me@example.com>.');
    const [link, mail] = el.querySelectorAll('a');
    expect(link!.title).toBe('https://example.com/a');
    expect(fireEvent.click(link!)).toBe(false);
    fireEvent(link!, new MouseEvent('auxclick', { bubbles: true, cancelable: true, button: 1 }));
    fireEvent.click(mail!);
    expect(open.mock.calls.map((c) => c[0])).toEqual([
      'https://example.com/a',
      'https://example.com/a',
      'mailto:me@example.com',
    ]);
  });

  it('says where a link leads unless its words are the address', async () => {
    const el = await markdown(
      '[docs](https://example.com/a) [https://good.example/](https://evil.example/) <https://example.com/b> [`c`](https://user@example.com/c) [mail](mailto:me@example.com) [me@example.com](mailto:me@example.com)',
    );
    expect([...el.querySelectorAll('a')].map((a) => a.textContent)).toEqual([
      'docs (example.com)',
      'https://good.example/ (evil.example)',
      'https://example.com/b',
      'c (example.com)',
      'mail (me@example.com)',
      'me@example.com',
    ]);
  });

  it('shows a picture of elsewhere as a link and fetches nothing', async () => {
    const el = await markdown('![a cat](https://example.com/cat.png)');
    expect(el.querySelector('img')).toBeNull();
    expect(el.querySelector('a')?.textContent).toBe('a cat (example.com)');
  });

  it('draws what Markdown is for', async () => {
    const el = await markdown(
      '# Title\n\n**bold** and `code`\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```go\nfunc main() {}\n```',
    );
    expect(el.querySelector('h1')?.textContent).toBe('Title');
    expect(el.querySelector('strong')?.textContent).toBe('bold');
    expect(el.querySelectorAll('li')).toHaveLength(2);
    expect(el.querySelectorAll('td')).toHaveLength(2);
    await eventually(() => expect(el.querySelector('.c-word')?.textContent).toBe('func'));
    expect(el.querySelector('pre')?.textContent).toBe('func main() {}');
  });
});

describe('plain text', () => {
  it.each(payloads)('%j in a line, a paragraph and a diff', (payload) => {
    const { container } = render(
      <>
        <Line text={payload} />
        <Paragraphs text={payload} />
        <Diff text={`@@ -1 +1 @@\n+${payload}`} label="x" />
      </>,
    );
    harmless(container);
    expect(container.querySelectorAll('a')).toHaveLength(0);
  });
});
