/** The one client of the pages, and how a query of it is written. */

import { queryOptions } from '@tanstack/react-query';
import { type Answer, type Arguments, createClient, type Daybook, type OperationId, type Schemas } from 'daybook-sdk';
import { fetchOfPage } from './shell/activity.ts';
import { dropWork } from './shell/work.ts';

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const prefix = meta('daybook-prefix');
export const nonce = meta('daybook-nonce');

let csrf: Promise<string> | null = null;

/** The proof of a write that it comes from our own page; read again when the session has changed. */
async function csrfToken(refused?: string): Promise<string> {
  if (refused !== undefined) csrf = null;
  csrf ??= currentSession().then((session) => session.csrfToken);
  try {
    return await csrf;
  } catch (error) {
    csrf = null;
    throw error;
  }
}
export const forgetCsrf = (): void => {
  csrf = null;
};

let who: string | null = null;

/** The page is one person's. If somebody else has signed in in this browser since, it begins anew as theirs, and does nothing before. */
export async function currentSession(): Promise<Schemas['Session']> {
  const { data } = await daybook.readSession();
  const now = `${data.organization.organizationId} ${data.userId}`;
  who ??= now;
  if (who === now) return data;
  dropWork();
  window.location.reload();
  return new Promise(() => {});
}

export const daybook: Daybook = createClient({
  baseUrl: window.location.origin + prefix,
  auth: { session: { csrfToken } },
  fetch: fetchOfPage,
});

/**
 * A read as a query. Its key begins with the operation, and with the loan where there is one, so that a live event refreshes what it
 * changed: `['loan', loanId, operation, …]` or `['book', operation, …]`.
 */
export function read<K extends OperationId>(operation: K, args: Arguments<K> = {} as Arguments<K>) {
  const loanId = (args as { path?: { loan_id?: string } }).path?.loan_id;
  const { signal: _, ...keyed } = args as Record<string, unknown>;
  return queryOptions<Answer<K>>({
    queryKey: loanId === undefined ? ['book', operation, keyed] : ['loan', loanId, operation, keyed],
    queryFn: ({ signal }) => daybook.call(operation, { ...args, signal } as Arguments<K>),
  });
}

/**
 * A report over the whole book: costly, so an event does not refresh it. One of today is read again every minute while it is looked at, one
 * of a past day when it is opened anew; a report that is still being computed is asked for until it is there.
 */
export function report<K extends OperationId>(operation: K, args: Arguments<K>, { today }: { today: boolean }) {
  return queryOptions<Answer<K>>({
    ...read(operation, args),
    queryKey: ['report', operation, args],
    staleTime: today ? 30_000 : 5 * 60_000,
    refetchInterval: ({ state }) => (state.data?.status === 202 ? 1_500 : today ? 60_000 : false),
  });
}

export const loanPath = (loanId: string) => ({ path: { loan_id: loanId } });
