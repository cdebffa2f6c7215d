/** The borrower and the vehicle of a loan, masked. Nothing that identifies a person is in the answer. */
import { useQuery } from '@tanstack/react-query';
import type { Data } from 'daybook-sdk';
import { loanPath, read } from '../../../api.ts';
import { useCan } from '../../../shell/session.tsx';

export type Identity = Data<'readIdentity'>;

/** Null while it is read, when it cannot be read, and for people who may not see personal data. */
export function useIdentity(loanId: string): { identity: Identity | null; loading: boolean } {
  const can = useCan();
  const query = useQuery({ ...read('readIdentity', loanPath(loanId)), enabled: can('loans:read_pii') });
  return { identity: query.data?.data ?? null, loading: query.isLoading };
}
