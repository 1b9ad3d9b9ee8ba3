import { type KeyboardEvent, useState } from 'react';
import type { Draft, Interaction } from '../../backend/types.gen.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { composing } from '../../ui/keys.ts';
import { edit, replace } from './answer.ts';
import { Say } from './say.tsx';

interface Props {
  i: Interaction;
  draft: Draft;
  locked: boolean;
  /** Runs an act unless this place is too fresh. */
  act: (fn: () => void) => void;
}

/**
 * The way out of a form with a message: the agent hears that nobody answered, and
 * then the message. The words are part of the draft, so they outlive a reload.
 */
export function Instead({ i, draft, locked, act }: Props) {
  const t = useT();
  const [open, setOpen] = useState(draft.text.trim() !== '');
  const ready = draft.text.trim() !== '';
  const close = () => act(() => void replace(i));
  // Enter in here must never send what is filled in above.
  const onKeyDown = (e: KeyboardEvent<HTMLElement>) => {
    if (e.key === 'Escape' || e.key === 'Tab') return;
    e.stopPropagation();
    if (e.key !== 'Enter' || e.shiftKey || composing(e)) return;
    if (!(e.target instanceof HTMLTextAreaElement)) return;
    e.preventDefault();
    if (ready) close();
  };
  if (!open)
    return (
      <div className="instead">
        <button type="button" className="link" aria-expanded="false" onClick={() => act(() => setOpen(true))}>
          {t('card.instead')}
        </button>
      </div>
    );
  return (
    <div className="instead" onKeyDown={onKeyDown}>
      <Say
        value={draft.text}
        placeholder={t('card.insteadWhat')}
        locked={locked}
        change={(text) => edit(i, { text })}
      />
      <button
        type="button"
        className="btn"
        data-act="replace"
        aria-disabled={!ready || undefined}
        onClick={() => ready && close()}
      >
        {t('card.insteadSend')}
      </button>
    </div>
  );
}
