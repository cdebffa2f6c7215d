/** Personal data for a minute: read with a purpose, shown, and forgotten. */
import { useEffect, useState } from 'react';
import { SHOWN_MS } from '../../parts/purpose.ts';

export type Revealed<T> = {
  data: T | null;
  busy: boolean;
  error: unknown;
  open: (purpose: string) => void;
  close: () => void;
};

/** `forMs`: null keeps it until it is closed or the page is left. */
export function useReveal<T>(read: (purpose: string) => Promise<T>, forMs: number | null = SHOWN_MS): Revealed<T> {
  const [data, setData] = useState<T | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    if (data === null || forMs === null) return;
    const timer = setTimeout(() => setData(null), forMs);
    return () => clearTimeout(timer);
  }, [data, forMs]);
  return {
    ...{ data, busy, error },
    open(purpose) {
      setBusy(true);
      setError(null);
      read(purpose)
        .then(setData, setError)
        .finally(() => setBusy(false));
    },
    close: () => setData(null),
  };
}

export const PURPOSES = [
  'Deciding the application',
  'Checking documents and stipulations',
  'Question from the applicant or dealer',
  'Review of an earlier decision',
];
