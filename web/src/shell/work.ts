/** What would be lost if the page went away now: something typed and not done, or shown once and not kept. */
import { useEffect, useSyncExternalStore } from 'react';

const held = new Set<object>();
const listeners = new Set<() => void>();
const told = () => {
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
    told();
    return () => {
      held.delete(one);
      told();
    };
  }, [is]);
}

/** Whoever is signed in now is somebody else: nothing of the one before is kept. */
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
