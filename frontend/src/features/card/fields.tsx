import { useId, useRef } from 'react';
import type { Draft, Field } from '../../backend/types.gen.ts';
import { type T, useT } from '../../lib/i18n/i18n.ts';
import { countChars, fewLines, oneLine, shorten } from '../../lib/text.ts';
import { localInput, momentOf } from '../../lib/time.ts';
import { type FieldFault, fieldAnswered, fieldFault, optionValue, toggle } from '../../state/drafts.logic.ts';
import { Line, Paragraphs } from '../../ui/bits.tsx';
import { useGrow } from '../../ui/grow.ts';
import { Icon } from '../../ui/icon.tsx';
import { descriptionLines, stepsOf } from './card.logic.ts';
import { type BodyProps, HeaderTag, Question } from './clarify.tsx';
import { Options, Segments } from './options.tsx';
import { Say } from './say.tsx';

/** Where a form with many fields is: what is done, what is in front. */
export function StepList({ i, draft }: Pick<BodyProps, 'i' | 'draft'>) {
  const steps = stepsOf(i, draft);
  if (steps.count === 1) return null;
  return (
    <ol className="steps">
      {i.questions!.map((f, n) => {
        const done = n !== steps.at && fieldAnswered(f, draft) && fieldFault(f, draft) === null;
        return (
          <li key={f.id} className={done ? 'done' : ''} aria-current={n === steps.at ? 'step' : undefined}>
            {done ? <Icon name="check" small /> : <span className="no">{n + 1}</span>}
            <span className="trunc">{stepName(f)}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** A short name of a field, for the list of steps and the button that leads there. */
export function stepName(f: Field): string {
  return shorten(oneLine(f.header || f.question), 24);
}

/** A form: its fields one by one when there are many, else one below the other. */
export function FieldsBody({ i, draft, locked, checked, edit, headingID }: BodyProps) {
  const t = useT();
  const steps = stepsOf(i, draft);
  const single = steps.fields.length === 1;
  return (
    <>
      {i.server && (
        <div className="tag row tag-server">
          <Icon name="plug" small />
          <span>{t('card.fromServer', { server: oneLine(i.server) })}</span>
        </div>
      )}
      {i.header && !single && <HeaderTag text={i.header} />}
      {i.question && (!single || i.kind === 'elicitation') && <Question text={i.question} id={headingID} />}
      {steps.fields.map((n) => {
        const f = i.questions![n]!;
        const own = single && i.kind !== 'elicitation';
        return (
          <FieldBlock
            key={f.id}
            field={f}
            draft={draft}
            locked={locked}
            checked={checked}
            edit={edit}
            asQuestion={own || f.options.length > 0}
            fromServer={i.kind === 'elicitation'}
            marked={i.kind === 'form' && i.questions!.length > 1}
            // The one question of a step is what the card is about.
            headingID={own ? headingID : ''}
          />
        );
      })}
    </>
  );
}

interface BlockProps {
  field: Field;
  draft: Draft;
  locked: boolean;
  /** What is missing is shown, since the person wanted to go on. */
  checked: boolean;
  edit: (change: Partial<Draft>) => void;
  asQuestion: boolean;
  fromServer: boolean;
  /** Says of every question whether it must be answered, not only of those that may be left out. */
  marked: boolean;
  headingID: string;
}

function FieldBlock(props: BlockProps) {
  const { field: f, draft, locked, checked, edit, asQuestion, fromServer, marked, headingID } = props;
  const t = useT();
  const ownID = useId();
  const id = headingID || ownID;
  const chosen = draft.answers?.[f.id] ?? [];
  const typed = draft.typed?.[f.id] ?? '';
  const choose = (value: string) =>
    edit({ answers: { ...draft.answers, [f.id]: toggle(chosen, value, f.multi_select) } });
  const type = (text: string) => edit({ typed: { ...draft.typed, [f.id]: text } });
  const choices = f.input_type === 'boolean' ? yesNo(t) : f.options;
  const fault = fieldFault(f, draft);
  // What is only missing is said once the person wanted to go on; what is wrong, at once.
  const wrong = fault && (checked || !isMissing(fault)) ? faultWords(t, fault) : '';

  if (choices.length > 0) {
    const small = !f.free_text && !f.multi_select && choices.length <= 4 && choices.every(isShort);
    return (
      <div className={small ? 'frow' : 'fblock'} data-group="" data-field={f.id}>
        {asQuestion && !small ? (
          <h2 className="q" id={id}>
            <Paragraphs text={f.question} />
            <Need field={f} marked={marked} />
          </h2>
        ) : (
          <FieldLabel field={f} id={id} marked={marked} />
        )}
        {f.description && (
          <div className={small ? 'help' : 'hint'}>
            <Paragraphs text={fewLines(f.description, descriptionLines)} />
          </div>
        )}
        {f.multi_select && <p className="hint">{itemsWords(t, f)}</p>}
        {small ? (
          <Segments
            options={choices}
            chosen={chosen}
            valueFor={optionValue}
            labelledBy={id}
            locked={locked}
            choose={choose}
          />
        ) : (
          <Options
            options={choices}
            chosen={chosen}
            valueFor={optionValue}
            multi={f.multi_select}
            defaults={f.default ?? []}
            labelledBy={id}
            locked={locked}
            choose={choose}
          />
        )}
        {small && f.default?.length ? <Help text={t('card.serverDefault')} /> : null}
        {wrong && <Help text={wrong} bad />}
        {f.free_text && (
          <Say
            value={typed}
            placeholder={t('card.orSay')}
            label={`${oneLine(f.question)}: ${t('card.orSay')}`}
            change={type}
            locked={locked}
          />
        )}
      </div>
    );
  }
  return (
    <TextField
      field={f}
      id={id}
      value={typed}
      wrong={wrong}
      fromServer={fromServer}
      marked={marked}
      asQuestion={asQuestion}
      locked={locked}
      change={type}
    />
  );
}

function isMissing(fault: FieldFault): boolean {
  return fault.kind === 'required' || fault.kind === 'minItems';
}

/** How many may be chosen. */
function itemsWords(t: T, f: Field): string {
  const { min_items: min, max_items: max } = f;
  if (min !== undefined && max !== undefined)
    return min === max ? t('field.items', { n: min }) : t('field.itemsBetween', { min, max });
  if (min !== undefined) return t('field.minItems', { n: min });
  return max === undefined ? t('card.anyNumber') : t('field.maxItems', { n: max });
}

function isShort(o: { label: string; description?: string; recommended?: boolean }): boolean {
  return countChars(o.label) <= 16 && !o.description && !o.recommended;
}

function yesNo(t: T) {
  return [
    { label: t('common.yes'), value: 'true' },
    { label: t('common.no'), value: 'false' },
  ];
}

interface LabelProps {
  field: Field;
  id: string;
  marked: boolean;
  htmlFor?: string;
}

function FieldLabel({ field, id, marked, htmlFor }: LabelProps) {
  return (
    <label id={id} htmlFor={htmlFor}>
      <Line text={field.question} />
      <Need field={field} marked={marked} />
    </label>
  );
}

/** Whether a question must be answered, in a word. */
function Need({ field, marked }: { field: Field; marked: boolean }) {
  const t = useT();
  if (field.required && !marked) return null;
  return <span className="mut need"> {t(field.required ? 'card.required' : 'card.optional')}</span>;
}

function Help({ text, bad = false, id }: { text: string; bad?: boolean; id?: string }) {
  return (
    <span className={bad ? 'help bad' : 'help'} id={id}>
      {text}
    </span>
  );
}

interface TextProps {
  field: Field;
  id: string;
  value: string;
  /** What is wrong with it, in words. */
  wrong: string;
  fromServer: boolean;
  marked: boolean;
  asQuestion: boolean;
  locked: boolean;
  change: (text: string) => void;
}

function TextField({
  field: f,
  id,
  value,
  wrong,
  fromServer,
  marked,
  asQuestion,
  locked,
  change,
}: TextProps) {
  const t = useT();
  const ref = useRef<HTMLTextAreaElement>(null);
  const number = f.input_type === 'number' || f.input_type === 'integer';
  useGrow(ref, value, 0.3);
  const common = {
    id: `${id}f`,
    className: number || f.format === 'date' ? 'field narrow' : 'field',
    value,
    placeholder: oneLine(f.placeholder ?? ''),
    readOnly: locked,
    'aria-labelledby': id,
    'aria-describedby': `${id}h`,
    'aria-required': f.required || undefined,
    'aria-invalid': wrong ? true : undefined,
    dir: 'auto',
    'data-say': '',
  };
  return (
    <div className="frow" data-field={f.id}>
      {asQuestion ? (
        <h2 className="q q-flush" id={id}>
          <Paragraphs text={f.question} />
          <Need field={f} marked={marked} />
        </h2>
      ) : (
        <FieldLabel field={f} id={id} marked={marked} htmlFor={`${id}f`} />
      )}
      {f.format === 'date-time' ? (
        <input
          {...common}
          className="field moment"
          type="datetime-local"
          value={localInput(value)}
          onChange={(e) => change(momentOf(e.target.value))}
        />
      ) : number || f.format ? (
        <input
          {...common}
          type={f.format === 'date' ? 'date' : 'text'}
          inputMode={number ? (f.input_type === 'integer' ? 'numeric' : 'decimal') : undefined}
          onChange={(e) => change(e.target.value)}
        />
      ) : (
        <textarea {...common} ref={ref} rows={asQuestion ? 3 : 1} onChange={(e) => change(e.target.value)} />
      )}
      <div className="helps" id={`${id}h`}>
        {f.description && (
          <div className="help">
            <Paragraphs text={fewLines(f.description, descriptionLines)} />
          </div>
        )}
        {number && !wrong && rangeWords(t, f) && <Help text={rangeWords(t, f)} />}
        {f.default?.length && value === f.default.join('\n') ? (
          <Help text={t(fromServer ? 'card.serverDefault' : 'card.default')} />
        ) : null}
        {wrong && <Help text={wrong} bad />}
      </div>
    </div>
  );
}

function rangeWords(t: T, f: Field): string {
  const { minimum: min, maximum: max } = f;
  const whole = f.input_type === 'integer';
  if (min !== undefined && max !== undefined) {
    return whole ? t('field.wholeBetween', { min, max }) : t('field.between', { min, max });
  }
  if (min !== undefined) return t('field.atLeast', { n: min });
  if (max !== undefined) return t('field.atMost', { n: max });
  return whole ? t('field.whole') : '';
}

function faultWords(t: T, fault: FieldFault): string {
  switch (fault.kind) {
    case 'min':
      return t('field.atLeast', { n: fault.n });
    case 'max':
      return t('field.atMost', { n: fault.n });
    case 'minLength':
      return t('field.minLength', { n: fault.n });
    case 'maxLength':
      return t('field.maxLength', { n: fault.n });
    case 'integer':
      return t('field.whole');
    case 'number':
      return t('field.number');
    case 'email':
      return t('field.email');
    case 'uri':
      return t('field.uri');
    case 'minItems':
      return t('field.minItems', { n: fault.n });
    case 'maxItems':
      return t('field.maxItems', { n: fault.n });
    case 'date':
      return t('field.date');
    case 'moment':
      return t('field.moment');
    case 'required':
      return t('field.required');
  }
}
