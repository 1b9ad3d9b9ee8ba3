import { useId, useMemo, useState } from 'react';
import type { Option } from '../../backend/types.gen.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { fewLines, neutral, oneLine } from '../../lib/text.ts';
import { Coded, Key, Line, Paragraphs } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { descriptionLines, filterAbove, looksLikeDiff } from './card.logic.ts';

interface Props {
  options: readonly Option[];
  /** What is chosen, as the draft holds it. */
  chosen: readonly string[];
  /** What an option stands for in the draft. */
  valueFor: (o: Option) => string;
  multi: boolean;
  /** Values that the form itself proposed. */
  defaults?: readonly string[];
  labelledBy: string;
  locked: boolean;
  choose: (value: string) => void;
}

/** Options as full-width rows: key on the left edge, state on the right, text between. */
export function Options(props: Props) {
  const { options, chosen, valueFor, multi, labelledBy } = props;
  const t = useT();
  const many = options.length > filterAbove;
  const [filter, setFilter] = useState('');
  const [front, setFront] = useState(-1);
  const shown = useMemo(() => {
    const words = filter.trim().toLowerCase();
    return options
      .map((option, index) => ({ option, index }))
      .filter(
        ({ option }) => !words || `${option.label} ${option.description ?? ''}`.toLowerCase().includes(words),
      );
  }, [options, filter]);
  const firstChosen = options.findIndex((o) => chosen.includes(valueFor(o)));
  const stop = shown.some((s) => s.index === front)
    ? front
    : shown.some((s) => s.index === firstChosen)
      ? firstChosen
      : (shown[0]?.index ?? -1);
  const withPreview = options.some((o) => o.preview);
  const previewed = options[front >= 0 ? front : Math.max(0, firstChosen)];

  const rows = (
    <div
      className={multi ? 'opts multi' : 'opts'}
      role={multi ? 'group' : 'radiogroup'}
      aria-labelledby={labelledBy}
    >
      {shown.map(({ option, index }) => (
        <Row
          key={index}
          {...props}
          option={option}
          index={index}
          slim={many}
          tabStop={index === stop}
          front={() => setFront(index)}
        />
      ))}
      {shown.length === 0 && <p className="hint opts-none">{t('card.noOption')}</p>}
    </div>
  );

  return (
    <>
      {many && (
        <div className="opt-filter">
          <Icon name="search" small />
          <input
            className="field"
            type="search"
            value={filter}
            placeholder={t('card.filter', { n: options.length })}
            aria-label={t('card.filter', { n: options.length })}
            onChange={(e) => setFilter(e.target.value)}
          />
          {chosen.length > 0 && <span className="opt-count">{t('card.chosen', { n: chosen.length })}</span>}
        </div>
      )}
      {withPreview ? (
        <div className="split">
          <div className={many ? 'scroll' : ''}>{rows}</div>
          <Preview text={previewed?.preview ?? ''} number={previewed ? options.indexOf(previewed) + 1 : 0} />
        </div>
      ) : (
        <div className={many ? 'scroll' : ''}>{rows}</div>
      )}
    </>
  );
}

interface RowProps extends Props {
  option: Option;
  index: number;
  slim: boolean;
  tabStop: boolean;
  front: () => void;
}

function Row({
  option,
  index,
  slim,
  tabStop,
  front,
  chosen,
  valueFor,
  multi,
  defaults,
  locked,
  choose,
}: RowProps) {
  const t = useT();
  const id = useId();
  const value = valueFor(option);
  const checked = chosen.includes(value);
  const isDefault = defaults?.includes(value) ?? false;
  return (
    // Keys are heard by the card, which knows whether they are live.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      className={slim ? 'opt slim' : 'opt'}
      role={multi ? 'checkbox' : 'radio'}
      aria-checked={checked}
      aria-disabled={locked || undefined}
      aria-labelledby={`${id}l`}
      aria-describedby={option.description ? `${id}d` : undefined}
      tabIndex={tabStop ? 0 : -1}
      data-option={index}
      onFocus={front}
      onPointerEnter={front}
      onClick={(e) => {
        // The second click of a double click would take the choice back.
        if (e.detail <= 1 && !locked) choose(value);
      }}
    >
      {index < 9 ? <Key>{index + 1}</Key> : <span />}
      <div>
        {/* The label leads; our own words in bdi have no say in its direction. */}
        <div className="lab" id={`${id}l`} dir="auto">
          <span className="lab-text">
            <Coded text={oneLine(option.label)} />
          </span>
          {option.recommended && (
            <bdi className="rec">
              <Icon name="star" />
              {t('card.recommended')}
            </bdi>
          )}
          {isDefault && <bdi className="rec">{t('card.default')}</bdi>}
        </div>
        {option.description && (
          <div className="desc" id={`${id}d`}>
            <Paragraphs text={fewLines(option.description, descriptionLines)} />
          </div>
        )}
      </div>
      <span className="box" aria-hidden="true">
        <Icon name="check" />
      </span>
    </div>
  );
}

function Preview({ text, number }: { text: string; number: number }) {
  const t = useT();
  const diff = looksLikeDiff(text);
  return (
    <section className="pv" aria-label={t('card.preview', { n: number })} tabIndex={0}>
      <div className="cap">
        {text ? t('card.preview', { n: number }) : t('card.noPreview', { n: number })}
      </div>
      {neutral(text)
        .split('\n')
        .map((line, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
          <div key={n} className={diff ? lineKind(line) : ''}>
            {line || ' '}
          </div>
        ))}
    </section>
  );
}

function lineKind(line: string): string {
  if (line.startsWith('+')) return 'a';
  return line.startsWith('-') ? 'd' : '';
}

/** A short choice among few, side by side: for fields of servers, which allow no words of one's own. */
export function Segments({
  options,
  chosen,
  valueFor,
  labelledBy,
  locked,
  choose,
}: Omit<Props, 'multi' | 'defaults'>) {
  const at = Math.max(
    0,
    options.findIndex((o) => chosen.includes(valueFor(o))),
  );
  return (
    <div className="seg" role="radiogroup" aria-labelledby={labelledBy}>
      {options.map((o, index) => {
        const checked = chosen.includes(valueFor(o));
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard by the card
          <span
            key={valueFor(o)}
            role="radio"
            aria-checked={checked}
            aria-disabled={locked || undefined}
            tabIndex={index === at ? 0 : -1}
            data-option={index}
            title={oneLine(o.description ?? '') || undefined}
            onClick={(e) => {
              if (e.detail <= 1 && !locked) choose(valueFor(o));
            }}
          >
            {checked && <Icon name="check" small />}
            <Line text={o.label} />
          </span>
        );
      })}
    </div>
  );
}
