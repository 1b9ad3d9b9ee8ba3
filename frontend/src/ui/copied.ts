import { useEffect, useState } from 'react';
import { useOutside } from './outside.ts';

/** A copy action, and whether it has just succeeded, for the mark that says so. */
export function useCopy(text: string): [copied: boolean, copy: () => void] {
  const { copy } = useOutside();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  return [copied, () => void copy(text).then(setCopied)];
}
