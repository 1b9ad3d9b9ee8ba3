// Cuts Markdown into blocks at empty lines, so that a growing text leaves all
// but its last block alone. What belongs together stays together: fenced code,
// lists and their indented lines, and link definitions. Pure.

const fence = /^ {0,3}(`{3,}|~{3,})/;
const continues = /^(?:\s+\S|\s*(?:[-*+]|\d+[.)])\s)/;
const definition = /^ {0,3}\[[^\]]+\]:\s/m;

export function blocksOf(text: string): string[] {
  // A definition may serve a link anywhere in the text.
  if (definition.test(text)) return [text];
  const blocks: string[] = [];
  let block: string[] = [];
  let open = '';
  let gap = false;
  for (const line of text.split('\n')) {
    const mark = fence.exec(line)?.[1];
    if (open) {
      if (mark && mark[0] === open[0] && mark.length >= open.length && line.trim() === mark) open = '';
      block.push(line);
      continue;
    }
    if (line.trim() === '') {
      gap = block.length > 0;
      if (gap) block.push(line);
      continue;
    }
    if (gap && !(continues.test(line) && continues.test(firstOf(block)))) {
      blocks.push(block.join('\n').trimEnd());
      block = [];
    }
    gap = false;
    if (mark) open = mark;
    block.push(line);
  }
  const rest = block.join('\n').trimEnd();
  if (rest) blocks.push(rest);
  return blocks;
}

function firstOf(block: readonly string[]): string {
  return block[0] ?? '';
}
