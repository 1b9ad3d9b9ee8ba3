// The rows that settings are made of.

import { type ReactNode, useId, useState } from 'react';
import { useT } from '../../lib/i18n/i18n.ts';
import { Icon } from '../../ui/icon.tsx';
import { composing } from '../../ui/keys.ts';

export function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="set-group">
      <h2 className="h2">{title}</h2>
      {children}
    </section>
  );
}

export function Row({
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

export function Choice({ label, note = '', value, options, choose }: ChoiceProps) {
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

export function Toggle({
  label,
  note = '',
  on,
  flip,
}: {
  label: string;
  note?: string;
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

interface AmountProps {
  label: string;
  note?: string;
  /** The unit behind the field. */
  unit: string;
  value: number;
  least: number;
  most: number;
  /** Parts of one are taken too. */
  fraction?: boolean;
  save: (value: number) => Promise<void>;
}

/** A number with its unit; it is taken when the field is left, or on Enter. */
export function Amount({ label, note = '', unit, value, least, most, fraction, save }: AmountProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? String(value);
  const n = shown.trim() === '' ? Number.NaN : Number(shown.replace(',', '.'));
  const valid = n >= least && n <= most && (fraction || Number.isInteger(n));
  const done = async () => {
    if (typed !== null && valid && n !== value) await save(n);
    setTyped(null);
  };
  return (
    <Row label={label} note={note} id={id}>
      <span className="row">
        <input
          className="field minutes"
          inputMode={fraction ? 'decimal' : 'numeric'}
          value={shown}
          aria-labelledby={id}
          aria-invalid={!valid || undefined}
          onChange={(e) => setTyped(e.target.value)}
          onBlur={() => void done()}
          onKeyDown={(e) => {
            if (e.key === 'Enter' && !composing(e)) void done();
          }}
        />
        <span className="sec set-unit">{unit}</span>
      </span>
    </Row>
  );
}

/** A time that is kept in seconds and shown in minutes, a day at most. */
export function Minutes({
  seconds,
  save,
  ...rest
}: Pick<AmountProps, 'label' | 'note' | 'save'> & { seconds: number }) {
  const t = useT();
  return (
    <Amount
      {...rest}
      unit={t('settings.minutes')}
      value={Math.round((seconds / 60) * 100) / 100}
      least={1}
      most={1440}
      fraction
      save={(minutes) => save(Math.round(minutes * 60))}
    />
  );
}
