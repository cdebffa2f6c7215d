import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openShares } from '../../workers/turns.ts';
import { openLoanLines } from './loan-lines.ts';

const LIMITS = { everyone: 12, organization: 8, guaranteed: 2 };
const PER_LOAN = 3;

type Item = { organizationId: string; loanId: string; n: number };
const lines = (limits = LIMITS, perLoan = PER_LOAN) => openLoanLines<Item>({ shares: openShares(limits), perLoan });

const organizationId = fc.constantFrom('a', 'b', 'c');
const loanId = fc.constantFrom('1', '2', '3', '4');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), organizationId, loanId }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take' as const), most: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('free' as const), which: fc.nat(9) }) },
);

/** The same by the plainest means: one list, searched every time. */
function plainly(waiting: readonly Item[], { organizationId: of, loanId: on }: Omit<Item, 'n'>) {
  const own = waiting.filter((one) => one.organizationId === of);
  if (own.filter((one) => one.loanId === on).length >= PER_LOAN) return 'loan';
  if (own.length >= LIMITS.organization) return 'organization';
  return waiting.length >= LIMITS.everyone && own.length >= LIMITS.guaranteed ? 'everyone' : null;
}

test('a loan is out once at a time, an organization’s own order holds, nothing is lost or doubled, nothing waits without need', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const queue = lines();
      let waiting: Item[] = [];
      const out: string[] = [];
      const take = (most: number) => {
        const free = new Set(waiting.map((one) => one.loanId).filter((loan) => !out.includes(loan)));
        const taken = queue.take(most);
        expect(taken.length).toBe(Math.min(most, free.size));
        for (const item of taken) {
          expect(out).not.toContain(item.loanId);
          const first = waiting.find((one) => one.loanId === item.loanId && one.organizationId === item.organizationId);
          expect(item).toBe(first);
          waiting = waiting.filter((one) => one !== item);
          out.push(item.loanId);
        }
        expect(queue.size()).toBe(waiting.length);
      };
      steps.forEach((one, n) => {
        if (one.do === 'add') {
          const item = { organizationId: one.organizationId, loanId: one.loanId, n };
          const expected = plainly(waiting, item);
          expect(queue.add(item.organizationId, item.loanId, item)).toBe(expected);
          if (expected === null) waiting.push(item);
        } else if (one.do === 'take') take(one.most);
        else {
          const [freed] = out.splice(one.which % Math.max(1, out.length), 1);
          if (freed !== undefined) queue.free(freed);
        }
      });
      while (waiting.length > 0) {
        for (const loan of out.splice(0)) queue.free(loan);
        take(100);
      }
    }),
    { numRuns: 500 },
  );
});

test('one organization’s many loans leave the other’s one loan its turn, and its loans take turns among themselves', () => {
  const queue = lines({ everyone: 9_999, organization: 9_999, guaranteed: 0 }, 9_999);
  for (let n = 0; n < 300; n++) queue.add('many', `m${n % 30}`, { organizationId: 'many', loanId: `m${n % 30}`, n });
  for (let n = 0; n < 10; n++) queue.add('one', 'o', { organizationId: 'one', loanId: 'o', n });
  const seen: Item[][] = [];
  for (let batch = 0; batch < 10; batch++) {
    const taken = queue.take(4);
    seen.push(taken);
    for (const item of taken) queue.free(item.loanId);
  }
  // Every batch has the one loan's next item; the 30 others have come once each in 10 batches of three.
  expect(seen.map((batch) => batch.filter((item) => item.loanId === 'o').map(({ n }) => n))).toEqual(
    Array.from({ length: 10 }, (_, n) => [n]),
  );
  const others = seen.flat().filter((item) => item.loanId !== 'o');
  expect(new Set(others.map((item) => item.loanId)).size).toBe(30);
});

test('commands of a stranger for a loan do not stand in its owner’s line, nor take its places', () => {
  const queue = lines();
  for (let n = 0; n < 10; n++) queue.add('stranger', '1', { organizationId: 'stranger', loanId: '1', n });
  expect(queue.add('owner', '1', { organizationId: 'owner', loanId: '1', n: 10 })).toBe(null);
  const [first] = queue.take(9);
  queue.free('1');
  const [second] = queue.take(9);
  expect([first?.organizationId, second?.organizationId]).toEqual(['stranger', 'owner']);
});

test('only a loan that is out can be freed', () => {
  const queue = lines();
  queue.add('a', '1', { organizationId: 'a', loanId: '1', n: 0 });
  expect(() => queue.free('1')).toThrow();
  expect(queue.take(1)).toHaveLength(1);
  queue.free('1');
  expect(() => queue.free('1')).toThrow();
});
