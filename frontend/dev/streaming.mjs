// Measures how smooth the page stays while agents write: node dev/streaming.mjs [SECONDS] [AGENTS]
//
// A real back end (bin/parley serve, in a scratch home) runs 20 demo agents that
// each write 200 paragraphs at reading pace; headless Chromium shows one of
// them. Told are the times between animation frames, the tasks that kept the
// page busy for over 50 ms, its JavaScript heap, the memory of the process that
// draws it, and the processor time and memory of the back end and of all agents
// together; first with nobody at work, then with one, then with all. The table
// goes to the file that PARLEY_FIGURES names, else to standard output.

import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const seconds = Number(process.argv[2] ?? 15);
const agents = Number(process.argv[3] ?? 20);
const bin = process.env.PARLEY_BIN_DIR;
if (!bin) throw new Error('PARLEY_BIN_DIR is not set; make bench sets it to the built programs');

const load = () => readFileSync('/proc/loadavg', 'utf8').split(' ')[0];
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const ticks = 100; // of /proc, a second

// Every process: its parent, processor time in seconds, resident MiB.
function processes() {
  const all = new Map();
  for (const pid of readdirSync('/proc').filter((n) => /^\d+$/.test(n))) {
    try {
      const f = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      all.set(Number(pid), {
        parent: Number(f[1]),
        cpu: (Number(f[11]) + Number(f[12])) / ticks,
        mib: Number(f[21]) / 256,
        args,
      });
    } catch {
      // it has ended meanwhile
    }
  }
  return all;
}

function below(all, pid) {
  const found = [];
  for (const [p, i] of all) if (i.parent === pid) found.push(p, ...below(all, p));
  return found;
}

const sum = (all, pids, key) => pids.reduce((n, p) => n + (all.get(p)?.[key] ?? 0), 0);

const home = mkdtempSync(join(tmpdir(), 'parley-streaming-'));
const began = load();
const serve = spawn(join(bin, 'parley'), ['serve'], {
  env: { ...process.env, PARLEY_HOME: home, HOME: home },
  stdio: ['ignore', 'pipe', 'ignore'],
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-sync',
    '--enable-precise-memory-info',
  ],
});
try {
  const link = await new Promise((found) => createInterface(serve.stdout).once('line', found));
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(link);
  await page.waitForSelector('.main > *', { timeout: 60000 });

  const start = (n, prompt) =>
    page.evaluate(
      async ([n, prompt]) => {
        const ids = [];
        for (let i = 0; i < n; i++) {
          const r = await fetch('/api/sessions', {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ agent: 'demo', cwd: '', prompt }),
          });
          if (!r.ok) throw new Error(`session ${i}: ${r.status} ${await r.text()}`);
          ids.push((await r.json()).id);
        }
        return ids;
      },
      [n, prompt],
    );
  const working = () =>
    page.evaluate(
      async () =>
        (await (await fetch('/api/sessions')).json()).sessions.filter((s) => s.state === 'running').length,
    );

  async function measure(what, running) {
    for (let i = 0; (await working()) !== running; i++) {
      if (i > 300) throw new Error(`${await working()} agents are at work, not ${running}`);
      await wait(200);
    }
    await wait(2000);
    const before = processes();
    const from = Date.now();
    const seen = await page.evaluate(
      (ms) =>
        new Promise((done) => {
          const frames = [];
          const long = [];
          const watch = new PerformanceObserver((l) => long.push(...l.getEntries().map((e) => e.duration)));
          watch.observe({ type: 'longtask' });
          const length = () => document.querySelector('.main')?.textContent.length ?? 0;
          const text = length();
          const end = performance.now() + ms;
          let last = performance.now();
          const frame = (now) => {
            frames.push(now - last);
            last = now;
            if (now < end) return requestAnimationFrame(frame);
            watch.disconnect();
            done({
              frames: frames.slice(1),
              long,
              grown: length() - text,
              heap: performance.memory.usedJSHeapSize / 2 ** 20,
            });
          };
          requestAnimationFrame(frame);
        }),
      seconds * 1000,
    );
    const after = processes();
    const took = (Date.now() - from) / 1000;
    if ((await working()) !== running)
      throw new Error('agents ended while the page was measured; take fewer seconds');
    if (running > 0 && seen.grown === 0)
      throw new Error('the page showed nothing new, so nothing was measured');
    const sorted = [...seen.frames].sort((a, b) => a - b);
    const at = (q) => sorted[Math.min(Math.floor(q * sorted.length), sorted.length - 1)].toFixed(1);
    const kids = below(after, serve.pid);
    const drawn = [...after]
      .filter(([p, i]) => below(after, process.pid).includes(p) && i.args.includes('--type=renderer'))
      .map(([p]) => p);
    const share = (pids) =>
      `${((100 * (sum(after, pids, 'cpu') - sum(before, pids, 'cpu'))) / took).toFixed(0)} %`;
    const late = sorted.filter((f) => f > 33.4).length;
    return `| ${[
      what,
      sorted.length,
      at(0.5),
      at(0.99),
      `${((100 * late) / sorted.length).toFixed(1)} %`,
      `${seen.long.length}, ${Math.max(0, ...seen.long).toFixed(0)} ms`,
      seen.heap.toFixed(0),
      sum(after, drawn, 'mib').toFixed(0),
      share(drawn),
      share([serve.pid]),
      sum(after, [serve.pid], 'mib').toFixed(0),
      share(kids),
    ].join(' | ')} |`;
  }

  const rows = [await measure('nobody', 0)];
  const [first] = await start(1, 'long');
  await page.evaluate((id) => {
    location.hash = `#/session/${id}`;
  }, first);
  rows.push(await measure('one agent', 1));
  await start(agents - 1, 'long');
  rows.push(await measure(`${agents} agents`, agents));

  const head = [
    'writing',
    'frames',
    'median ms',
    'p99 ms',
    'over 33 ms',
    'tasks over 50 ms: number, longest',
    'JS heap MiB',
    'page MiB',
    'page CPU',
    'back end CPU',
    'back end MiB',
    'agents CPU',
  ];
  const out = `\n### The page while agents write (${seconds} s each)\n\n| ${head.join(' | ')} |\n|${' --- |'.repeat(head.length)}\n${rows.join('\n')}\n\n${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC; load ${began} before, ${load()} after.\n`;
  if (process.env.PARLEY_FIGURES) appendFileSync(process.env.PARLEY_FIGURES, out);
  else process.stdout.write(out);
} finally {
  await browser.close();
  serve.kill('SIGTERM');
  await new Promise((ended) => (serve.exitCode === null ? serve.once('exit', ended) : ended()));
  rmSync(home, { recursive: true, force: true });
}
