import { useEffect, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { SecretList } from '../../backend/types.gen.ts';
import { useT } from '../../lib/i18n/i18n.ts';

/** Where the keys of agents rest, and how many there are. Values are shown nowhere. */
export function SecretsPlace() {
  const t = useT();
  const [list, setList] = useState<SecretList | null>(null);
  useEffect(() => {
    let gone = false;
    api.secrets().then(
      (l) => !gone && setList(l),
      () => {}, // what is wrong with the list is said when Parley starts
    );
    return () => {
      gone = true;
    };
  }, []);
  if (!list) return null;
  return (
    <span>
      {t(list.place === 'keyring' ? 'settings.secretsKeyring' : 'settings.secretsFile', {
        n: list.secrets.length,
      })}
    </span>
  );
}
