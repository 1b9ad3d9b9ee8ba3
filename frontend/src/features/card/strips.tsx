import type { Interaction } from '../../backend/types.gen.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { takesLate } from '../../state/live.reducer.ts';
import { Icon } from '../../ui/icon.tsx';

/** Says of a card that nobody waits for why, and what an answer would do now. */
export function CalmStrip({ i }: { i: Interaction }) {
  const t = useT();
  return (
    <div className="strip plain strip-top">
      <Icon name="clock" />
      <div>{t(calmKey(i))}</div>
    </div>
  );
}

function calmKey(i: Interaction) {
  if (!takesLate(i)) return 'card.over';
  if (i.undelivered_at) return 'card.lostAnswer';
  return i.outcome!.reason === 'timeout' ? 'card.wentOn' : 'card.lostAgent';
}
