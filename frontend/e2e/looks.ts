// What must be true of every picture, whatever it shows.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Everything that is wrong with the page as it stands, in sentences; empty when all is well. */
export async function faults(page: Page): Promise<string[]> {
  return [...(await page.evaluate(layoutFaults)), ...(await auditFaults(page))];
}

/** What may be wrong with its colours alone, in a theme that is not the first it was looked at in. */
export const colourFaults = (page: Page) => auditFaults(page, ['color-contrast']);

/** Accessibility and contrast; rules limits it to some of axe's. */
async function auditFaults(page: Page, rules: string[] = []): Promise<string[]> {
  // By hand and not as a script of the page, which its own policy would refuse.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  return page.evaluate(async (rules) => {
    const only = rules.length > 0 ? { runOnly: rules } : {};
    // biome-ignore lint/suspicious/noExplicitAny: axe is put in as text
    const result = await (window as any).axe.run(document, { resultTypes: ['violations'], ...only });
    return result.violations.flatMap((v: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
      v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)} ${n.failureSummary}`),
    );
  }, rules);
}

/** Runs in the page: nothing may stand out of it sideways, nor a button of the card out of sight. */
function layoutFaults(): string[] {
  const out: string[] = [];
  const wide = document.documentElement.clientWidth;
  const high = document.documentElement.clientHeight;
  if (document.documentElement.scrollWidth > wide) {
    out.push(`the page is ${document.documentElement.scrollWidth} px wide in a view of ${wide}`);
  }
  const tell = (el: Element) =>
    `${el.tagName.toLowerCase()}.${el.className} "${(el.textContent ?? '').trim().slice(0, 40)}"`;
  // What a container scrolls or cuts off by intent is no fault of its content.
  const clipped = (el: Element) => {
    for (let up = el.parentElement; up; up = up.parentElement) {
      if (getComputedStyle(up).overflowX !== 'visible') return true;
    }
    return false;
  };
  for (const el of document.querySelectorAll<HTMLElement>('#root *')) {
    const box = el.getBoundingClientRect();
    const style = getComputedStyle(el);
    if (box.width < 2 || box.height < 2 || style.visibility === 'hidden') continue;
    if ((box.right > wide + 1 || box.left < -1) && !clipped(el)) out.push(`stands out sideways: ${tell(el)}`);
    const scrolls = style.overflowX === 'auto' || style.overflowX === 'scroll';
    // Code and tables may scroll by themselves; prose, rows and controls may not.
    if (
      scrolls &&
      el.scrollWidth > el.clientWidth + 1 &&
      !el.closest('pre, .code, .cmd, .pv, .diff, table')
    ) {
      out.push(`scrolls sideways: ${tell(el)}`);
    }
    const words = el.matches('button') && (el.textContent ?? '').trim() !== '';
    if (words && el.scrollWidth > el.clientWidth + 1 && style.textOverflow !== 'ellipsis') {
      out.push(`a button is too narrow for its words: ${tell(el)}`);
    }
  }
  // What a finger has to hit.
  const touched =
    '.pnav a, .c-foot button, .c-head button, .dhead a, .comp button, .head > .btn, .opt, .sess, .rail-foot a, .rail-find .btn';
  for (const el of wide < 600 ? document.querySelectorAll<HTMLElement>(touched) : []) {
    const box = el.getBoundingClientRect();
    if (box.height > 1 && box.right > wide + 1) out.push(`a finger can’t reach it: ${tell(el)}`);
    if (box.height > 1 && (box.height < 43.5 || box.width < 43.5)) {
      out.push(
        `${Math.round(box.width)} × ${Math.round(box.height)} px is too small for a finger: ${tell(el)}`,
      );
    }
  }
  // A dialog lies over a card on purpose, until it is closed.
  const inCard = document.querySelector('dialog[open]') ? '' : '.card .c-foot button, .card .c-head button';
  for (const el of inCard ? document.querySelectorAll<HTMLElement>(inCard) : []) {
    const box = el.getBoundingClientRect();
    if (box.width === 0) continue;
    if (box.top < -1 || box.bottom > high + 1 || box.left < -1 || box.right > wide + 1) {
      out.push(`a button of the card is out of sight: ${tell(el)}`);
      continue;
    }
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    if (!top || !(el.contains(top) || top.contains(el)))
      out.push(`a button of the card is covered: ${tell(el)}`);
  }
  return out;
}
