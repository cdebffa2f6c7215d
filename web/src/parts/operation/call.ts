/** Calls an operation whose types are only known when it runs. */
import type { Arguments, OperationId } from 'daybook-sdk';
import { daybook } from '../../api.ts';

export type AnyArguments = {
  path?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  body?: Readonly<Record<string, unknown>>;
  idempotencyKey?: string;
  ifMatch?: string;
  purpose?: string;
  accept?: string;
  signal?: AbortSignal;
};
export type AnyAnswer = { data: unknown; status: number; requestId: string | null; body: unknown };

export const callAny = (id: string, args: AnyArguments): Promise<AnyAnswer> =>
  daybook.call(id as OperationId, args as unknown as Arguments<OperationId>);
