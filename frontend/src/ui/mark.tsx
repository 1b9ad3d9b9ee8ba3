// A drawn mark for each family of agents: plain geometry of our own, nobody's
// trademark. Each differs in outline, so that they can be told apart at 16 px
// and without colour; the agent's name always stands beside or in the title.

import { memo, type ReactNode } from 'react';

const fill = { fill: 'currentColor', stroke: 'none' };

const shapes: Record<string, ReactNode> = {
  // An arch with somebody in it.
  claude: (
    <>
      <path d="M2.75 13.5V8a5.25 5.25 0 0 1 10.5 0v5.5" />
      <circle cx="8" cy="10.75" r="2.1" {...fill} />
    </>
  ),
  // A pair of brackets around a bar.
  codex: <path d="M5.5 2.75H2.75v10.5H5.5M10.5 2.75h2.75v10.5H10.5M8 5.75v4.5" />,
  // Two wedges, point to point.
  opencode: <path d="M2.5 3v10L7.6 8zM13.5 3v10L8.4 8z" {...fill} />,
  // Three dots in a triangle.
  pi: (
    <>
      <circle cx="8" cy="4.1" r="2.4" {...fill} />
      <circle cx="4" cy="11.4" r="2.4" {...fill} />
      <circle cx="12" cy="11.4" r="2.4" {...fill} />
    </>
  ),
  // Two waves.
  grok: <path d="M2 6.25c2-3.5 4-3.5 6 0s4 3.5 6 0M2 11.25c2-3.5 4-3.5 6 0s4 3.5 6 0" />,
  // A diamond, one half of it filled.
  dsh: (
    <>
      <path d="m8 1.9 6.1 6.1L8 14.1 1.9 8z" />
      <path d="M8 2v12L2 8z" {...fill} />
    </>
  ),
  // A bubble with two lines.
  chat: <path d="M2.25 3h11.5v8.25H8L4.75 14v-2.75h-2.5zM5.25 6h5.5M5.25 8.5h3" />,
  // A triangle on its side: press play.
  demo: <path d="M4.5 2.75v10.5L13.25 8z" {...fill} />,
};

// Two rings in one another: any agent that speaks the common protocol.
const linked = (
  <>
    <circle cx="5.6" cy="8" r="3.6" />
    <circle cx="10.4" cy="8" r="3.6" />
  </>
);

/** The mark of a family of agents; one that is not known gets that of the common protocol. */
export const Mark = memo(function Mark({ family, title }: { family: string; title?: string }) {
  return (
    <span className="mark" aria-hidden="true" title={title}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {Object.hasOwn(shapes, family) ? shapes[family] : linked}
      </svg>
    </span>
  );
});

/** Families with a mark of their own, for the test that holds them apart. */
export const drawn = Object.keys(shapes);
