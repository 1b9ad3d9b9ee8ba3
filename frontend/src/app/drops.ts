import { useEffect } from 'react';

/**
 * A file or link that is dropped beside a field does nothing: by itself the
 * browser would leave the page for it, and take unsent words along. Fields that
 * take files have handled the drop before; text may still be dragged into a field.
 */
export function useDropsStayHere(): void {
  useEffect(() => {
    const refuse = (e: DragEvent) => {
      if (e.defaultPrevented) return;
      const field = e.target instanceof Element && e.target.closest('input, textarea');
      if (field && !e.dataTransfer?.types.includes('Files')) return;
      e.preventDefault();
      if (e.dataTransfer) e.dataTransfer.dropEffect = 'none';
    };
    window.addEventListener('dragover', refuse);
    window.addEventListener('drop', refuse);
    return () => {
      window.removeEventListener('dragover', refuse);
      window.removeEventListener('drop', refuse);
    };
  }, []);
}
