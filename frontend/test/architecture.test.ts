// The layout as a test: who may import whom, and what a file may hold.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '../src');
const files = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((f) => f.isFile())
  .map((f) => join(f.parentPath, f.name));
const code = files.filter((f) => /\.tsx?$/.test(f) && !/\.test\.tsx?$/.test(f) && !f.endsWith('.gen.ts'));

/** What a folder may import of the others, and why it may import no more. */
const may: Record<string, { of: string[]; because: string }> = {
  lib: { of: [], because: 'lib knows nothing of the product' },
  ui: { of: ['lib'], because: 'primitives know no state and no back end' },
  backend: { of: ['lib'], because: 'the client is told what to do, it does not look at stores' },
  state: { of: ['lib', 'backend'], because: 'stores hold what was told' },
  features: { of: ['lib', 'backend', 'state', 'ui'], because: 'features are composed by app' },
  app: { of: ['lib', 'backend', 'state', 'ui', 'features', 'styles'], because: 'app composes' },
  'main.tsx': { of: ['lib', 'app', 'styles'], because: 'main only starts' },
};

function imports(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((m) => resolve(dirname(file), m[1]!));
}
const area = (file: string) => relative(src, file).split('/')[0]!;
const feature = (file: string) => relative(src, file).split('/')[1]!;

describe('imports', () => {
  it.each(code.map((f) => [relative(src, f), f]))('%s', (_, file) => {
    const rule = may[area(file)]!;
    for (const target of imports(file)) {
      const to = area(target);
      if (to === area(file)) {
        if (to === 'features')
          expect(feature(target), 'features never import each other').toBe(feature(file));
        continue;
      }
      expect(rule.of, `${relative(src, target)}: ${rule.because}`).toContain(to);
      if (area(file) === 'state') {
        const text = readFileSync(file, 'utf8');
        expect(text, 'state takes only types of backend').not.toMatch(/import \{[^}]*\} from '\.\.\/backend/);
      }
    }
  });

  it('only backend talks to the back end or the window', () => {
    const talks = code.filter(
      (f) =>
        area(f) !== 'backend' &&
        /\b(fetch\(|EventSource|window\.(go|runtime)\b)/.test(readFileSync(f, 'utf8')),
    );
    expect(talks.map((f) => relative(src, f))).toEqual([]);
  });
});

it('keeps files short', () => {
  const long = code.filter((f) => readFileSync(f, 'utf8').split('\n').length > 600);
  expect(long.map((f) => relative(src, f))).toEqual([]);
});

it('names colours in the tokens alone', () => {
  const styles = files.filter((f) => f.endsWith('.css') && !f.endsWith('tokens.css'));
  expect(styles.length).toBeGreaterThan(5);
  for (const f of styles) {
    const text = readFileSync(f, 'utf8').replace(/oklch\(0 0 0 \/ 0?\.42\)/, ''); // what dims the page behind a dialog
    expect(text.match(/#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch)\(/gi) ?? [], relative(src, f)).toEqual([]);
  }
});

/** Tests wait for what happens. Where time itself is what is tested, the line says so in a comment. */
describe('waiting for time', () => {
  const tests = ['src', 'test', 'e2e']
    .flatMap((dir) =>
      readdirSync(resolve(import.meta.dirname, '..', dir), { recursive: true, withFileTypes: true }).map(
        (f) => join(f.parentPath, f.name),
      ),
    )
    .filter((f) => /\.test\.tsx?$|[\\/](e2e|test)[\\/].*\.tsx?$/.test(f));
  // A timer of no time is a turn of the event loop, and no wait.
  const waits = /waitForTimeout\(|new Promise(?:<[^>]*>)?\(\(?(\w+)\)? => setTimeout\(\1, (?!0\))/;
  const found = (text: string) =>
    text.split('\n').filter((line) => waits.test(line) && !/\/\/ \w/.test(line));

  it('is not how tests wait', () => {
    expect(tests.length).toBeGreaterThan(20);
    const self = resolve(import.meta.dirname, 'architecture.test.ts');
    for (const f of tests.filter((f) => f !== self)) expect(found(readFileSync(f, 'utf8')), f).toEqual([]);
  });

  it('is found', () => {
    expect(found('await page.waitForTimeout(300);')).toHaveLength(1);
    expect(found('await act(() => new Promise((r) => setTimeout(r, 410)));')).toHaveLength(1);
    expect(found('new Promise((r) => setTimeout(r, 0))\nwaitForTimeout(4) // so long is promised')).toEqual(
      [],
    );
  });
});

it('leads no path or word of the machine that built it into the page', () => {
  for (const f of files) expect(readFileSync(f, 'utf8'), relative(src, f)).not.toMatch(/\/work\/|\/tmp\//);
});
