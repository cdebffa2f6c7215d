/** The borrower and the vehicle of a loan, masked. Nothing that identifies a person is in the answer. */
import { useQuery } from '@tanstack/react-query';
import type { Arguments, OperationId } from 'daybook-sdk';
import { loanPath, read } from '../../api.ts';
import { useCan } from '../../shell/session.tsx';

export type Identity = {
  erased: boolean;
  borrower: { name: string | null } | null;
  coBorrower: { name: string | null } | null;
  vehicle: { description: string; vinLastFour: string | null } | null;
  state: string | null;
};

export function useIdentity(loanId: string): { identity: Identity | null; loading: boolean } {
  const can = useCan();
  const query = useQuery({
    ...read('readIdentity' as OperationId, loanPath(loanId) as unknown as Arguments<OperationId>),
    enabled: can('loans:read_pii'),
    retry: false,
  });
  return { identity: (query.data?.data as Identity | undefined) ?? null, loading: query.isLoading };
}
