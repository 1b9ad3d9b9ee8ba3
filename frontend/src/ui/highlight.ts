// Colours for code, from highlight.js's own tree: plain pieces, no HTML.

import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const languages = {
  bash,
  c,
  cpp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  markdown,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
hljs.registerAliases(['sh', 'shell', 'console', 'zsh'], { languageName: 'bash' });
hljs.registerAliases(['jsx', 'mjs'], { languageName: 'javascript' });
hljs.registerAliases(['tsx', 'ts'], { languageName: 'typescript' });
hljs.registerAliases(['jsonc', 'json5'], { languageName: 'json' });
hljs.registerAliases(['html', 'svg'], { languageName: 'xml' });

type Piece = string | { kind: string; text: string };

interface TreeNode {
  scope?: string;
  children: (TreeNode | string)[];
}

/** Which of our few kinds a scope belongs to; "" is plain. */
function kindOf(scope: string): string {
  const first = scope.split('.')[0] ?? '';
  if (first === 'comment' || first === 'quote') return 'note';
  if (['keyword', 'literal', 'built_in', 'type', 'selector-tag', 'meta', 'name', 'tag'].includes(first))
    return 'word';
  if (['string', 'number', 'regexp', 'symbol', 'attribute', 'attr'].includes(first)) return 'text';
  if (first === 'addition') return 'add';
  return first === 'deletion' ? 'del' : '';
}

/** The code cut into pieces of one kind each; one plain piece when the language is not known. */
export function colours(text: string, language: string): Piece[] {
  const name = language.toLowerCase();
  if (!hljs.getLanguage(name)) return [text];
  const result = hljs.highlight(text, { language: name, ignoreIllegals: true });
  const tree = (result._emitter as unknown as { rootNode: TreeNode }).rootNode;
  const out: Piece[] = [];
  const walk = (node: TreeNode | string, kind: string) => {
    if (typeof node === 'string') out.push(kind ? { kind, text: node } : node);
    else for (const child of node.children) walk(child, node.scope ? kindOf(node.scope) || kind : kind);
  };
  walk(tree, '');
  return out;
}
