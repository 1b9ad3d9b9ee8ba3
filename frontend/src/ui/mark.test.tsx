import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { drawn, Mark } from './mark.tsx';

it('draws each family in its own way, and any other like the common protocol', () => {
  const pictures = [...drawn, 'acp'].map((family) => renderToStaticMarkup(<Mark family={family} />));
  expect(new Set(pictures).size).toBe(pictures.length);
  for (const family of ['hermes', 'constructor', '']) {
    expect(renderToStaticMarkup(<Mark family={family} />)).toBe(pictures.at(-1));
  }
});
