// Agent text as Markdown. The renderer is loaded late and blocks that are whole
// are never rendered again, so that streaming stays cheap.

import { lazy, memo, Suspense, useMemo } from 'react';
import { blocksOf } from '../lib/blocks.ts';
import { later } from '../lib/later.ts';
import { neutral } from '../lib/text.ts';

const Markdown = lazy(() => later(() => import('./markdown.tsx')));

interface Props {
  text: string;
  live?: boolean;
}

export const Prose = memo(function Prose({ text, live = false }: Props) {
  const blocks = useMemo(() => blocksOf(neutral(text)), [text]);
  return (
    <div className="prose" dir="auto">
      {blocks.map((block, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
        <Suspense key={n} fallback={<p className="plain">{block}</p>}>
          <Markdown text={block} live={live && n === blocks.length - 1} />
        </Suspense>
      ))}
    </div>
  );
});
