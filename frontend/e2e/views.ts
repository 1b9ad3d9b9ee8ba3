// What is photographed: every state of the card on the real page, and the pages.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Act as CardAct, cells } from '../dev/cells.ts';
import { takesLate } from '../src/state/live.reducer.ts';

export interface View {
  id: string;
  name: string;
  /** Of the address: which scene, and where in the page. */
  query: string;
  hash: string;
  act?: CardAct | ((page: Page) => Promise<void>) | undefined;
  /** Shown as the desktop window shows it, which may do more than a browser. */
  inWindow?: boolean;
  /** What has to be there before anything else is done. */
  wait: string;
}

/** Brings a part of a long page to the top of its pane; the window itself stays where it is. */
function scrolledTo(selector: string) {
  return (page: Page) =>
    page
      .locator(selector)
      .first()
      .evaluate((e) => {
        const pane = e.closest('.page')!;
        pane.scrollTop += e.getBoundingClientRect().top - pane.getBoundingClientRect().top;
      });
}

/** Clicks one thing after the other, then waits for the last. */
function clicked(...selectors: string[]) {
  return async (page: Page) => {
    for (const s of selectors.slice(0, -1)) await page.locator(s).first().click();
    await page.locator(selectors.at(-1)!).first().waitFor();
  };
}

const cards: View[] = cells(false).map((c) => {
  const inInbox = !c.i.outcome || takesLate(c.i);
  const fate = { send: '&answers=stuck', refuse: '&answers=lost', reject: '&answers=refused' };
  const answers = fate[c.act as keyof typeof fate] ?? '';
  return {
    id: `card-${c.id}`,
    name: c.name,
    query: `cell=${c.id}${answers}`,
    hash: inInbox ? `inbox/${c.i.interaction_id}` : `session/${c.i.session_id}`,
    act: c.act,
    wait: inInbox ? '.card' : '.quiet',
  };
});

/** Another group of the settings has a button to add too, and is there before the profiles are. */
const profilesRead = '.set-row:has-text("work")';

const pages: View[] = [
  { id: 'inbox', name: 'Inbox', query: '', hash: 'inbox', wait: '.ilist .item' },
  { id: 'inbox-crowd', name: 'Inbox, 20 wait', query: 'scene=crowd', hash: 'inbox', wait: '.ilist .item' },
  { id: 'inbox-empty', name: 'Inbox, empty', query: 'scene=first', hash: 'inbox', wait: '.inbox-empty' },
  { id: 'session', name: 'Session', query: '', hash: 'session/s-idem', wait: '.card' },
  {
    id: 'session-quiet',
    name: 'Session, no card',
    query: 'scene=quiet',
    hash: 'session/s-idem',
    wait: '.tl-row',
  },
  {
    id: 'session-streaming',
    name: 'Session that writes, 20 in the rail',
    query: 'scene=day',
    hash: 'session/s-idem',
    wait: '.tl-row',
  },
  {
    id: 'session-soon',
    name: 'Session, card under 30 s',
    query: 'cell=soon',
    hash: 'session/s-hook',
    wait: '.card.soon .strip',
  },
  {
    id: 'sessions',
    name: 'Sessions, 20 at once',
    query: 'scene=day',
    hash: 'sessions',
    wait: '.sess',
    act: async (page) => {
      // On a phone the list is all there is.
      if (page.viewportSize()!.width > 640) await page.locator('.start').waitFor();
    },
  },
  {
    id: 'session-find',
    name: 'Session, found in it',
    query: 'scene=quiet',
    hash: 'session/s-idem',
    wait: '.tl-row',
    act: async (page) => {
      const find = page.locator('.find input');
      const ask = async () => {
        await page.keyboard.press('Control+f');
        return find.isVisible();
      };
      await expect.poll(ask, { timeout: 20_000 }).toBe(true); // heard a moment after the rows are drawn
      await find.fill('store');
      await page.locator('.find [role="status"]:not(:empty)').waitFor();
    },
  },
  {
    id: 'session-gate',
    name: 'Session, a message while a form waits',
    query: 'cell=form-one',
    hash: 'session/s-release',
    wait: '.card',
    act: async (page) => {
      await page.locator('.comp-text').fill('Take whatever the other services use, and go on.');
      await page.locator('.comp-text').press('Enter');
      await page.locator('.composer-error').waitFor();
    },
  },
  {
    id: 'session-more',
    name: 'Session, what can be done with it',
    query: 'cell=sent',
    hash: 'session/s-hook',
    wait: '.quiet',
    act: clicked('.head-tools [aria-haspopup]', '.menu [role="menuitem"]'),
  },
  {
    id: 'session-delete',
    name: 'Session, to be deleted',
    query: 'cell=sent',
    hash: 'session/s-hook',
    wait: '.quiet',
    act: clicked('.head-tools [aria-haspopup]', '.menu [role="menuitem"] >> nth=-1', '.dialog .btn.risk'),
  },
  {
    id: 'session-fork',
    name: 'A fork',
    query: 'scene=fork',
    hash: 'session/s-fork',
    wait: '.tl-origin',
  },
  { id: 'history', name: 'History', query: '', hash: 'history', wait: '.page' },
  { id: 'settings', name: 'Settings', query: '', hash: 'settings', wait: '.settings', inWindow: true },
  {
    id: 'settings-attention',
    name: 'Settings, notices and permissions',
    query: '',
    hash: 'settings',
    wait: '.rule-command',
    inWindow: true,
    act: scrolledTo('.set-group:nth-of-type(3)'),
  },
  {
    id: 'settings-profiles',
    name: 'Settings, profiles and what is kept',
    query: '',
    hash: 'settings',
    wait: profilesRead,
    inWindow: true,
    act: scrolledTo('.set-group:has(.set-add)'),
  },
  { id: 'settings-browser', name: 'Settings in a browser', query: '', hash: 'settings', wait: '.settings' },
  {
    id: 'profile-edit',
    name: 'A profile',
    query: '',
    hash: 'settings',
    wait: profilesRead,
    inWindow: true,
    act: clicked('.set-row:has-text("work") .btn:not(.icon)', '.profile-sheet table'),
  },
  {
    id: 'profile-wrong',
    name: 'A profile with a line that is no variable',
    query: '',
    hash: 'settings',
    wait: profilesRead,
    inWindow: true,
    act: async (page) => {
      await page.locator('.set-add .btn').first().click();
      await page.locator('.profile-sheet input').first().fill('night shift');
      await page.locator('.profile-sheet textarea').fill('HTTPS_PROXY=http://proxy.example:3128\nNO PROXY');
      await page.locator('.profile-sheet .help.bad').waitFor();
    },
  },
  {
    id: 'profile-remove',
    name: 'A profile, to be removed',
    query: '',
    hash: 'settings',
    wait: profilesRead,
    inWindow: true,
    act: clicked('.set-row:has-text("work") .btn.icon', '.menu [role="menuitem"]', '.dialog .btn.risk'),
  },
  {
    id: 'acp-wrong',
    name: 'An agent of one’s own, incomplete',
    query: '',
    hash: 'settings',
    wait: '.set-add',
    inWindow: true,
    act: async (page) => {
      await page.locator('.set-add .btn').last().click();
      await page.locator('.profile-sheet input').first().fill('Night Owl');
      await page.locator('.profile-sheet .btn.solid').click();
      await page.locator('.profile-sheet .help.bad').first().waitFor();
    },
  },
  { id: 'mcp', name: 'MCP servers', query: '', hash: 'mcp/docs', wait: '.mcp-tbl', inWindow: true },
  {
    id: 'mcp-broken',
    name: 'MCP servers, broken file',
    query: 'servers=broken',
    hash: 'mcp/postgres',
    wait: '.mcp-file-foot.bad',
    inWindow: true,
  },
  {
    id: 'mcp-none',
    name: 'MCP servers, none yet',
    query: 'servers=none&scene=first',
    hash: 'mcp',
    wait: '.mcp-none',
    inWindow: true,
  },
  {
    id: 'mcp-test',
    name: 'MCP server that fails',
    query: '',
    hash: 'mcp/sentry',
    wait: '.mcp-tbl',
    inWindow: true,
    act: async (page) => {
      await page.locator('.mcp-head .btn', { hasText: /Test|测试/ }).click();
      await page.locator('.mcp-test .state.bad').waitFor();
    },
  },
  {
    id: 'mcp-add',
    name: 'MCP servers, a new one',
    query: '',
    hash: 'mcp/docs',
    wait: '.mcp-tbl',
    inWindow: true,
    act: clicked('.head .btn:last-child', '.dialog .mcp-only'),
  },
  {
    id: 'mcp-field',
    name: 'MCP servers, a value to change',
    query: '',
    hash: 'mcp/docs',
    wait: '.mcp-tbl',
    inWindow: true,
    act: clicked('.mcp-tbl tr:has-text("timeout") .mcp-act .btn', '.dialog .mcp-scopes'),
  },
  {
    id: 'mcp-preview',
    name: 'MCP servers, what an agent gets',
    query: '',
    hash: 'mcp/docs',
    wait: '.mcp-tbl',
    inWindow: true,
    act: clicked('.mcp-acts .btn.bare', '.dialog.mcp-sheet pre'),
  },
  {
    id: 'mcp-import',
    name: 'MCP servers, taken from an agent',
    query: '',
    hash: 'mcp/docs',
    wait: '.mcp-tbl',
    inWindow: true,
    act: clicked('.head .btn', '.dialog .mcp-import li'),
  },
  {
    id: 'mcp-project',
    name: 'MCP servers of a project',
    query: '',
    hash: 'mcp/docs',
    wait: '.mcp-tbl',
    inWindow: true,
    act: clicked(
      '.mcp-head .mcp-pick >> nth=2',
      '.menu [role="menuitemradio"]:has-text("ledger")',
      '.mcp-trust',
    ),
  },
  {
    id: 'mcp-overtaken',
    name: 'MCP servers, the file changed under a draft',
    query: 'servers=restless',
    hash: 'mcp/docs',
    wait: '.mcp-tbl',
    inWindow: true,
    act: async (page) => {
      await page.locator('.mcp-text textarea').press('Control+End');
      await page.keyboard.type('// mine');
      await page.locator('.mcp-head .mcp-pick').nth(1).click();
      await page.locator('.menu [role="menuitemradio"]').last().click(); // has it read again
      await page.locator('.mcp-overtaken').waitFor();
    },
  },
  { id: 'mcp-browser', name: 'MCP servers in a browser', query: '', hash: 'mcp', wait: '.mcp-tbl' },
  { id: 'agents', name: 'Agents', query: '', hash: 'agents', wait: '.doc' },
  {
    id: 'agents-doctor',
    name: 'What the doctor found',
    query: '',
    hash: 'agents',
    wait: '.doc',
    act: scrolledTo('.doctor'),
  },
  {
    id: 'agents-trying',
    name: 'Agents, the doctor at work',
    query: 'doctor=goes-on',
    hash: 'agents',
    wait: '.doc',
    act: scrolledTo('.doctor'),
  },
  {
    id: 'agents-untried',
    name: 'Agents, the doctor never called',
    query: 'doctor=never',
    hash: 'agents',
    wait: '.doctor',
    act: scrolledTo('.doctor'),
  },
  // The start page gives way to the inbox where something waits, so nothing does here.
  { id: 'start', name: 'New session', query: 'scene=quiet', hash: '', wait: '.start' },
  {
    id: 'start-folder',
    name: 'New session, its folder',
    query: 'scene=quiet',
    hash: '',
    wait: '.start',
    act: clicked('.pick-folder', '.dialog-folders .folder'),
  },
  {
    id: 'start-ready',
    name: 'New session, ready, may do anything',
    query: 'scene=quiet',
    hash: '',
    wait: '.start .pick-folder .trunc',
    act: async (page) => {
      await page
        .locator('.start .ta')
        .fill('Make `POST /v1/transfers` idempotent, and keep the public API compatible.');
      await page.locator('.start .bar [aria-haspopup]').last().click();
      await page.locator('.menu [role="menuitemradio"]').last().click();
      await page.locator('.start-full').waitFor();
    },
  },
  {
    id: 'keys',
    name: 'Shortcuts',
    query: '',
    hash: 'history',
    wait: '.page',
    act: async (page) => {
      await page.locator('body').press('?');
      await page.locator('.key-sheet').waitFor();
    },
  },
  {
    id: 'palette',
    name: 'Commands',
    query: '',
    hash: 'session/s-idem',
    wait: '.card',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.locator('.palette [role="option"]').first().waitFor();
    },
  },
  { id: 'first-run', name: 'First run', query: 'scene=first', hash: '', wait: '.start' },
];

export const views: View[] = [...cards, ...pages];

/** Few that stand for many: what is checked whenever the tests run. */
export const often = ['card-both', 'card-risky', 'card-many', 'inbox', 'session', 'settings'];

export const sizes = [
  { width: 1280, height: 800 },
  { width: 900, height: 600 },
  { width: 390, height: 844 },
] as const;
