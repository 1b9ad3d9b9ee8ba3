// A group of settings whose rows a person adds, changes and removes.

import { type ReactNode, useState } from 'react';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { Coded } from '../../ui/bits.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Group } from './parts.tsx';

interface Props<R> {
  title: string;
  note: string;
  /** What is wrong with the list itself, "" for nothing. */
  error: string;
  /** Null until they were read. */
  rows: readonly R[] | null;
  keyOf: (row: R) => string;
  show: (row: R) => { mark?: ReactNode; name: ReactNode; note: ReactNode };
  mayChange: boolean;
  mayRemove: (row: R) => boolean;
  add: string;
  removeTitle: (row: R) => string;
  removeWords: (row: R) => string;
  remove: (row: R) => Promise<void>;
  /** What is said when nobody answered. */
  notRemoved: string;
  /** The dialog that makes a row, or changes one. */
  editor: (row: R | 'new', close: () => void) => ReactNode;
}

export function Removable<R>(p: Props<R>) {
  const t = useT();
  const [editing, setEditing] = useState<R | 'new' | null>(null);
  const [removing, setRemoving] = useState<R | null>(null);
  const [refused, setRefused] = useState('');
  const error = refused || p.error;

  const remove = async (row: R) => {
    setRemoving(null);
    setRefused('');
    try {
      await p.remove(row);
    } catch (e) {
      setRefused(errorWords(e, p.notRemoved));
    }
  };

  return (
    <Group title={p.title}>
      <p className="mut note rules-note">
        <Coded text={p.note} />
      </p>
      {error && (
        <p className="notice error" role="alert">
          {error}
        </p>
      )}
      {p.rows?.map((row) => {
        const { mark, name, note } = p.show(row);
        return (
          <div key={p.keyOf(row)} className="set-row">
            {mark}
            <div className="grow">
              <div className="set-label">{name}</div>
              <div className="mut note">{note}</div>
            </div>
            {p.mayChange && (
              <span className="row">
                <button type="button" className="btn sm" onClick={() => setEditing(row)}>
                  {t('settings.edit')}
                </button>
                {p.mayRemove(row) && (
                  <Menu
                    className="btn icon sm"
                    title={t('common.more')}
                    align="right"
                    items={[{ id: 'remove', label: t('settings.remove'), danger: true }]}
                    choose={() => setRemoving(row)}
                  >
                    <Icon name="more" />
                  </Menu>
                )}
              </span>
            )}
          </div>
        );
      })}
      {p.mayChange && p.rows && (
        <p className="set-add">
          <button type="button" className="btn sm" onClick={() => setEditing('new')}>
            <Icon name="plus" small />
            {p.add}
          </button>
        </p>
      )}
      {editing !== null && p.editor(editing, () => setEditing(null))}
      {removing !== null && (
        <Dialog
          title={p.removeTitle(removing)}
          close={() => setRemoving(null)}
          foot={
            <>
              <button type="button" className="btn" onClick={() => setRemoving(null)}>
                {t('common.cancel')}
              </button>
              <button type="button" className="btn risk" onClick={() => void remove(removing)}>
                {t('settings.remove')}
              </button>
            </>
          }
        >
          <p>{p.removeWords(removing)}</p>
        </Dialog>
      )}
    </Group>
  );
}
