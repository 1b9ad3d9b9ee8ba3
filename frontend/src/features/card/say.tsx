import { useRef } from 'react';
import { useT } from '../../lib/i18n/i18n.ts';
import { ButtonKey } from '../../ui/bits.tsx';
import { useGrow } from '../../ui/grow.ts';
import { Icon } from '../../ui/icon.tsx';
import { AddPicture } from '../../ui/thumbs.tsx';

interface Props {
  value: string;
  placeholder: string;
  change: (text: string) => void;
  locked: boolean;
  /** Takes pictures that go along, where any may. */
  add?: (files: readonly File[]) => void;
  /** Kept for screen readers when the placeholder is gone. */
  label?: string;
}

/** The field for one's own words. It stands under every choice and goes together with it. */
export function Say({ value, placeholder, change, locked, add, label }: Props) {
  const ref = useRef<HTMLTextAreaElement>(null);
  const t = useT();
  useGrow(ref, value, 0.3);
  return (
    <div className="say">
      <Icon name="pencil" />
      <div className="wrap">
        <textarea
          ref={ref}
          className={value ? 'field typed' : 'field'}
          rows={1}
          value={value}
          placeholder={placeholder}
          aria-label={label ?? placeholder}
          readOnly={locked}
          dir="auto"
          data-say=""
          onChange={(e) => change(e.target.value)}
        />
        {!value && <ButtonKey live>{t('key.tab')}</ButtonKey>}
        {add && !locked && <AddPicture add={add} />}
      </div>
    </div>
  );
}
