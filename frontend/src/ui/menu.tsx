// A menu below or above its button: for choosing one of a few, and for actions.
// Drawn in the top layer, so that nothing cuts it off.

import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from './icon.tsx';

export interface MenuItem {
  id: string;
  label: ReactNode;
  /** Text for typing ahead; the label when it is a text. */
  text?: string;
  note?: ReactNode;
  /** The chosen one of a choice; absent for an action. */
  checked?: boolean;
  danger?: boolean;
  disabled?: boolean;
}

interface Props {
  /** What the button shows. */
  children: ReactNode;
  className: string;
  title: string;
  items: readonly MenuItem[];
  choose: (id: string) => void;
  disabled?: boolean;
  align?: 'left' | 'right';
}

export function Menu({ children, className, title, items, choose, disabled = false, align = 'left' }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: '', at: 0 });

  useLayoutEffect(() => {
    const el = list.current;
    if (!open || !el || !button.current) return;
    el.showPopover?.();
    place(el, button.current.getBoundingClientRect(), align);
    const rows = rowsOf(el);
    (rows.find((r) => r.getAttribute('aria-checked') === 'true') ?? rows[0])?.focus();
  }, [open, align]);

  const shut = (back: boolean) => {
    setOpen(false);
    if (back) button.current?.focus();
  };

  const onKey = (e: KeyboardEvent) => {
    const rows = rowsOf(list.current);
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step) rows[(at + step + rows.length) % rows.length]?.focus();
    else if (e.key === 'Home') rows[0]?.focus();
    else if (e.key === 'End') rows.at(-1)?.focus();
    else if (e.key === 'Escape') shut(true);
    else if (e.key === 'Tab') return shut(true);
    else if (e.key.length === 1 && e.key !== ' ' && !e.ctrlKey && !e.metaKey) {
      const fresh = e.timeStamp - typed.current.at > 800;
      typed.current = { text: (fresh ? '' : typed.current.text) + e.key.toLowerCase(), at: e.timeStamp };
      rows.find((r) => r.dataset.text?.toLowerCase().startsWith(typed.current.text))?.focus();
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        title={title}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        disabled={disabled}
        onClick={() => setOpen(!open)}
        onKeyDown={(e) => {
          if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
            e.preventDefault();
            setOpen(true);
          }
        }}
      >
        {children}
      </button>
      {open && (
        <div
          ref={list}
          id={id}
          className="menu"
          role="menu"
          tabIndex={-1}
          aria-label={title}
          popover="auto"
          onToggle={(e) => e.newState === 'closed' && shut(false)}
          onKeyDown={onKey}
        >
          {items.map((item) => (
            <button
              key={item.id}
              type="button"
              role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
              aria-checked={item.checked}
              aria-disabled={item.disabled || undefined}
              className={item.danger ? 'menu-item danger-item' : 'menu-item'}
              data-text={item.text ?? (typeof item.label === 'string' ? item.label : '')}
              tabIndex={-1}
              onClick={() => {
                if (item.disabled) return;
                shut(true);
                choose(item.id);
              }}
            >
              <span className="menu-label">
                <span className="trunc">{item.label}</span>
                {item.note && <small>{item.note}</small>}
              </span>
              {item.checked && <Icon name="check" small />}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

function rowsOf(el: HTMLElement | null): HTMLElement[] {
  return el ? Array.from(el.querySelectorAll<HTMLElement>('.menu-item')) : [];
}

/** Below the button when there is room, else above; never over the edge of the window. */
function place(el: HTMLElement, at: DOMRect, align: 'left' | 'right'): void {
  const gap = 4;
  const edge = 8;
  const { width, height } = el.getBoundingClientRect();
  const below = at.bottom + gap + height <= window.innerHeight - edge;
  const left = align === 'left' ? at.left : at.right - width;
  el.style.left = `${Math.max(edge, Math.min(left, window.innerWidth - width - edge))}px`;
  el.style.top = `${below ? at.bottom + gap : Math.max(edge, at.top - gap - height)}px`;
}
