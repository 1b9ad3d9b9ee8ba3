import { useEffect, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { Rule } from '../../backend/types.gen.ts';
import { errorWords, useLanguage, useT } from '../../lib/i18n/i18n.ts';
import { neutral, shortPath } from '../../lib/text.ts';
import { clockTime } from '../../lib/time.ts';
import { useAgentName } from '../../state/agents.ts';
import { serverNow } from '../../state/clock.ts';
import { useSettings } from '../../state/settings.ts';
import { Line } from '../../ui/bits.tsx';
import { Mark } from '../../ui/mark.tsx';
import { Group } from './parts.tsx';

/** What the person allowed for good, and the way to take it back. */
export function Rules() {
  const t = useT();
  const [rules, setRules] = useState<readonly Rule[] | null>(null);
  const [error, setError] = useState('');
  useEffect(() => {
    let gone = false;
    api.rules().then(
      (l) => !gone && setRules(l.rules),
      (e) => !gone && setError(errorWords(e, t('rules.notRead'))),
    );
    return () => {
      gone = true;
    };
  }, [t]);
  const revoke = async (id: string) => {
    setError('');
    try {
      await api.revokeRule(id);
      setRules((list) => list?.filter((r) => r.id !== id) ?? null);
    } catch (e) {
      setError(errorWords(e, t('rules.notRevoked')));
    }
  };
  return (
    <Group title={t('rules.title')}>
      <p className="mut note rules-note">{t('rules.note')}</p>
      {error && (
        <p className="notice error" role="alert">
          {error}
        </p>
      )}
      {rules?.length === 0 && <p className="sec">{t('rules.none')}</p>}
      {rules?.map((r) => (
        <RuleRow key={r.id} rule={r} revoke={() => void revoke(r.id)} />
      ))}
    </Group>
  );
}

function RuleRow({ rule, revoke }: { rule: Rule; revoke: () => void }) {
  const t = useT();
  const language = useLanguage();
  const { name } = useAgentName(rule.agent);
  const home = useSettings((s) => s.about.home);
  const when = (at: number) => clockTime(at, serverNow(), language);
  return (
    <div className="set-row">
      <Mark family={rule.agent} title={name} />
      <div className="grow">
        <div className="set-label">
          {rule.command ? (
            <code className="rule-command">{neutral(rule.command)}</code>
          ) : (
            <Line text={t('rules.everyUse', { tool: rule.tool })} />
          )}
        </div>
        <div className="mut note">
          <Line text={t('rules.where', { name, folder: shortPath(rule.folder, home) })} />
          {' · '}
          {t('rules.given', { when: when(rule.created_at) })}
          {' · '}
          {rule.used_at ? t('rules.used', { n: rule.uses, when: when(rule.used_at) }) : t('rules.unused')}
        </div>
      </div>
      <button type="button" className="btn sm" onClick={revoke}>
        {t('rules.revoke')}
      </button>
    </div>
  );
}
