import { useRef, useState } from 'react';
import { api } from '../../backend/client.ts';
import { inWindow } from '../../backend/shell.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { neutral } from '../../lib/text.ts';

/** How much is fetched at once: a page of fifty megabytes would stop every browser. */
const piece = 1 << 20;

interface Props {
  session: string;
  id: string;
  bytes: number;
}

/** The whole of an output of which the timeline holds both ends: shown piece by piece, or saved. */
export function Whole({ session, id, bytes }: Props) {
  const t = useT();
  const [text, setText] = useState('');
  const [from, setFrom] = useState(0);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  // Keeps what is left of a character that two pieces share.
  const decoder = useRef(new TextDecoder());

  const more = async () => {
    setBusy(true);
    setError('');
    try {
      const part = await api.outputPart(session, id, from, piece);
      const next = from + part.length;
      setText((before) => before + decoder.current.decode(part, { stream: next < bytes }));
      setFrom(next);
    } catch (e) {
      setError(errorWords(e, t('tool.notShown')));
    } finally {
      setBusy(false);
    }
  };
  const size = (n: number) => `${(n / (1 << 20)).toFixed(1)} MiB`;

  return (
    <>
      {text && (
        <figure>
          <figcaption className="mut note">{t('tool.whole')}</figcaption>
          <pre className="out" tabIndex={0}>
            {neutral(text)}
          </pre>
        </figure>
      )}
      <p className="mut note row">
        <span>
          {from > 0
            ? t('tool.shownOf', { shown: size(from), size: size(bytes) })
            : t('tool.bothEnds', { size: size(bytes) })}
        </span>
        {from < bytes && (
          <button type="button" className="link" disabled={busy} onClick={() => void more()}>
            {from > 0 ? t('tool.showMore') : t('tool.showAll')}
          </button>
        )}
        {!inWindow() && (
          <a href={`${api.outputURL(session, id)}?download=1`} download>
            {t('tool.save')}
          </a>
        )}
      </p>
      {error && (
        <p className="note" role="alert">
          {error}
        </p>
      )}
    </>
  );
}
