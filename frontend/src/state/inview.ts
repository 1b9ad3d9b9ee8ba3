// Which cards stand in view, by the ids of their questions.

import { create } from 'zustand';

export const useInView = create<{ ids: readonly string[] }>()(() => ({ ids: [] }));

export function setInView(id: string, inView: boolean): void {
  useInView.setState((s) => {
    if (s.ids.includes(id) === inView) return s;
    return { ids: inView ? [...s.ids, id] : s.ids.filter((other) => other !== id) };
  });
}
