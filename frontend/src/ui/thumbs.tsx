import { useRef } from 'react';
import { useT } from '../lib/i18n/i18n.ts';
import { Icon } from './icon.tsx';

interface Picture {
  key: string;
  name: string;
  src: string;
}

interface Props {
  pictures: readonly Picture[];
  /** Left out where nothing can be taken away any more. */
  remove?: (key: string) => void;
  /** How many more are on their way. */
  busy?: number;
  error?: string;
}

/** Small views of the pictures that go along, or went along, with what was written. */
export function Thumbs({ pictures, remove, busy = 0, error = '' }: Props) {
  const t = useT();
  if (pictures.length === 0 && busy === 0 && !error) return null;
  return (
    <div className="thumbs">
      {(pictures.length > 0 || busy > 0) && (
        <ul aria-label={t('picture.list')}>
          {pictures.map((p) => (
            <li key={p.key}>
              <img src={p.src} alt={p.name} title={p.name} />
              {remove && (
                <button
                  type="button"
                  className="thumb-x"
                  title={t('picture.remove', { name: p.name })}
                  onClick={() => remove(p.key)}
                >
                  <Icon name="x" small />
                </button>
              )}
            </li>
          ))}
          {busy > 0 && (
            <li className="thumb-busy" role="status">
              {t('picture.busy', { n: busy })}
            </li>
          )}
        </ul>
      )}
      {error && (
        <p className="thumbs-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

/** Opens the dialog for choosing pictures: for a finger, and for who pastes nothing. */
export function AddPicture({ add }: { add: (files: readonly File[]) => void }) {
  const t = useT();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="btn icon sm"
        title={t('picture.add')}
        onClick={() => input.current?.click()}
      >
        <Icon name="image" />
      </button>
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        hidden
        onChange={(e) => {
          add(Array.from(e.target.files ?? []));
          e.target.value = '';
        }}
      />
    </>
  );
}
