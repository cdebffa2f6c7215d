/** Unsaved work that would be lost if the page closed: entries not sent, or secrets not kept. */
import { useEffect, useSyncExternalStore } from 'react';

const held = new Set<object>();
const listeners = new Set<() => void>();
const notify = () => {
  if (held.size > 0) window.addEventListener('beforeunload', warn);
  else window.removeEventListener('beforeunload', warn);
  for (const listener of listeners) listener();
};
const warn = (event: BeforeUnloadEvent) => event.preventDefault();

/** The browser asks before it leaves, and a session that ends does not take the page away. */
export function useWork(is: boolean): void {
  useEffect(() => {
    if (!is) return;
    const one = {};
    held.add(one);
    notify();
    return () => {
      held.delete(one);
      notify();
    };
  }, [is]);
}

/** Another person has signed in: nothing of the one before is kept. */
export function dropWork(): void {
  window.removeEventListener('beforeunload', warn);
}

export const useHoldsWork = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => held.size > 0,
  );
