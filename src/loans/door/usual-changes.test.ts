/** Columns that seldom change are sent with a save only where they have changed: a loan is loaded with them as its row has them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import type { Command } from '../../core/decide/decide.ts';
import type { Db } from '../../store/db/db.ts';
import type { OpenLoans } from '../open.ts';
import { verifyBook } from '../verify/book.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

/** A process of its own, with the names of the saves that it sends. */
function watched(): { loans: OpenLoans; sent: string[] } {
  const sent: string[] = [];
  const query = (text: string, values?: readonly unknown[], name?: string) => {
    if (name?.startsWith('save_batch_')) sent.push(name.slice('save_batch_'.length));
    return room.db.query(text, values, name);
  };
  return { loans: room.another({ db: { ...room.db, query: query as Db['query'] } }), sent };
}

async function written(loans: OpenLoans, loanId: string, command: Command): Promise<void> {
  const outcome = await loans.write(ACTOR, { loanId, command, reason: null, answer: () => '' }, PLAIN);
  expect(outcome.kind).toBe('done');
}

const rowOf = async (loanId: string) => {
  const [row] = await room.db.query<{ status: string; published: boolean; principal: bigint }>(
    'SELECT status, published, principal FROM loans WHERE loan_id = $1',
    [`\\x${loanId.slice(2)}`],
  );
  return row;
};

test('a payment leaves what it does not change, and what changes is in the row', async () => {
  const [loanId, other] = [await room.live(), await room.live()];
  const here = watched();
  const there = watched();
  await written(here.loans, loanId, repay('A', 1_000));
  expect((await rowOf(loanId))?.status).toBe('Current');
  await written(here.loans, loanId, repay('B', 1_000));
  await written(here.loans, loanId, repay('C', 1_000));
  await written(here.loans, loanId, { do: 'publish', published: true });
  expect(await rowOf(loanId)).toMatchObject({ published: true, principal: 1_000_000n - 3_000n });
  await written(here.loans, loanId, repay('D', 1_000));
  expect(here.sent).toEqual(['usual', 'usual', 'usual', 'whole', 'usual']);
  await written(there.loans, loanId, { do: 'publish', published: false });
  // The state that this process remembers is out of date: its save changes nothing, and the loan is loaded again.
  await written(here.loans, loanId, repay('E', 1_000));
  expect(here.sent.slice(5)).toEqual(['usual', 'usual']);
  expect(there.sent).toEqual(['whole']);
  expect((await rowOf(loanId))?.published).toBe(false);
  // One of a batch that needs it is enough.
  here.sent.length = 0;
  await Promise.all([
    written(here.loans, loanId, repay('F', 1_000)),
    written(here.loans, other, { do: 'publish', published: true }),
  ]);
  expect(here.sent).toContain('whole');
  // The first save of a loan by a process is no other than the ones after it.
  const third = watched();
  await written(third.loans, loanId, repay('G', 1_000));
  expect(third.sent).toEqual(['usual']);
  const { complaints } = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(complaints).toEqual([]);
});
