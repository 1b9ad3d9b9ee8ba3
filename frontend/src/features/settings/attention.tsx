import { useId, useState } from 'react';
import { askToNotify, canNotify, inWindow } from '../../backend/shell.ts';
import type { Settings } from '../../backend/types.gen.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { Group, Row, Toggle } from './parts.tsx';

export interface GroupProps {
  settings: Settings;
  save: (change: Partial<Settings>) => Promise<void>;
}

/** How and when the person is told that somebody waits. */
export function Attention({ settings, save }: GroupProps) {
  const t = useT();
  return (
    <Group title={t('attention.title')}>
      <Toggle
        label={t('settings.notify')}
        note={canNotify() ? t('settings.notifyBrowser') : t('settings.notifyNote')}
        on={settings.notify}
        flip={(notify) => {
          if (notify) void askToNotify();
          void save({ notify });
        }}
      />
      <Toggle
        label={t('attention.finished')}
        note={t(inWindow() ? 'attention.finishedNote' : 'attention.finishedBrowser')}
        on={settings.notify_finished}
        flip={(notify_finished) => void save({ notify_finished })}
      />
      <Toggle
        label={t('attention.sound')}
        on={settings.notify_sound}
        flip={(notify_sound) => void save({ notify_sound })}
      />
      <Toggle
        label={t('settings.hide')}
        note={t('settings.hideNote')}
        on={settings.hide_content}
        flip={(hide_content) => void save({ hide_content })}
      />
      <QuietHours settings={settings} save={save} />
      <QuestionCommand settings={settings} save={save} />
    </Group>
  );
}

/** What the quiet hours begin with when they are switched on. */
const night = { quiet_from: '22:00', quiet_until: '07:00' };

function QuietHours({ settings, save }: GroupProps) {
  const t = useT();
  const on = settings.quiet_from !== '';
  return (
    <>
      <Toggle
        label={t('attention.quiet')}
        note={t('attention.quietNote')}
        on={on}
        flip={(quiet) => void save(quiet ? night : { quiet_from: '', quiet_until: '' })}
      />
      {on && (
        <Row label={t('attention.between')}>
          <span className="row">
            <TimeOfDay
              label={t('attention.from')}
              value={settings.quiet_from}
              save={(quiet_from) => save({ quiet_from })}
            />
            <span className="sec">–</span>
            <TimeOfDay
              label={t('attention.until')}
              value={settings.quiet_until}
              save={(quiet_until) => save({ quiet_until })}
            />
          </span>
        </Row>
      )}
    </>
  );
}

interface TimeProps {
  label: string;
  value: string;
  save: (value: string) => Promise<void>;
}

function TimeOfDay({ label, value, save }: TimeProps) {
  const [typed, setTyped] = useState(value);
  const done = () => {
    if (typed && typed !== value) void save(typed);
    else setTyped(value);
  };
  return (
    <input
      type="time"
      className="field time"
      aria-label={label}
      value={typed}
      onChange={(e) => setTyped(e.target.value)}
      onBlur={done}
    />
  );
}

/** A program that hears of questions. A browser may come from elsewhere, so it can't name one. */
function QuestionCommand({ settings, save }: GroupProps) {
  const t = useT();
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const now = settings.question_command.join('\n');
  const done = async () => {
    if (typed !== null && typed.trim() !== now) {
      const lines = typed.split('\n').filter((line, n) => n > 0 || line.trim() !== '');
      while (lines.at(-1)?.trim() === '') lines.pop();
      await save({ question_command: lines });
    }
    setTyped(null);
  };
  return (
    <Row
      label={t('attention.command')}
      note={inWindow() ? t('attention.commandNote') : t('attention.commandElsewhere')}
      id={id}
    >
      <textarea
        className="field command-lines"
        rows={Math.max(2, (typed ?? now).split('\n').length)}
        spellCheck={false}
        placeholder={t('attention.noCommand')}
        readOnly={!inWindow()}
        aria-labelledby={id}
        value={typed ?? now}
        onChange={(e) => setTyped(e.target.value)}
        onBlur={() => void done()}
      />
    </Row>
  );
}
