/** The definitions of the operations together: the transition table, its order, and who may do what. */
import { describe, expect, test } from 'vitest';
import { type Life, live, payment } from '../../../test/support/life.ts';
import { LOAN_LIFE, OPERATIONS, rowOf } from '../../../test/support/operations.ts';
import { date } from '../calendar.ts';
import { foldAll } from '../fold.ts';
import { STATUSES } from '../loan.ts';
import { isRefusal } from '../refusal.ts';
import { rightsTaken } from './brought.ts';
import { allowedIn, type Command, mayServicerDo, OPERATION_NAMES, TRANSITIONS } from './decide.ts';

describe('the transition table is that of the specification', () => {
  test.each(LOAN_LIFE)('%s', (operation, from) => {
    expect(STATUSES.filter((one) => allowedIn(one).includes(operation))).toEqual(
      STATUSES.filter((one) => from.includes(one)),
    );
  });

  test('every operation is in the table, in the documented order', () => {
    expect(Object.keys(TRANSITIONS)).toEqual(OPERATIONS);
    expect(OPERATION_NAMES).toEqual(OPERATIONS);
    for (const status of STATUSES) {
      expect(allowedIn(status)).toEqual(OPERATIONS.filter((one) => rowOf(one).from.includes(status)));
    }
  });
});

test('a servicer may do what the table says', () => {
  expect(OPERATIONS.filter(mayServicerDo)).toEqual(OPERATIONS.filter((one) => rowOf(one).by === 'servicer'));
});

describe('a call may need a scope beyond that of its operation', () => {
  const scope = (life: Life, day: string, command: Command) => {
    const decision = life.ask(day, command);
    if (isRefusal(decision)) throw new Error(decision.detail);
    const { events } = life;
    const when = { today: date(day), at: `${day}T12:00:00.000Z` };
    return rightsTaken(command, decision, when, { folding: foldAll(events), events }).scopes;
  };
  const initiate: Command = { do: 'initiate-repayment', date: null, opening: null };

  test('initiate-repayment: the funding scope when it funds, otherwise the servicing scope', () => {
    expect(scope(live().approve('2026-01-01'), '2026-01-01', initiate)).toEqual([['loans:fund'], ['loans:fund']]);
    expect(scope(live().fund(), '2026-01-01', initiate)).toEqual([['servicing:write']]);
  });

  test('loan-repay: the servicing scope when it is backdated further than the policy allows', () => {
    const dated = (day: string): Command => ({ ...payment('100', 'A'), date: date(day), reason: 'found' });
    const life = live().fund();
    expect(scope(life, '2026-03-03', dated('2026-02-01'))).toEqual([]);
    expect(scope(life, '2026-03-03', dated('2026-01-31'))).toEqual([['servicing:write']]);
  });

  test('all others: none', () => {
    expect(scope(live().fund(), '2026-01-01', { do: 'payment-reminders' })).toEqual([]);
  });
});
