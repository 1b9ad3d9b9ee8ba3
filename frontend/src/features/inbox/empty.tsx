import type { ReactNode } from 'react';
import { type PlainKey, useT } from '../../lib/i18n/i18n.ts';
import { Coded } from '../../ui/bits.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';

interface Props {
  /** A picture of a question. */
  sample: ReactNode;
  /** The way to a real one. */
  demo: ReactNode;
}

const lines: readonly { icon: IconName; words: PlainKey }[] = [
  { icon: 'clock', words: 'inbox.teachWaits' },
  { icon: 'ask', words: 'inbox.teachConsent' },
  { icon: 'enter', words: 'inbox.teachKeys' },
];

/** Nothing waits: what would, how it looks, and how it is answered. */
export function Empty({ sample, demo }: Props) {
  const t = useT();
  return (
    <section className="empty">
      <h2 className="h2">{t('inbox.nothing')}</h2>
      <p className="sec">{t('inbox.nothingWords')}</p>
      <p className="sample-says note mut">{t('inbox.sampleSays')}</p>
      {sample}
      <ul className="empty-lines sec">
        {lines.map(({ icon, words }) => (
          <li key={words}>
            <Icon name={icon} />
            <span>
              <Coded text={t(words)} />
            </span>
          </li>
        ))}
      </ul>
      {demo}
    </section>
  );
}
