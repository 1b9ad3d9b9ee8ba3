import { useState } from 'react';
import { api } from '../../backend/client.ts';
import type { Draft, Interaction } from '../../backend/types.gen.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { countChars, neutral, oneLine } from '../../lib/text.ts';
import { filesOf, toggle } from '../../state/drafts.logic.ts';
import { draftOf } from '../../state/drafts.ts';
import { shownOf, usePictures } from '../../state/pictures.ts';
import { Coded, Paragraphs } from '../../ui/bits.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Thumbs } from '../../ui/thumbs.tsx';
import { longQuestion } from './card.logic.ts';
import { Options } from './options.tsx';
import { Say } from './say.tsx';

export interface BodyProps {
  i: Interaction;
  draft: Draft;
  locked: boolean;
  /** The person wanted to go on, so what is missing is shown. */
  checked: boolean;
  /** Changes the draft, unless this place is too fresh to act. */
  edit: (change: Partial<Draft>) => void;
  headingID: string;
}

/** One question: choices, and always a field for one's own words. */
export function ClarifyBody({ i, draft, locked, edit, headingID }: BodyProps) {
  const t = useT();
  const files = filesOf(draft);
  const pictures = usePictures(i.session_id, files.length, api.savePicture, (f) =>
    // What has been added meanwhile counts too, so the draft is asked anew.
    edit({ files: [...filesOf(draftOf(i)), f] }),
  );
  return (
    <div className="takes-files" {...(locked ? {} : pictures.on)}>
      {i.header && <HeaderTag text={i.header} />}
      <Question text={i.question} id={headingID} />
      {i.multi_select && i.options.length > 0 && <p className="hint">{t('card.anyNumber')}</p>}
      {i.options.length > 0 && (
        <Options
          options={i.options}
          chosen={draft.selected}
          valueFor={(o) => o.label}
          multi={i.multi_select}
          labelledBy={headingID}
          locked={locked}
          choose={(label) => edit({ selected: toggle(draft.selected, label, i.multi_select) })}
        />
      )}
      <Say
        value={draft.text}
        placeholder={i.options.length > 0 ? t('card.orSay') : t('card.say')}
        change={(text) => edit({ text })}
        locked={locked}
        add={pictures.add}
      />
      <Thumbs
        pictures={shownOf(i.session_id, files, api.pictureURL)}
        busy={pictures.busy}
        error={pictures.error}
        {...(locked ? {} : { remove: (path) => edit({ files: files.filter((f) => f.path !== path) }) })}
      />
    </div>
  );
}

export function HeaderTag({ text }: { text: string }) {
  return (
    <div className="tag" dir="auto">
      <Coded text={oneLine(text)} />
    </div>
  );
}

/** The question at reading size. A long one is set as prose and scrolls by itself. */
export function Question({ text, id }: { text: string; id: string }) {
  const t = useT();
  const [large, setLarge] = useState(false);
  const length = countChars(text);
  const lines = neutral(text).trim().split('\n').length;
  if (length <= longQuestion && lines <= 6) {
    return (
      <h2 className="q" id={id}>
        <Paragraphs text={text} />
      </h2>
    );
  }
  return (
    <>
      <section className="scroll q-scroll" tabIndex={0} aria-label={t('card.question')}>
        <div className="q long" id={id}>
          <Paragraphs text={text} />
        </div>
      </section>
      <div className="q-more">
        <span className="mut">{t('card.length', { n: length })}</span>
        <button type="button" className="link" onClick={() => setLarge(true)}>
          {t('card.openLarge')}
        </button>
      </div>
      {large && (
        <Dialog title={t('card.question')} close={() => setLarge(false)} className="dialog-wide">
          <div className="q long">
            <Paragraphs text={text} />
          </div>
        </Dialog>
      )}
    </>
  );
}
