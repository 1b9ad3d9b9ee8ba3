import { type ReactNode, useId, useState } from 'react';
import { api } from '../../backend/client.ts';
import { askToNotify, canNotify, inWindow } from '../../backend/shell.ts';
import type { Settings as Values } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { oneLine } from '../../lib/text.ts';
import { canStart, useAgents } from '../../state/agents.ts';
import { takeSettings, useSettings } from '../../state/settings.ts';
import { Command } from '../../ui/command.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ModeMenu } from '../../ui/modes.tsx';
import { SecretsPlace } from './secrets.tsx';

const allModes = ['plan', 'ask', 'edits', 'full'];

/** The person's preferences. A change holds as soon as the back end has taken it. */
export function Settings() {
  const t = useT();
  const { settings, about } = useSettings();
  const agents = useAgents((s) => s.list?.agents);
  const [error, setError] = useState('');

  const save = async (change: Partial<Values>) => {
    setError('');
    try {
      takeSettings(await api.saveSettings({ ...useSettings.getState().settings, ...change }));
    } catch (e) {
      setError(errorWords(e, t('settings.notSaved')));
    }
  };
  const startable = (agents ?? []).filter((a) => canStart(a) && a.family !== 'demo');

  return (
    <main className="main">
      <header className="head">
        <div className="grow">
          <h1>{t('settings.title')}</h1>
        </div>
      </header>
      <section className="page settings" tabIndex={0} aria-label={t('settings.title')}>
        {error && (
          <div className="strip bad page-strip" role="alert">
            <Icon name="warn" />
            <div>{error}</div>
          </div>
        )}
        <Group title={t('settings.look')}>
          <Choice
            label={t('settings.language')}
            value={settings.language}
            options={[
              { id: '', label: t('settings.system') },
              { id: 'en', label: 'English' },
              { id: 'zh-CN', label: '简体中文' },
            ]}
            choose={(language) => void save({ language })}
          />
          <Choice
            label={t('settings.theme')}
            value={settings.theme}
            options={[
              { id: '', label: t('settings.system') },
              { id: 'light', label: t('settings.light') },
              { id: 'dark', label: t('settings.dark') },
            ]}
            choose={(theme) => void save({ theme })}
          />
        </Group>
        <Group title={t('settings.questions')}>
          <Minutes
            label={t('settings.deadline')}
            note={t('settings.deadlineNote')}
            seconds={settings.deadline_s}
            save={(deadline_s) => save({ deadline_s })}
          />
          <Minutes
            label={t('settings.maxWait')}
            note={t('settings.maxWaitNote')}
            seconds={settings.max_wait_s}
            save={(max_wait_s) => save({ max_wait_s })}
          />
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
            label={t('settings.hide')}
            note={t('settings.hideNote')}
            on={settings.hide_content}
            flip={(hide_content) => void save({ hide_content })}
          />
        </Group>
        <Group title={t('settings.work')}>
          <Choice
            label={t('settings.sendKey')}
            note={t('settings.sendKeyNote')}
            value={settings.send_key}
            options={[
              { id: 'enter', label: 'Enter' },
              { id: 'ctrl_enter', label: t('settings.ctrlEnter') },
            ]}
            choose={(send_key) => void save({ send_key })}
          />
          <Row label={t('settings.agent')}>
            <Menu
              className="btn"
              title={t('settings.agent')}
              items={[
                { id: '', label: t('settings.firstReady'), checked: settings.default_agent === '' },
                ...startable.map((a) => ({
                  id: a.family,
                  label: a.name,
                  checked: a.family === settings.default_agent,
                })),
              ]}
              choose={(default_agent) => void save({ default_agent })}
            >
              {startable.find((a) => a.family === settings.default_agent)?.name ?? t('settings.firstReady')}
              <Icon name="down" small />
            </Menu>
          </Row>
          <Row label={t('mode.title')}>
            <ModeMenu
              className="btn"
              mode={settings.default_mode || 'ask'}
              modes={allModes}
              choose={(default_mode) => void save({ default_mode })}
            />
          </Row>
          {inWindow() && (
            <Choice
              label={t('settings.quit')}
              value={settings.on_quit}
              options={[
                { id: 'ask', label: t('settings.quitAsk') },
                { id: 'stop', label: t('settings.quitStop') },
                { id: 'keep', label: t('settings.quitKeep') },
              ]}
              choose={(on_quit) => void save({ on_quit })}
            />
          )}
        </Group>
        <Group title={t('settings.about')}>
          <Row label={t('settings.version')}>
            <span className="sec">{oneLine(about.version)}</span>
          </Row>
          <Row label={t('settings.secrets')} note={t('settings.secretsNote')}>
            <SecretsPlace />
          </Row>
          <Row label={t('settings.data')} note={t('settings.dataNote')}>
            {about.data_dir ? <Command text={about.data_dir} /> : null}
          </Row>
        </Group>
      </section>
    </main>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="set-group">
      <h2 className="h2">{title}</h2>
      {children}
    </section>
  );
}

function Row({
  label,
  note = '',
  id,
  children,
}: {
  label: string;
  note?: string;
  id?: string;
  children: ReactNode;
}) {
  return (
    <div className="set-row">
      <div className="grow">
        <div className="set-label" id={id}>
          {label}
        </div>
        {note && <div className="mut note">{note}</div>}
      </div>
      {children}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  note?: string;
  value: string;
  options: readonly { id: string; label: string }[];
  choose: (id: string) => void;
}

function Choice({ label, note = '', value, options, choose }: ChoiceProps) {
  const id = useId();
  return (
    <Row label={label} note={note} id={id}>
      <div className="seg" role="radiogroup" aria-labelledby={id}>
        {options.map((o) => (
          <label key={o.id} className={o.id === value ? 'on' : ''}>
            <input
              type="radio"
              className="vh"
              name={id}
              checked={o.id === value}
              onChange={() => choose(o.id)}
            />
            {o.id === value && <Icon name="check" small />}
            {o.label}
          </label>
        ))}
      </div>
    </Row>
  );
}

function Toggle({
  label,
  note,
  on,
  flip,
}: {
  label: string;
  note: string;
  on: boolean;
  flip: (on: boolean) => void;
}) {
  const id = useId();
  return (
    <Row label={label} note={note} id={id}>
      <button
        type="button"
        className="switch"
        role="switch"
        aria-checked={on}
        aria-labelledby={id}
        onClick={() => flip(!on)}
      >
        <span />
      </button>
    </Row>
  );
}

interface MinutesProps {
  label: string;
  note: string;
  seconds: number;
  save: (seconds: number) => Promise<void>;
}

/** A time in minutes; it is taken when the field is left, or on Enter. */
function Minutes({ label, note, seconds, save }: MinutesProps) {
  const t = useT();
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? String(Math.round((seconds / 60) * 100) / 100);
  const value = Number(shown.replace(',', '.'));
  const valid = Number.isFinite(value) && value >= 1 && value <= 1440;
  const done = async () => {
    if (typed !== null && valid) await save(Math.round(value * 60));
    setTyped(null);
  };
  return (
    <Row label={label} note={note} id={id}>
      <span className="row">
        <input
          className="field minutes"
          inputMode="decimal"
          value={shown}
          aria-labelledby={id}
          aria-invalid={!valid || undefined}
          onChange={(e) => setTyped(e.target.value)}
          onBlur={() => void done()}
          onKeyDown={(e) => {
            if (e.key === 'Enter' && !e.nativeEvent.isComposing) void done();
          }}
        />
        <span className="sec">{t('settings.minutes')}</span>
      </span>
    </Row>
  );
}
