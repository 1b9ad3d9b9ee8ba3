import type { Interaction } from '../../backend/types.gen.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { Key } from '../../ui/bits.tsx';

/** The keys that lead from one question to the next, under the card. */
export function KeyHints({ i }: { i: Interaction }) {
  const t = useT();
  const options = Math.min(
    9,
    i.options.length || (i.questions?.length === 1 ? i.questions[0]!.options.length : 0),
  );
  return (
    <div className="keys">
      <span>
        <Key>{t('key.ctrlJ')}</Key>
        {t('keys.nextQuestion')}
      </span>
      {options > 1 && (
        <span>
          <Key>1–{options}</Key>
          {t('keys.choose')}
        </span>
      )}
      <span>
        <Key>{t('key.tab')}</Key>
        {t('keys.ownWords')}
      </span>
      <span>
        <Key>Esc</Key>
        {t('keys.leave')}
      </span>
    </div>
  );
}
