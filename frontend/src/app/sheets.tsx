import { useMemo, useRef, useState } from 'react';
import { useT } from '../lib/i18n/i18n.ts';
import { oneLine } from '../lib/text.ts';
import { nameOf, useAgents } from '../state/agents.ts';
import { useLive } from '../state/live.ts';
import { go } from '../state/route.ts';
import { Key } from '../ui/bits.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { composing } from '../ui/keys.ts';
import { capOf, shortcuts } from './keys.logic.ts';
import { run } from './keys.ts';

const mac = /Mac|iPhone|iPad/.test(navigator.platform);

/** All shortcuts. */
export function KeySheet({ close }: { close: () => void }) {
  const t = useT();
  const inCard = [
    ['1–9', t('keys.choose')],
    [t('key.space'), t('keys.toggle')],
    ['Enter', t('keys.send')],
    [t('key.tab'), t('keys.ownWords')],
    ['T', t('keys.moreTime')],
    [mac ? '⌘⌫' : t('key.ctrlBackspace'), t('keys.dismiss')],
    [mac ? '⌘↑' : 'Ctrl ↑', t('keys.fold')],
    ['Esc', t('keys.leave')],
  ] as const;
  return (
    <Dialog title={t('keys.title')} close={close}>
      <div className="key-sheet">
        <section>
          <h3 className="grp">
            <b>{t('keys.everywhere')}</b>
          </h3>
          <dl>
            {shortcuts.map((s) => (
              <div key={s.command}>
                <dt>{t(s.label)}</dt>
                <dd>
                  <Key>{capOf(s, mac)}</Key>
                </dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h3 className="grp">
            <b>{t('keys.inCard')}</b>
          </h3>
          <dl>
            {inCard.map(([cap, words]) => (
              <div key={cap}>
                <dt>{words}</dt>
                <dd>
                  <Key>{cap}</Key>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </Dialog>
  );
}

interface Entry {
  id: string;
  label: string;
  note: string;
  act: () => void;
}

/** Commands and sessions by typing a few letters. */
export function Palette({ close, openHelp }: { close: () => void; openHelp: () => void }) {
  const t = useT();
  const sessions = useLive((s) => s.sessions);
  const agents = useAgents((s) => s.list);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);

  const entries = useMemo<Entry[]>(() => {
    const commands: Entry[] = shortcuts
      .filter((s) => s.command !== 'palette')
      .map((s) => ({
        id: s.command,
        label: t(s.label),
        note: capOf(s, mac),
        act: () => (s.command === 'help' ? openHelp() : s.command !== 'palette' && run(s.command)),
      }));
    commands.push({ id: 'agents', label: t('agents.title'), note: '', act: () => go({ page: 'agents' }) });
    commands.push({ id: 'mcp', label: t('mcp.nav'), note: '', act: () => go({ page: 'mcp', id: '' }) });
    const rows = Object.values(sessions)
      .sort((a, b) => b.updated_at - a.updated_at)
      .map((s) => ({
        id: s.id,
        label: oneLine(s.title),
        note: nameOf(agents, s.agent).name,
        act: () => go({ page: 'session', id: s.id }),
      }));
    const words = query.trim().toLowerCase().split(/\s+/);
    return [...commands, ...rows]
      .filter((e) => words.every((w) => `${e.label} ${e.note}`.toLowerCase().includes(w)))
      .slice(0, 50);
  }, [sessions, agents, query, t, openHelp]);

  const front = Math.min(at, entries.length - 1);
  const choose = (e: Entry | undefined) => {
    if (!e) return;
    close();
    e.act();
  };
  return (
    <Dialog title={t('keys.palette')} close={close} className="palette">
      <input
        className="field"
        type="search"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[front] ? `palette-${front}` : undefined}
        aria-label={t('palette.placeholder')}
        placeholder={t('palette.placeholder')}
        value={query}
        onChange={(e) => {
          setQuery(e.target.value);
          setAt(0);
        }}
        onKeyDown={(e) => {
          if (composing(e)) return;
          const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
          if (step) {
            const next = (front + step + entries.length) % Math.max(1, entries.length);
            setAt(next);
            list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
          } else if (e.key === 'Enter' && !e.repeat) choose(entries[front]);
          else return;
          e.preventDefault();
        }}
      />
      <div ref={list} id="palette-list" role="listbox" aria-label={t('keys.palette')}>
        {entries.map((e, n) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above hears the keys
          <div
            key={e.id}
            className="palette-row"
            tabIndex={-1}
            id={`palette-${n}`}
            role="option"
            aria-selected={n === front}
            onClick={() => choose(e)}
            onPointerMove={() => setAt(n)}
          >
            <span className="trunc grow">{e.label}</span>
            <span className="mut note">{e.note}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className="sec palette-none">{t('palette.none')}</p>}
    </Dialog>
  );
}
