import { useT } from '../lib/i18n/i18n.ts';
import { neutral } from '../lib/text.ts';
import { useCopy } from './copied.ts';
import { Icon } from './icon.tsx';

/** A command a person can copy to a terminal. It is never run from here. */
export function Command({ text }: { text: string }) {
  const t = useT();
  const [copied, copy] = useCopy(text);
  return (
    <span className="tok">
      <code>{neutral(text)}</code>
      <button
        type="button"
        className="tok-copy"
        title={copied ? t('common.copied') : t('common.copy')}
        onClick={copy}
      >
        <Icon name={copied ? 'check' : 'copy'} />
      </button>
    </span>
  );
}
