import { memo, useEffect, useState } from 'react';
import { useT } from '../lib/i18n/i18n.ts';
import { later } from '../lib/later.ts';
import { useCopy } from './copied.ts';
import { Icon } from './icon.tsx';

interface Props {
  text: string;
  language: string;
  /** Still growing: colours come when it is whole. */
  live: boolean;
}

type Piece = string | { kind: string; text: string };

/** A block of code. Its colours are loaded late and only tell comments, words and texts apart. */
export const CodeBlock = memo(function CodeBlock({ text, language, live }: Props) {
  const t = useT();
  const [copied, copy] = useCopy(text);
  const pieces = useColours(text, language, live);
  return (
    <div className="codeblock">
      <pre tabIndex={0}>
        <code>
          {pieces.map((p, n) =>
            typeof p === 'string' ? (
              p
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
              <span key={n} className={`c-${p.kind}`}>
                {p.text}
              </span>
            ),
          )}
        </code>
      </pre>
      <button
        type="button"
        className="btn icon sm codeblock-copy"
        title={copied ? t('common.copied') : t('common.copy')}
        onClick={copy}
      >
        <Icon name={copied ? 'check' : 'copy'} small />
      </button>
    </div>
  );
});

const longest = 20_000;

function useColours(text: string, language: string, live: boolean): readonly Piece[] {
  const [known, setKnown] = useState<{ text: string; pieces: readonly Piece[] } | null>(null);
  useEffect(() => {
    if (live || !language || text.length > longest) return;
    let gone = false;
    void later(() => import('./highlight.ts')).then(({ colours }) => {
      if (!gone) setKnown({ text, pieces: colours(text, language) });
    });
    return () => {
      gone = true;
    };
  }, [text, language, live]);
  return known?.text === text ? known.pieces : [text];
}
