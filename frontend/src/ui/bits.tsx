// The smallest parts: key cap, count, ring, safe text.

import { Fragment, memo } from 'react';
import { neutral, oneLine, pieces, spans } from '../lib/text.ts';

/** A key cap. */
export function Key({ children, live = false }: { children: React.ReactNode; live?: boolean }) {
  return <kbd className={live ? 'kbd live' : 'kbd'}>{children}</kbd>;
}

/** The key cap on a button or a field, whose name stays what it does; aria-keyshortcuts of a button says the key. */
export function ButtonKey({ children, live = false }: { children: React.ReactNode; live?: boolean }) {
  return (
    <span className={live ? 'kbd live' : 'kbd'} aria-hidden="true">
      {children}
    </span>
  );
}

/** The share of time left, 0 to 1. Words beside it say how much that is. */
export function Ring({ share }: { share: number }) {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <svg className="ring" viewBox="0 0 26 26" aria-hidden="true">
      <circle className="tr" cx="13" cy="13" r="10.5" />
      <circle className="ar" cx="13" cy="13" r="10.5" pathLength="100" strokeDasharray={`${percent} 100`} />
    </svg>
  );
}

/** One line of text from elsewhere. Only `code` is drawn differently; nothing is markup. */
export const Line = memo(function Line({ text }: { text: string }) {
  return (
    <bdi>
      <Coded text={oneLine(text)} />
    </bdi>
  );
});

/**
 * Text from elsewhere in paragraphs, with its line breaks and indents. Only `code`
 * and fenced code are drawn differently; nothing is markup.
 */
export const Paragraphs = memo(function Paragraphs({ text }: { text: string }) {
  return (
    <>
      {pieces(neutral(text)).map((piece, i) =>
        piece.code ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs have no identity but their place
          <pre key={i} className="lines" dir="ltr">
            {piece.text}
          </pre>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same
          <p key={i} className="lines" dir="auto">
            <Coded text={piece.text} />
          </p>
        ),
      )}
    </>
  );
});

/** Our own texts, in which a catalogue marks code with backticks, and cleaned lines of others. */
export function Coded({ text }: { text: string }) {
  return (
    <>
      {spans(text).map((s, i) =>
        s.code ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text
          <code key={i}>{s.text}</code>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text
          <Fragment key={i}>{s.text}</Fragment>
        ),
      )}
    </>
  );
}
