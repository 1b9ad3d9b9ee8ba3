// Store of what outlives the MCP page: that the file has changed, a text in the
// making, and what servers said when they were tried.

import { create } from 'zustand';
import type { MCPTest } from '../backend/types.gen.ts';

/** A text of the file in the making, and the revision that it began with. */
export interface FileDraft {
  base: string;
  text: string;
}

interface MCP {
  /** Rises with each change of the file, and when changes may have been missed. */
  changes: number;
  draft: FileDraft | null;
  /** By server; null while it is being tried. */
  tests: Readonly<Record<string, MCPTest | null>>;
}

export const useMCP = create<MCP>()(() => ({ changes: 0, draft: null, tests: {} }));

/** Has whoever shows the file ask for it anew. */
export function noteMCPChange(): void {
  useMCP.setState((s) => ({ changes: s.changes + 1 }));
}

export function setFileDraft(draft: FileDraft | null): void {
  useMCP.setState({ draft });
}

/** Keeps what a server said; undefined forgets it, as after a change of the server. */
export function setTest(name: string, test: MCPTest | null | undefined): void {
  useMCP.setState((s) => {
    const { [name]: _, ...rest } = s.tests;
    return { tests: test === undefined ? rest : { ...rest, [name]: test } };
  });
}
