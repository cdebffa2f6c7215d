/** The compiler is the test: each line below either compiles, or must not. */
import { expectTypeOf, test } from 'vitest';
import { createClient } from './client.ts';
import { OPERATIONS } from './generated/api.ts';
import type { Answer, Arguments, FeedEvent, Item, Operation, OperationId, Schemas } from './types.ts';

const client = createClient({ baseUrl: 'https://loans.example/v2/chain' });

/** Never called. */
async function programs() {
  const { data: loan } = await client.readLoan({ path: { loan_id: '0x1' } });
  expectTypeOf(loan.loanDetails.loanStatus).toBeString();
  // @ts-expect-error: without its path
  await client.readLoan();
  // @ts-expect-error: a parameter that there is not
  await client.listLoans({ query: { limmit: 5 } });
  // @ts-expect-error: a read has no body
  await client.listLoans({ body: {} });
  // @ts-expect-error: not a list
  client.each('readLoan', { path: { loan_id: '0x1' } });
  // @ts-expect-error: without a member that is required
  await client.submitRepayment({ body: { loanId: '0x1' } });

  const { data: page } = await client.listLoans({ query: { limit: 5, cursor: undefined } });
  expectTypeOf(page.nextCursor).toEqualTypeOf<string | null>();
  for await (const row of client.each('listLoans')) expectTypeOf(row).toEqualTypeOf<Item<'listLoans'>>();
  for await (const event of client.each('listEvents')) expectTypeOf(event).toEqualTypeOf<FeedEvent>();
  for await (const event of client.stream()) expectTypeOf(event.loanId).toEqualTypeOf<string | null>();

  // A write may be carried out, or wait for an approval.
  const { data: paid } = await client.submitRepayment({ body: { loanId: '0x1', amount: '1', refId: 'r' } });
  if ('approvalId' in paid) expectTypeOf(paid.approvalId).toBeString();
  else expectTypeOf(paid.allocation.principal).toBeString();

  expectTypeOf((await client.exportLoans()).data).toBeString();
  expectTypeOf((await client.readPortfolioSummary({ accept: 'text/csv' })).data).toBeString();
  expectTypeOf((await client.readPortfolioSummary()).data).toBeObject();
  // @ts-expect-error: not a type that it answers with
  await client.readPortfolioSummary({ accept: 'application/pdf' });
  expectTypeOf((await client.readReport({ path: { loan_id: '0x1', n: '1' } })).data).toEqualTypeOf<Blob>();
  expectTypeOf((await client.readHealth()).data).toEqualTypeOf<Schemas['ServiceStatus']>();
}

/** For a program that wraps every call. */
async function timed<K extends OperationId>(id: K, args: Arguments<K>): Promise<Answer<K>['data']> {
  return (await client.call(id, args)).data;
}

test('requests and answers have the types of their operation', () => {
  expectTypeOf(programs).toBeFunction();
  expectTypeOf(timed<'readMe'>).returns.resolves.toEqualTypeOf<Answer<'readMe'>['data']>();
  expectTypeOf(OPERATIONS).toExtend<Record<OperationId, Operation>>();
});
