// A modal dialog on the browser's own dialog element: it traps focus, closes on
// Esc, makes the page behind inert and gives the focus back.

import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useT } from '../lib/i18n/i18n.ts';
import { Icon } from './icon.tsx';

interface Props {
  title: ReactNode;
  close: () => void;
  children: ReactNode;
  /** Buttons, the acting one last. */
  foot?: ReactNode;
  className?: string;
}

export function Dialog({ title, close, children, foot, className = '' }: Props) {
  const t = useT();
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);

  // While the dialog is still in the page: closed later, it gives no focus back.
  useLayoutEffect(() => {
    const el = ref.current;
    if (el && !el.open) el.showModal?.();
    // The browser would choose the first button; a field is what one came for.
    el?.querySelector<HTMLElement>('.dialog-body :is(input, textarea)')?.focus();
    return () => el?.close?.();
  }, []);

  return (
    <dialog
      ref={ref}
      className={`dialog ${className}`}
      aria-labelledby={id}
      onCancel={(e) => {
        e.preventDefault();
        close();
      }}
      onKeyDown={(e) => e.stopPropagation()}
      onMouseDown={(e) => {
        if (e.target === ref.current) close();
      }}
    >
      <div className="dialog-in">
        <header className="dialog-head">
          <h2 id={id} className="h2 grow trunc">
            {title}
          </h2>
          <button type="button" className="btn icon sm" title={t('common.close')} onClick={close}>
            <Icon name="x" />
          </button>
        </header>
        <div className="dialog-body">{children}</div>
        {foot && <footer className="dialog-foot">{foot}</footer>}
      </div>
    </dialog>
  );
}
