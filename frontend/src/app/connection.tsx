import { useEffect, useState } from 'react';
import { useT } from '../lib/i18n/i18n.ts';
import { useLive } from '../state/live.ts';
import { Icon } from '../ui/icon.tsx';

/** Says that the connection is lost, once that lasts. Reading and typing go on below it. */
export function Connection() {
  const t = useT();
  const stream = useLive((s) => s.stream);
  const [late, setLate] = useState(false);
  const lost = stream !== 'open';
  useEffect(() => {
    if (!lost) {
      setLate(false);
      return;
    }
    const timer = setTimeout(() => setLate(true), 1000);
    return () => clearTimeout(timer);
  }, [lost]);
  if (!lost || !late) return null;
  return (
    <div className="connection" role="status">
      <Icon name="warn" />
      {stream === 'lost' ? t('connection.lost') : t('connection.connecting')}
    </div>
  );
}
