// The real programs in a scratch home, and real browsers in front of them.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { expect } from 'vitest';

const binDir = resolve(process.env.PARLEY_BIN_DIR ?? resolve(import.meta.dirname, '../../bin'));
export const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const browserArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Why the tests can't run here, "" when they can. */
export const missing = [
  existsSync(join(binDir, 'parley')) ? '' : `no parley in ${binDir} (PARLEY_BIN_DIR)`,
  existsSync(browserPath) ? '' : `no browser at ${browserPath} (CHROMIUM)`,
]
  .filter(Boolean)
  .join(', ');

/** A running `parley serve` with a home of its own. */
export class Program {
  readonly home = mkdtempSync(join(tmpdir(), 'parley-e2e-'));
  private child: ChildProcess | undefined;
  private browser: Browser | undefined;
  private readonly contexts: BrowserContext[] = [];
  url = '';

  async start(): Promise<void> {
    mkdirSync(join(this.home, 'user'), { recursive: true });
    this.child = this.run('serve', '--listen', '127.0.0.1:0');
    const link = await firstLine(this.child);
    this.url = new URL(link).origin;
    this.browser = await chromium.launch({ executablePath: browserPath, args: browserArgs });
  }

  /** Ends the back end without a word, as kill -9 does. */
  async crash(): Promise<void> {
    const gone = new Promise((done) => this.child!.once('close', done));
    this.child!.kill('SIGKILL');
    await gone;
  }

  /** Starts it anew in the same home and at the same address. */
  async again(): Promise<void> {
    this.child = this.run('serve', '--listen', new URL(this.url).host);
    await firstLine(this.child);
  }

  private run(...args: string[]): ChildProcess {
    return spawn(join(binDir, 'parley'), args, {
      env: {
        ...process.env,
        HOME: join(this.home, 'user'),
        PARLEY_HOME: join(this.home, 'parley'),
        PARLEY_BIN_DIR: binDir,
        SHELL: '/bin/sh',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  /** What a command of the program prints. */
  async ask(...args: string[]): Promise<string> {
    const child = this.run(...args);
    let out = '';
    child.stdout!.on('data', (d: Buffer) => {
      out += d.toString();
    });
    await new Promise((done) => child.on('close', done));
    return out.trim();
  }

  /** A browser of its own that a fresh link let in. Errors of the page fail the test that closes it. */
  async open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser!.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    this.contexts.push(context);
    const page = await context.newPage();
    watch(page);
    await this.enter(page);
    return page;
  }

  /** Lets a page in by a fresh link, and waits until the answer to it has led on to Parley's page. */
  async enter(page: Page): Promise<void> {
    await page.goto(await this.ask('serve', 'link'));
    await page.waitForURL(`${this.url}/`);
    await page.locator('.rail:visible, .pnav:visible').first().waitFor();
  }

  /** Closes all browsers, so that no tab of one test is there in the next. */
  async closePages(): Promise<void> {
    for (const c of this.contexts.splice(0)) await c.close();
  }

  async stop(): Promise<void> {
    await this.closePages();
    await this.browser?.close();
    const child = this.child;
    if (child && child.exitCode === null) {
      const gone = new Promise((done) => child.once('close', done));
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await gone;
      clearTimeout(late);
    }
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Trouble that pages had: errors in the console and ones that nobody caught. */
export const troubles: string[] = [];

function watch(page: Page): void {
  page.on('pageerror', (e) => troubles.push(String(e.stack)));
  page.on('response', (r) => {
    if (r.status() >= 400) troubles.push(`${r.status()} ${r.request().method()} ${r.url()}`);
  });
  page.on('console', (m) => {
    // What the browser says about a failed request is told better by the response.
    if (m.type() === 'error' && !m.text().startsWith('Failed to load resource')) troubles.push(m.text());
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let text = '';
    const late = setTimeout(() => fail(new Error(`no link within 30 s, but: ${text}`)), 30_000);
    child.stdout!.on('data', (d: Buffer) => {
      text += d.toString();
      const line = /^(http\S+)\s/m.exec(text)?.[1];
      if (!line) return;
      clearTimeout(late);
      done(line);
    });
    child.on('exit', (code) => fail(new Error(`parley ended with ${code}: ${text}`)));
  });
}

/** Starts the demo from the page for a new session and waits until its question is there. */
export async function startDemo(page: Page): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/#/`);
  await page.getByRole('button', { name: 'Start the demo' }).click();
  await page.locator('[data-card]').waitFor({ timeout: 60_000 });
}

/** Waits for a card, and until its place takes clicks and keys. */
export async function armed(page: Page): Promise<void> {
  await page.locator('[data-card]').waitFor();
  await page.waitForTimeout(450); // that a place takes nothing for 400 ms is what is waited out
}

/**
 * Clicks something until it has done what it does: a place takes no click in the
 * first moment after it has got new content.
 */
export async function until(page: Page, selector: string, done: () => Promise<boolean>): Promise<void> {
  const late = Date.now() + 20_000;
  while (!(await done())) {
    if (Date.now() > late) throw new Error(`${selector} was clicked in vain for 20 s`);
    await page
      .locator(selector)
      .first()
      .click({ timeout: 2000 })
      .catch(() => {}); // it may have gone with what the last click did
    await expect
      .poll(done, { timeout: 500, interval: 50 })
      .toBe(true)
      .catch(() => {});
  }
}
