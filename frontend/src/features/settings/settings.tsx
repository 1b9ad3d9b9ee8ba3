import { useState } from 'react';
import { api } from '../../backend/client.ts';
import { inWindow } from '../../backend/shell.ts';
import type { Settings as Values } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { oneLine } from '../../lib/text.ts';
import { canStart, useAgents } from '../../state/agents.ts';
import { takeSettings, useSettings } from '../../state/settings.ts';
import { Command } from '../../ui/command.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ModeMenu } from '../../ui/modes.tsx';
import { ACPAgents } from './acp.tsx';
import { Attention } from './attention.tsx';
import { Kept } from './kept.tsx';
import { Choice, Group, Minutes, Row } from './parts.tsx';
import { Profiles } from './profiles.tsx';
import { Rules } from './rules.tsx';
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
        </Group>
        <Attention settings={settings} save={save} />
        <Rules />
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
        <Profiles />
        <ACPAgents />
        <Kept settings={settings} save={save} />
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
