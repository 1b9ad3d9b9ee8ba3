import { useT } from '../../lib/i18n/i18n.ts';
import type { GroupProps } from './attention.tsx';
import { Amount, Group } from './parts.tsx';

const years = 36_500; // days; the back end takes no more

/** How long things stay on this computer. */
export function Kept({ settings, save }: GroupProps) {
  const t = useT();
  return (
    <Group title={t('kept.title')}>
      <Amount
        label={t('kept.sessions')}
        note={t('kept.sessionsNote')}
        unit={t('kept.days')}
        value={settings.keep_session_days}
        least={0}
        most={years}
        save={(keep_session_days) => save({ keep_session_days })}
      />
      <Amount
        label={t('kept.outputs')}
        note={t('kept.outputsNote')}
        unit={t('kept.days')}
        value={settings.keep_output_days}
        least={0}
        most={years}
        save={(keep_output_days) => save({ keep_output_days })}
      />
      <Amount
        label={t('kept.logs')}
        note={t('kept.logsNote')}
        unit={t('kept.files')}
        value={settings.keep_log_files}
        least={1}
        most={50}
        save={(keep_log_files) => save({ keep_log_files })}
      />
      <Amount
        label={t('kept.backups')}
        note={t('kept.backupsNote')}
        unit={t('kept.copies')}
        value={settings.keep_backups}
        least={1}
        most={50}
        save={(keep_backups) => save({ keep_backups })}
      />
    </Group>
  );
}
