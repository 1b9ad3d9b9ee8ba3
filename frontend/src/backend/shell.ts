// What only the surrounding window or browser can do: open a link outside, copy
// a text, show a notice. The Wails runtime is known here and nowhere else.

import { safeURL } from '../lib/url.ts';

interface WailsRuntime {
  BrowserOpenURL(url: string): void;
  ClipboardSetText(text: string): Promise<boolean>;
}

declare global {
  interface Window {
    runtime?: WailsRuntime;
  }
}

/** Whether the page runs inside the desktop window. */
export function inWindow(): boolean {
  return window.runtime?.BrowserOpenURL !== undefined;
}

/** Opens a link in the person's browser; anything but http, https and mailto is refused. */
export function openOutside(url: string): void {
  const safe = safeURL(url);
  if (!safe) return;
  if (inWindow()) window.runtime!.BrowserOpenURL(safe);
  else window.open(safe, '_blank', 'noopener,noreferrer');
}

/** Copies a text; false when the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (inWindow()) return await window.runtime!.ClipboardSetText(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export interface BrowserNotice {
  title: string;
  body: string;
  /** Notices of one tag replace each other. */
  tag: string;
  silent: boolean;
  open(): void;
}

/** Whether browser notices can be asked for; the window has the system's own. */
export function canNotify(): boolean {
  return !inWindow() && 'Notification' in window && Notification.permission !== 'denied';
}

/** Asks the person's browser for leave to show notices. */
export async function askToNotify(): Promise<boolean> {
  return canNotify() && (await Notification.requestPermission()) === 'granted';
}

/** Shows a notice if the person allowed it in this browser. What it returns takes it down. */
export function notify(notice: BrowserNotice): () => void {
  if (!canNotify() || Notification.permission !== 'granted') return () => {};
  const n = new Notification(notice.title, {
    body: notice.body,
    tag: notice.tag,
    silent: notice.silent,
  });
  n.onclick = () => {
    window.focus();
    notice.open();
    n.close();
  };
  return () => n.close();
}
