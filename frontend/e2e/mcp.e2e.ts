// The page of MCP servers in front of the real program, its real file and a real
// server. The page is shown as in the desktop window: its calls go to the program's
// socket, since a browser may only look.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { missing, Program, troubles } from './program.ts';

const program = new Program();
const file = () => join(program.home, 'parley', 'config', 'mcp-overrides.jsonc');
const text = () => (existsSync(file()) ? readFileSync(file(), 'utf8') : '');

/** An MCP server with one tool, which says who it is on standard error. */
const server = `
const answers = {
  initialize: (p) => ({ protocolVersion: p.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '7' } }),
  'tools/list': () => ({ tools: [{ name: 'find_note', description: 'Finds notes by words', inputSchema: { type: 'object' } }] }),
};
console.error('notes at work');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  const error = result ? undefined : { code: -32601, message: 'no such method' };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result, error }));
});
`;

/** Hands a call of the page to the program's socket, as the window's own door does. */
async function overSocket(route: Route, socketPath: string): Promise<void> {
  const asked = route.request();
  const url = new URL(asked.url());
  const reply = await new Promise<{ status: number; body: string }>((done, fail) => {
    const call = request(
      {
        socketPath,
        path: url.pathname + url.search,
        method: asked.method(),
        headers: { 'Content-Type': 'application/json' },
      },
      (res) => {
        let body = '';
        res.on('data', (d: Buffer) => {
          body += d.toString();
        });
        res.on('end', () => done({ status: res.statusCode ?? 0, body }));
      },
    );
    call.on('error', fail);
    call.end(asked.postData() ?? undefined);
  });
  await route.fulfill({ ...reply, contentType: 'application/json' });
}

/** The control socket of the program's home, wherever in it that lies. */
function socketOf(home: string): string {
  const found = readdirSync(home, { recursive: true, withFileTypes: true }).find((f) => f.isSocket());
  if (!found) throw new Error(`no socket in ${home}`);
  return join(found.parentPath, found.name);
}

async function openPage(): Promise<Page> {
  const page = await program.open();
  const socket = socketOf(join(program.home, 'parley'));
  await page.route('**/api/mcp/**', (r) => overSocket(r, socket));
  await page.addInitScript('window.runtime = { BrowserOpenURL() {}, ClipboardSetText: async () => true }');
  await page.goto(`${program.url}/#/mcp`);
  await page.reload();
  await page.locator('.mcp-tbl').waitFor();
  return page;
}

const holds = (part: string | RegExp) => expect.poll(text, { timeout: 20_000 }).toMatch(part);

describe.skipIf(missing !== '')(`MCP servers${missing && ` (${missing})`}`, () => {
  beforeAll(async () => {
    await program.start();
    mkdirSync(join(program.home, 'user', 'bin'), { recursive: true });
    writeFileSync(join(program.home, 'notes.cjs'), server);
  });
  afterEach(async () => {
    await program.closePages();
    expect(troubles.splice(0).filter((t) => !t.includes('/api/mcp/'))).toEqual([]);
  });
  afterAll(() => program.stop());

  it('are added, tried, narrowed, given time and taken back', async () => {
    const page = await openPage();
    await page.getByText('None yet.').waitFor();
    await page.locator('.mcp-none .btn').first().click();
    await page.getByLabel('Name', { exact: true }).fill('notes');
    await page
      .getByLabel('Command, as in a terminal')
      .fill(`"${process.execPath}" ${join(program.home, 'notes.cjs')}`);
    await page.getByLabel('Variables, one a line').fill('API_TOKEN=abcdefgh-secret');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.locator('.srv', { hasText: 'notes' }).waitFor();
    await holds(/"notes": *\{/);

    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('find_note').waitFor({ timeout: 60_000 });
    await page.getByText('notes at work').waitFor({ state: 'attached' });
    await page.locator('.srv', { hasText: '1 tool' }).waitFor();

    await page.getByRole('switch', { name: 'Codex' }).click();
    await page.locator('.srv', { hasText: 'Off for Codex' }).waitFor();
    await holds(/"disabled": *\{\s*"codex": *\{\s*"\*": *\["notes"\]/);

    await page.getByRole('button', { name: 'Change timeout' }).click();
    await page.getByLabel('Value').fill('soon');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.dialog .help.bad', { hasText: 'no duration' }).waitFor();
    await page.getByLabel('Value').fill('10m');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.mcp-value', { hasText: '10m' }).waitFor();

    // What an agent is handed, and no view, holds the secret.
    await page.getByRole('button', { name: 'What agents get' }).click();
    await page.locator('[role="tabpanel"] pre', { hasText: '"timeout": 600000' }).waitFor();
    expect(await page.locator('.dialog').textContent()).not.toContain('abcdefgh-secret');
    await page.keyboard.press('Escape');
    expect(await page.locator('.mcp-tbl').textContent()).not.toContain('abcdefgh-secret');

    const before = text();
    await page.getByRole('button', { name: 'Undo' }).click();
    await holds(/"disabled"/);
    await expect.poll(() => text() !== before && !text().includes('10m')).toBe(true);
  });

  it('stand in a file that is mended where it is broken, and never written over', async () => {
    const page = await openPage();
    const good = '{\n  "servers": { "notes": { "command": "node", "timeout": "1m" } } // mine\n}\n';
    writeFileSync(file(), good);
    await page.locator('.mcp-lines', { hasText: '// mine' }).waitFor();

    // Somebody else breaks it: shown with its place, and what stays in force.
    writeFileSync(file(), good.replace('"1m"', '10 m'));
    await page.getByText('Line 2, column 57:').waitFor();
    await page.getByText('stays in force').waitFor();
    await page.getByRole('button', { name: 'Fix it' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(text).toBe(good.replace('"1m"', '"10m"'));

    // A text in the making when the file changes underneath.
    const area = page.locator('.mcp-text textarea');
    await area.fill(`${text()}// half of a thought\n`);
    writeFileSync(file(), good);
    await page.getByText('The file was changed meanwhile').waitFor();
    expect(await area.inputValue()).toContain('half of a thought');
    await area.press('Control+s');
    expect(text()).toBe(good);
    await page.getByRole('button', { name: 'Show the new file' }).click();
    expect(await area.inputValue()).toBe(good);

    // And saved by keys.
    await area.fill(good.replace('mine', 'still mine'));
    await page.getByText('not saved').waitFor();
    await area.press('Control+s');
    await expect.poll(text).toContain('// still mine');
  });

  it('can only be looked at in a browser', async () => {
    const page = await program.open();
    await page.goto(`${program.url}/#/mcp`);
    await page.locator('.mcp-tbl').waitFor();
    await page.getByText('Here you can look.').waitFor();
    expect(await page.getByRole('button', { name: 'Add server' }).count()).toBe(0);
    expect(await page.locator('.switch:not(:disabled)').count()).toBe(0);
    expect(await page.locator('.mcp-text textarea').getAttribute('readonly')).not.toBeNull();
  });
});
