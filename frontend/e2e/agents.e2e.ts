// The form of an ACP agent on the settings page, in a real browser: each error
// stands below its field, in both languages and themes, wide and narrow.

import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaults } from '../src/state/settings.ts';
import { faults } from './looks.ts';
import { browserArgs, browserPath } from './program.ts';
import { Stage } from './stage.ts';

const stage = new Stage();
let browser: Browser;

beforeAll(async () => {
  await stage.start();
  browser = await chromium.launch({ executablePath: browserPath, args: browserArgs });
});
afterAll(async () => {
  await browser?.close();
  await stage.stop();
});

const words = {
  en: { add: 'Add an agent', save: 'Save' },
  'zh-CN': { add: '添加智能体', save: '保存' },
} as const;

/** Where pictures are kept all are looked at, else one of each kind. */
const folder = process.env.PARLEY_PICTURES;
const looks = (['en', 'zh-CN'] as const).flatMap((language) =>
  ['light', 'dark'].flatMap((theme) => [1280, 390].map((width) => ({ language, theme, width }))),
);

for (const { language, theme, width } of folder ? looks : [looks[0]!, looks.at(-1)!]) {
  it(`shows errors at their fields: ${language}, ${theme}, ${width}`, async () => {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    try {
      // As in the window, which alone may change what is run.
      await page.addInitScript('window.runtime = { BrowserOpenURL() {} }');
      await page.goto(`${stage.url}/?cell=fresh`);
      stage.fixture.settings = {
        ...defaults,
        language,
        theme,
        acp_agents: [
          { id: 'mine', name: 'My agent', command: '/opt/mine', args: ['--acp'], env: {}, modes: {} },
        ],
      };
      await page.goto(`${stage.url}/index.html#/settings`);
      const { add, save } = words[language];
      await page.getByRole('button', { name: add }).click();
      await page.getByRole('button', { name: save, exact: true }).click();
      const fields = page.locator('.labelled:has([aria-invalid])');
      await expect.poll(() => fields.count()).toBe(3); // a name, an id and a program
      for (const field of await fields.all()) {
        const input = await field.locator('.field').boundingBox();
        const error = await field.locator('.help.bad').boundingBox();
        expect(error!.y).toBeGreaterThanOrEqual(input!.y + input!.height);
      }
      expect(await faults(page)).toEqual([]);
      if (folder) await page.screenshot({ path: join(folder, `acp-form-${language}-${theme}-${width}.png`) });
    } finally {
      await page.close();
    }
  });
}
