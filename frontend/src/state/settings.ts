// Store of the person's preferences, and of what the back end says about itself.

import { create } from 'zustand';
import type { About, Settings } from '../backend/types.gen.ts';

interface Preferences {
  settings: Settings;
  about: About;
}

/** What holds until the back end has said otherwise. */
export const defaults: Settings = {
  language: '',
  theme: '',
  deadline_s: 300,
  max_wait_s: 3600,
  send_key: 'enter',
  notify: true,
  notify_finished: true,
  notify_sound: true,
  hide_content: false,
  quiet_from: '',
  quiet_until: '',
  question_command: [],
  acp_agents: [],
  leave_out_own: [],
  default_agent: '',
  default_mode: 'ask',
  on_quit: 'ask',
  keep_session_days: 0,
  keep_output_days: 0,
  keep_log_files: 3,
  keep_backups: 3,
};

export const useSettings = create<Preferences>()(() => ({
  settings: defaults,
  about: { version: '', home: '', data_dir: '', platform: 'linux', root: false, now: 0 },
}));

export function takeSettings(settings: Settings): void {
  useSettings.setState({ settings });
}

export function takeAbout(about: About): void {
  useSettings.setState({ about });
}
