/** The dry run and the write of a form. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ConnectionError, ProblemError } from 'daybook-sdk';
import { useEffect, useRef, useState } from 'react';
import { type AnyAnswer, callAny } from './call.ts';
import type { Operation } from './catalogue.ts';
import type { sent } from './form.ts';

const PAUSE_MS = 350;
/** Operations with a higher cost are previewed on request only. */
const CHEAP = 5;

type Sent = ReturnType<typeof sent>;

export function useDoing(
  operation: Operation,
  args: Sent,
  how: {
    complete: boolean;
    /** Version of the loan shown: the write is refused if it has changed by then. */
    version: number | undefined;
    purpose: string;
    onDone: (answer: { status: number; data: unknown }) => void;
  },
) {
  const { id } = operation;
  const queries = useQueryClient();
  const text = JSON.stringify(args);
  const [wanted, setWanted] = useState('');
  const key = useRef({ text: '', value: '' });
  const version = useRef(how.version);
  const auto = operation.dryRun && operation.cost <= CHEAP;

  useEffect(() => {
    if (!auto || !how.complete) return;
    const timer = setTimeout(() => setWanted(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [auto, how.complete, text]);

  const purpose = how.purpose === '' ? {} : { purpose: how.purpose };
  const sending = useRef(false);
  const doIt = useMutation({
    mutationFn: (): Promise<AnyAnswer> => {
      // The same key for the same request, so that pressing again after a lost connection does it once.
      if (key.current.text !== text) key.current = { text, value: newKey() };
      const expected = version.current;
      return callAny(id, {
        ...args,
        ...purpose,
        ...(operation.key && { idempotencyKey: key.current.value }),
        ...(operation.version && expected !== undefined && { ifMatch: String(expected) }),
      });
    },
    onSettled: () => {
      sending.current = false;
    },
    onSuccess: ({ status, data }) => how.onDone({ status, data }),
    onError: (error) => {
      if (isUnknown(error)) return;
      key.current = { text: '', value: '' };
      // The page is out of date: the loan is read again, and with it the preview.
      if (error instanceof ProblemError && error.status === 412) void queries.invalidateQueries({ queryKey: ['loan'] });
    },
  });
  // While it is being done, and while nobody knows whether it was, the loan may change by it: what was shown stays.
  const frozen = doIt.isPending || isUnknown(doIt.error);
  if (!frozen) version.current = how.version;

  const preview = useQuery({
    queryKey: ['preview', id, text, version.current ?? null],
    queryFn: ({ signal }) => callAny(id, { ...args, query: { ...args.query, dryRun: true }, ...purpose, signal }),
    enabled: operation.dryRun && how.complete && wanted === text && !frozen && !doIt.isSuccess,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

  const { reset } = doIt;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a failure is about what was typed then.
  useEffect(() => reset(), [reset, text]);

  return {
    preview,
    doIt,
    /** Once, however often the button is pressed before it shows that it was. */
    go() {
      if (sending.current) return;
      sending.current = true;
      doIt.mutate();
    },
    /** Error of the write, or else of the current preview. */
    error: doIt.error ?? (wanted === text && !frozen ? preview.error : null),
    ask: () => (wanted === text ? void preview.refetch() : setWanted(text)),
    stale: wanted !== text,
  };
}

/** Whether the outcome is unknown, as after a response of a proxy, or while the call is still in progress. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof ProblemError && (error.status >= 500 || error.code === 'idempotency_key_in_use'));

/** 128 random bits; `randomUUID` is missing in pages that were not served by https. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
