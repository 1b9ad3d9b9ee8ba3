import { useEffect, useRef, useState } from 'react';
import { api } from '../../backend/client.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { oneLine } from '../../lib/text.ts';
import { useLive } from '../../state/live.ts';
import { profileNames, takeProfiles, useProfiles } from '../../state/profiles.ts';
import { Icon } from '../../ui/icon.tsx';
import { composing } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';

/** The menu's own entry. A profile's name has no spaces around it, so it can't be one. */
const another = ' another';

/** The back end takes no longer name. */
const longest = 64;

/**
 * Which profile the session keeps: the default one, one that a session has
 * used, or a new name, written in the menu's place.
 */
export function StartProfile({ profile, choose }: { profile: string; choose: (p: string) => void }) {
  const t = useT();
  const sessions = useLive((s) => s.sessions);
  const list = useProfiles((s) => s.list);
  useEffect(() => {
    // Names of sessions are there without it; nothing else hangs on it.
    api.profiles().then(
      (l) => takeProfiles(l.profiles),
      () => {},
    );
  }, []);
  const [naming, setNaming] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  const named = useRef(false);
  useEffect(() => {
    if (naming || !named.current) return;
    named.current = false;
    place.current?.querySelector('button')?.focus();
  }, [naming]);

  if (naming)
    return (
      <NameField
        done={(name, byKey) => {
          if (name) choose(name);
          named.current = byKey;
          setNaming(false);
        }}
      />
    );
  const known = profileNames(list, ...Object.values(sessions).map((v) => v.profile || 'default'), profile);
  const words = (p: string) => (p === 'default' ? t('start.defaultProfile') : oneLine(p));
  return (
    <span ref={place}>
      <Menu
        className="pick"
        title={t('start.profile')}
        items={[
          ...known.map((id) => ({ id, label: words(id), checked: id === profile })),
          { id: another, label: t('start.newProfile') },
        ]}
        choose={(id) => (id === another ? setNaming(true) : choose(id))}
      >
        <span className="trunc">{words(profile)}</span>
        <Icon name="down" />
      </Menu>
    </span>
  );
}

/** Enter or going elsewhere takes the name, Escape or an empty one keeps what was chosen. */
function NameField({ done }: { done: (name: string, byKey: boolean) => void }) {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useEffect(() => field.current?.focus(), []);
  const end = (name: string, byKey: boolean) => {
    if (over.current) return;
    over.current = true;
    done(name.trim(), byKey);
  };
  return (
    <input
      ref={field}
      className="pick-name"
      maxLength={longest}
      placeholder={t('start.profileName')}
      aria-label={t('start.profileName')}
      onBlur={(e) => end(e.target.value, false)}
      onKeyDown={(e) => {
        if (composing(e)) return;
        if (e.key !== 'Enter' && e.key !== 'Escape') return;
        e.preventDefault();
        e.stopPropagation();
        end(e.key === 'Enter' ? e.currentTarget.value : '', true);
      }}
    />
  );
}
