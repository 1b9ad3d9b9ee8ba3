import { type PlainKey, useT } from '../lib/i18n/i18n.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

const names: Record<string, { label: PlainKey; note: PlainKey }> = {
  plan: { label: 'mode.plan', note: 'mode.planNote' },
  ask: { label: 'mode.ask', note: 'mode.askNote' },
  edits: { label: 'mode.edits', note: 'mode.editsNote' },
  full: { label: 'mode.full', note: 'mode.fullNote' },
};

interface Props {
  mode: string;
  modes: readonly string[];
  className: string;
  choose: (mode: string) => void;
}

/** How much an agent may do without asking. The mode that asks nothing is said in red. */
export function ModeMenu({ mode, modes, className, choose }: Props) {
  const t = useT();
  const label = (m: string) => (names[m] ? t(names[m].label) : m);
  const full = mode === 'full';
  const items = modes.map((m) => ({
    id: m,
    label: label(m),
    note: names[m] ? t(names[m].note) : undefined,
    checked: m === mode,
    danger: m === 'full',
  }));
  return (
    <Menu
      className={full ? `${className} pick-full` : className}
      title={t('mode.title')}
      items={items}
      choose={choose}
      disabled={modes.length === 0}
    >
      {full && <Icon name="warn" />}
      {label(mode)}
      <Icon name="down" />
    </Menu>
  );
}
