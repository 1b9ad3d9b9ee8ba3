import { useState } from 'react';
import { api } from '../../backend/client.ts';
import { copyText, inWindow } from '../../backend/shell.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { serverNow } from '../../state/clock.ts';
import { Icon } from '../../ui/icon.tsx';
import { type Filter, queryOf } from './history.logic.ts';

type Format = 'md' | 'json';
const names: Record<Format, string> = { md: 'Markdown', json: 'JSON' };

/**
 * Takes what the filter shows along as a decision log: a file in a browser; in
 * the window, which saves no files, on the clipboard.
 */
export function Export({ filter }: { filter: Filter }) {
  const t = useT();
  const [said, setSaid] = useState('');
  const take = async (format: Format) => {
    try {
      const text = await api.decisionLog({ ...queryOf(filter, serverNow()), format });
      setSaid((await copyText(text)) ? t('common.copied') : t('history.notCopied'));
    } catch (e) {
      setSaid(errorWords(e, t('common.offline')));
    }
  };
  return (
    <span className="history-export">
      <span className="note mut" role="status">
        {said || (inWindow() ? t('history.copyAs') : t('history.saveAs'))}
      </span>
      {(['md', 'json'] as const).map((format) =>
        inWindow() ? (
          <button
            key={format}
            type="button"
            className="btn sm"
            title={t('history.copyTitle', { format: names[format] })}
            onClick={() => void take(format)}
          >
            {names[format]}
          </button>
        ) : (
          <a
            key={format}
            className="btn sm"
            download
            title={t('history.saveTitle', { format: names[format] })}
            href={api.decisionLogURL({ ...queryOf(filter, serverNow()), format })}
          >
            <Icon name="file" small />
            {names[format]}
          </a>
        ),
      )}
    </span>
  );
}
