// One set of icons: 16 px, strokes of 1.5. State marks differ in shape as well
// as in colour, so that neither is needed alone.

const paths = {
  inbox: 'M2 9.5 4 3h8l2 6.5V13H2zM2 9.5h3.5a2.5 2.5 0 0 0 5 0H14',
  plus: 'M8 3v10M3 8h10',
  search: 'M11.25 7a4.25 4.25 0 1 1-8.5 0 4.25 4.25 0 0 1 8.5 0zm-1 3.25 3.25 3.25',
  check: 'm3.5 8.5 3 3 6-7',
  x: 'm4 4 8 8m0-8-8 8',
  clock: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM8 4.75V8l2.25 1.5',
  down: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  right: 'm6.5 4.5 3.5 3.5-3.5 3.5',
  left: 'M9.5 4.5 6 8l3.5 3.5',
  up: 'm4.5 9.5 3.5-3.5 3.5 3.5',
  branch:
    'M6 3.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zm0 9a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zm7-8a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM4.5 5v6M11.5 6c0 3-7 1.5-7 4',
  folder: 'M1.75 12.5v-9h4l1.5 2h7v7z',
  file: 'M4 1.75h5l3 3v9.5H4zM9 1.75v3h3',
  pencil: 'M2.75 13.25 3.5 10l7-7L13 5.5l-7 7z',
  term: 'M1.75 2.75h12.5v10.5H1.75zM4.5 6l2 2-2 2M8.5 10.25h3',
  star: 'm8 2 1.8 3.8 4.2.6-3 2.9.7 4.2L8 11.5l-3.7 2 .7-4.2-3-2.9 4.2-.6z',
  panel: 'M1.75 2.75h12.5v10.5H1.75zM10 2.75v10.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 3V2.5h-8v8H3',
  link: 'M9.5 2.5h4v4M13.25 2.75 7.5 8.5M11.5 9.5v4h-9v-9h4',
  warn: 'M8 2l6.5 11.5h-13zM8 6.5v3M8 11.6v.01',
  info: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM8 7.5v3.25M8 5.2v.01',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  image:
    'M2 2.75h12v10.5H2zM2.5 11.5l3.5-4 2.5 2.75L10.5 8l3 3.25M11.5 5.5a.75.75 0 1 1-1.5 0 .75.75 0 0 1 1.5 0z',
  redo: 'M13 8a5 5 0 1 1-1.6-3.7M13.25 2.5v2.75H10.5',
  lock: 'M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  plug: 'M5.5 2v3.5M10.5 2v3.5M3.5 5.5h9V8a4.5 4.5 0 0 1-9 0zM8 12.5V15',
  form: 'M3 2h10v12H3zM5.5 5.5h5M5.5 8.5h5M5.5 11h2.5',
  enter: 'M13 3.5V9H3.5M6 6.5 3.5 9 6 11.5',
  gear: 'M2 5h6.5M11.5 5H14M2 11h2.5M7.5 11H14M11.5 5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zm-4 6a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0z',
  send: 'M8 13V3.5M4 7.5l4-4 4 4',
  into: 'M1.75 8h8M6.5 4.75 9.75 8 6.5 11.25M13.25 3v10',
  globe:
    'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM2 8h12M8 2c2 2 2.75 4 2.75 6S10 12 8 14c-2-2-2.75-4-2.75-6S6 4 8 2z',
  agent: 'M3 5.5h10v7H3zM8 5.5V3M6 8.5v1M10 8.5v1M8 3h.01',
  tool: 'M10.2 2.6a3.4 3.4 0 0 0-3.9 4.6l-4 4 2.5 2.5 4-4a3.4 3.4 0 0 0 4.6-3.9l-2 2-2.2-.9-.9-2.2z',
  ask: 'M2.5 3h11v8H8l-3 2.5V11H2.5zM6.9 5.9a1.2 1.2 0 1 1 1.7 1.1c-.4.2-.6.4-.6.8M8 9.2v.01',
} as const;

export type IconName = keyof typeof paths | 'stop' | 'more';

/** An icon. It says nothing to a screen reader: a label or tooltip always stands with it. */
export function Icon({ name, small = false }: { name: IconName; small?: boolean }) {
  return (
    <svg className={small ? 'i sm' : 'i'} viewBox="0 0 16 16" aria-hidden="true">
      {name === 'stop' && <rect x="4" y="4" width="8" height="8" rx="1" fill="currentColor" />}
      {name === 'more' && <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2" />}
      {name !== 'stop' && name !== 'more' && <path d={paths[name]} />}
    </svg>
  );
}

export type StateName = 'wait' | 'run' | 'queue' | 'ok' | 'bad' | 'idle' | 'off' | 'halt';

/** A state mark. The words beside it, or its title, say the same. */
export function State({ name }: { name: StateName }) {
  return (
    <svg className={`st ${name}`} viewBox="0 0 16 16" aria-hidden="true">
      {name === 'wait' && (
        <>
          <circle cx="8" cy="8" r="7" fill="currentColor" stroke="var(--edge)" strokeWidth="1" />
          <path
            d="M6.1 6.3a1.95 1.95 0 1 1 2.8 1.75c-.6.3-.9.65-.9 1.25M8 11.5v.01"
            stroke="var(--ink)"
            strokeWidth="1.5"
          />
        </>
      )}
      {name === 'run' && (
        <>
          <path d="M8 2.5a5.5 5.5 0 1 1-5.5 5.5" />
          <circle cx="8" cy="8" r="1.6" fill="currentColor" stroke="none" />
        </>
      )}
      {name === 'queue' && <circle cx="8" cy="8" r="5.5" strokeDasharray="2.2 2.4" />}
      {name === 'ok' && <path d="m3.5 8.5 3 3 6-7" />}
      {name === 'bad' && <path d="m4 4 8 8m0-8-8 8" />}
      {name === 'idle' && <circle cx="8" cy="8" r="5.25" strokeWidth="1.5" />}
      {name === 'off' && (
        <>
          <circle cx="8" cy="8" r="5.5" strokeWidth="1.5" />
          <path d="m4.2 11.8 7.6-7.6" strokeWidth="1.5" />
        </>
      )}
      {name === 'halt' && <rect x="3.5" y="3.5" width="9" height="9" rx="1.5" strokeWidth="1.5" />}
    </svg>
  );
}
