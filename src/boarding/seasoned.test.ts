import { describe, expect, test } from 'vitest';
import { creationOf, orProblem } from '../../test/support/creation.ts';
import { contractOf, live } from '../../test/support/life.ts';
import { date } from '../core/calendar.ts';
import { delinquency } from '../core/delinquency.ts';
import type { Contract, Opening } from '../core/loan.ts';
import { payoff } from '../core/payoff.ts';
import { DEFAULT_POLICY } from '../core/policy.ts';
import { parseJson } from '../http/shared/body.ts';
import { SMALL_BODY } from '../http/shared/body-limits.ts';
import { Problem } from '../http/shared/problems.ts';
import { openingFromMetadata } from './funding-metadata.ts';

// 10,000.00 at 12 % from 1 January 2026, twelve payments of 888.49 on the first of each month, 30/360. After the payments of February to
// June it owes 9211.51, 8415.14, 7610.80, 6798.42 and 5977.91.
const TODAY = '2026-06-15';
const SEASONED = {
  applicationId: 'APP-1',
  borrowerId: 'B-1',
  lenderId: 'L-1',
  loanType: 'AutoLoan',
  loanAmount: '10000',
  interestRate: '12',
  term: 12,
  dayCount: '30/360',
  originationDate: '2026-01-01',
};

const created = (more: object, today = TODAY) => {
  return creationOf({ ...SEASONED, ...more }, today);
};
const opening = (more: object, today = TODAY) => created(more, today).file.opening;

function told(attempt: () => unknown): string[] {
  try {
    attempt();
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return (error.facts.errors ?? []).map(({ pointer, code, detail }) => `${pointer} ${code}: ${detail}`);
  }
}
const refused = (more: object, today = TODAY) => told(() => created(more, today));

/** The amounts owed and past due when the loan is funded with its opening. */
function serviced(more: object, today = TODAY) {
  const { contract, file } = created(more, today);
  const life = live(contract).approve(today);
  life.take(today, { do: 'fund-loan', date: null, opening: file.opening });
  const loan = life.loan(today);
  const { daysPastDue, pastDueAmount, nextDueDate } = delinquency(loan);
  return { daysPastDue, pastDueAmount, nextDueDate, payoff: payoff(loan).payoff };
}

describe('by nextPaymentDate', () => {
  test('everything due before it is paid, and the principal follows from the schedule', () => {
    const june = { date: '2026-06-01', principal: 597_791, interest: 0, fees: 0, paidThrough: '2026-06-01' };
    expect(opening({ nextPaymentDate: '2026-07-01' })).toEqual(june);
    expect(serviced({ nextPaymentDate: '2026-07-01' })).toEqual({
      ...{ daysPastDue: 0, pastDueAmount: 0, nextDueDate: '2026-07-01', payoff: 597_791 + 2_790 },
    });
  });

  test('an older one makes the loan past due', () => {
    expect(opening({ nextPaymentDate: '2026-05-01' })).toMatchObject({ date: '2026-04-01', principal: 761_080 });
    expect(serviced({ nextPaymentDate: '2026-05-01' })).toMatchObject({ daysPastDue: 45, pastDueAmount: 177_698 });
  });

  test('the first one means that nothing was paid', () => {
    expect(opening({ nextPaymentDate: '2026-02-01' })).toBeNull();
    expect(opening({})).toBeNull();
  });

  test('must be a due date', () => {
    expect(refused({ nextPaymentDate: '2026-07-02' })).toEqual([
      '/nextPaymentDate contradiction: Must be a due date of the schedule; the nearest due dates are 2026-07-01 and 2026-08-01.',
    ]);
    expect(refused({ nextPaymentDate: '2027-02-01' })).toEqual([
      '/nextPaymentDate contradiction: Must be a due date of the schedule; the last due date is 2027-01-01.',
    ]);
  });

  test('in the future beyond the next one, the principal is not the schedule’s', () => {
    expect(refused({ nextPaymentDate: '2026-09-01' })[0]).toMatch(/^\/opening required: The loan is paid ahead/);
  });

  test('of a loan that has not begun it is the first', () => {
    const first = { originationDate: '2026-07-01', firstPaymentDate: '2026-08-01', nextPaymentDate: '2026-09-01' };
    expect(refused(first)[0]).toMatch(/^\/nextPaymentDate contradiction: This is installment 2/);
  });
});

describe('by delinquency', () => {
  test('the days show which installments are paid', () => {
    expect(opening({ delinquentDays: 45 })).toEqual(opening({ nextPaymentDate: '2026-05-01' }));
    expect(opening({ delinquentDays: '0' })).toEqual(opening({ nextPaymentDate: '2026-07-01' }));
    expect(opening({ delinquentAmount: '0.00' })).toEqual(opening({ nextPaymentDate: '2026-07-01' }));
    expect(opening({ delinquentDays: 134 })).toBeNull();
  });

  test('all figures agree with what the engine computes today', () => {
    const figures = { nextPaymentDate: '2026-05-01', delinquentDays: '45', delinquentAmount: '1,776.98' };
    expect(refused(figures)).toEqual([]);
    expect(refused({ ...figures, delinquentDays: 44, delinquentAmount: '1776.97' })).toEqual([
      '/delinquentDays contradiction: 44 was given; computed from the dates and payments it is 45 (unpaid since 2026-05-01).',
      '/delinquentAmount contradiction: 1776.97 was given; computed from the dates and payments it is 1776.98.',
    ]);
    expect(refused({ nextPaymentDate: '2026-07-01', delinquentDays: 3 })).toEqual([
      '/delinquentDays contradiction: 3 was given; computed from the dates and payments it is 0 (nothing is past due).',
    ]);
    expect(refused({ nextPaymentDate: '2026-05-01', delinquentDays: 0, delinquentAmount: 0 })).toHaveLength(2);
  });

  test('days that lead to no due date are a contradiction', () => {
    expect(refused({ delinquentDays: 40 })).toEqual([
      '/delinquentDays contradiction: 40 was given, but 40 days before 2026-06-15 is 2026-05-06, which is not a due date; the nearest due dates are 2026-05-01 and 2026-06-01.',
    ]);
    expect(refused({ delinquentDays: 0 }, '2027-06-15')).toEqual([
      '/delinquentDays contradiction: Nothing past due was given, but the last installment was due on 2027-01-01, so the loan would be paid off.',
    ]);
  });

  test('an amount alone does not show which installments are paid', () => {
    expect(refused({ delinquentAmount: '888.49' })[0]).toMatch(/^\/nextPaymentDate required/);
  });

  test('a loan that has not begun has nothing past due', () => {
    const fresh = { originationDate: '' };
    expect(refused({ ...fresh, delinquentDays: 0, delinquentAmount: '0' })).toEqual([]);
    expect(refused({ ...fresh, delinquentDays: 5 })[0]).toMatch(/^\/delinquentDays contradiction/);
    expect(refused({ ...fresh, delinquentAmount: '5' })[0]).toMatch(/^\/delinquentAmount contradiction/);
    expect(refused({ originationDate: '2026-07-01', delinquentDays: 5 })[0]).toMatch(/^\/delinquentDays contradiction/);
  });

  test('a loan that began today may say that nothing is late', () => {
    expect(opening({ originationDate: TODAY, delinquentDays: 0, delinquentAmount: 0 })).toBeNull();
  });
});

describe('by opening', () => {
  const given = {
    asOf: '2026-06-10',
    principal: '6,000.00',
    unpaidInterest: '18.50',
    unpaidFees: '25',
    paidThrough: '2026-06-01',
  };

  test('its figures are used as given', () => {
    expect(opening({ opening: given })).toEqual({
      ...{ date: '2026-06-10', principal: 600_000, interest: 1_850, fees: 2_500, paidThrough: '2026-06-01' },
    });
    // Five more days of interest on 6,000.00 are 10.00.
    expect(serviced({ opening: given })).toEqual({
      ...{ daysPastDue: 0, pastDueAmount: 0, nextDueDate: '2026-07-01', payoff: 600_000 + 1_850 + 1_000 + 2_500 },
    });
  });

  test('interest and fees are zero when absent, and a paid-through day counts for the due dates before it', () => {
    expect(opening({ opening: { asOf: '2026-06-10', principal: 6000, paidThrough: '2026-06-09' } })).toEqual({
      ...{ date: '2026-06-10', principal: 600_000, interest: 0, fees: 0, paidThrough: '2026-06-01' },
    });
  });

  test('the paid-through date may follow from the others', () => {
    const { paidThrough: _, ...rest } = given;
    const through = (more: object) => opening({ opening: rest, ...more })?.paidThrough;
    expect(through({ nextPaymentDate: '2026-07-01' })).toBe('2026-06-01');
    expect(through({ delinquentDays: 45 })).toBe('2026-04-01');
    expect(refused({ opening: rest })[0]).toMatch(/^\/opening\/paidThrough required/);
    expect(opening({ opening: { asOf: '2026-01-20', principal: '10000' } })).toMatchObject({ paidThrough: null });
  });

  test('delinquency may be that of today or of its own day', () => {
    const late = { opening: { ...given, paidThrough: '2026-04-01' } };
    expect(refused({ ...late, delinquentDays: 45 })).toEqual([]);
    expect(refused({ ...late, delinquentDays: 40 })).toEqual([]);
    expect(refused({ ...late, delinquentDays: 41 })[0]).toMatch(/41 was given; .* it is 45/);
  });

  test.each([
    [{ opening: { principal: '' } }, '/opening/asOf required: This field is required.'],
    [
      { opening: { asOf: '2026-06-16', principal: 1, paidThrough: '2026-06-01' } },
      '/opening/asOf date_in_future: The date must not be in the future.',
    ],
    [
      { opening: { ...given, asOf: '2025-12-31' } },
      '/opening/asOf contradiction: 2025-12-31 was given; the contract date is 2026-01-01.',
    ],
    [
      { opening: { ...given, principal: '10000.01' } },
      '/opening/principal contradiction: 10000.01 was given; the loan amount is 10000.00.',
    ],
    [{ opening: { ...given, principal: 0 } }, '/opening/principal amount_zero: The amount must be more than zero.'],
    [
      { opening: { ...given, paidThrough: '2025-12-31' } },
      '/opening/paidThrough contradiction: 2025-12-31 was given; the contract date is 2026-01-01.',
    ],
    [
      { opening: { ...given, paidThrough: '2027-01-01' } },
      '/opening/paidThrough contradiction: 2027-01-01 was given, so every installment would be paid, but the principal is 6000.00.',
    ],
    [
      { opening: given, nextPaymentDate: '2026-08-01' },
      '/nextPaymentDate contradiction: 2026-08-01 was given; the next due date after opening.paidThrough (2026-06-01) is 2026-07-01.',
    ],
    [{ opening: given, originationDate: '' }, '/originationDate required: This field is required with an opening.'],
    [
      { opening: given, originationDate: '2026-07-01' },
      '/originationDate contradiction: The contract date (2026-07-01) is in the future; with an opening it must be in the past.',
    ],
  ])('%j: %s', (more, mistake) => {
    expect(refused(more)[0]).toBe(mistake);
  });
});

describe('by metadata of the funding', () => {
  const contract = contractOf();

  /** Read as the route reads it: with the texts of numbers kept. */
  function metadata(
    members: object,
    more: { today?: string; contract?: Contract; opening?: Opening; loanType?: string; alone?: boolean } = {},
  ) {
    const { loanType = 'AutoLoan' } = more;
    const text = JSON.stringify(more.alone ? members : { [loanType]: members });
    const body = parseJson(Buffer.from(text), { limits: SMALL_BODY, exactNumbers: true }).value;
    const loan = { contract: more.contract ?? contract, policy: DEFAULT_POLICY };
    const file = { loanType: 'AutoLoan', term: 12, opening: more.opening ?? null };
    return orProblem(openingFromMetadata(body as object, { loan, file }, date(more.today ?? TODAY)));
  }
  const complaints = (members: object, more = {}) => told(() => metadata(members, more));

  test('the balance is the principal today; interest since the last paid installment is unpaid', () => {
    const members = {
      originalBalance: 10000,
      currentBalance: 5977.91,
      remainingTerm: 7,
      originalTerm: 12,
      currentDpd: 0,
    };
    expect(metadata(members)).toEqual({
      date: null,
      opening: { date: TODAY, principal: 597_791, interest: 2_790, fees: 0, paidThrough: '2026-06-01' },
    });
    expect(metadata(members, { alone: true })).toEqual(metadata(members));
    expect(metadata({ ...members, currentBalance: '5,977.91', remainingTerm: '7' })).toEqual(metadata(members));
  });

  test('a record read from another system can be submitted whole', () => {
    const members = {
      ...{ fundedDate: '2026-01-01', currentDpd: '45', originalBalance: '10,000', currentBalance: '7,610.80' },
      ...{ originalTerm: '12', remainingTerm: '9', pti: '0.09', dti: '', ltv: '1.05', scheduledPayment: '888.49' },
      ...{ currentPaymentDue: '1,776.98', pastDueAmount: '1,776.98', totalPrincipalPaid: '2,389.20' },
      ...{ totalInterestPaid: '276.27', totalFeesPaid: '0', chargeoffAmount: '0', recoveredAmount: '0' },
      ...{ paymentStatus: 'Late', scheduledMaturityDate: '2027-01-01' },
    };
    expect(metadata(members)).toEqual({
      date: '2026-01-01',
      // 74 days by 30/360 from 1 April.
      opening: { date: TODAY, principal: 761_080, interest: 18_773, fees: 0, paidThrough: '2026-04-01' },
    });
  });

  test('without a balance the principal follows from the schedule', () => {
    const june = { date: '2026-06-01', principal: 597_791, interest: 0, fees: 0, paidThrough: '2026-06-01' };
    expect(metadata({ remainingTerm: 7 }).opening).toEqual(june);
    expect(metadata({ currentDpd: 0 }).opening).toEqual(june);
    expect(metadata({ currentDpd: 45 }).opening).toMatchObject({ principal: 761_080, paidThrough: '2026-04-01' });
    expect(metadata({ totalPrincipalPaid: 4022.09 }).opening).toMatchObject({
      principal: 597_791,
      paidThrough: '2026-06-01',
    });
    expect(complaints({ remainingTerm: 5 })[0]).toMatch(/^\/metadata\/AutoLoan\/currentBalance required/);
  });

  test('a fresh loan has no opening, and what the creation said stays when the metadata is silent', () => {
    expect(metadata({ currentBalance: 10000, remainingTerm: 12, currentDpd: 0 }, { today: '2026-01-15' })).toEqual({
      ...{ date: null, opening: null },
    });
    const known: Opening = { ...(metadata({ currentDpd: 0 }).opening as Opening) };
    expect(metadata({ fundedDate: '2026-01-01' }, { opening: known })).toEqual({ date: '2026-01-01', opening: known });
    expect(metadata({}, { opening: known }).opening).toEqual(known);
    expect(metadata({ currentDpd: 45 }, { opening: known }).opening).toMatchObject({ paidThrough: '2026-04-01' });
  });

  test('a loan without a contract date begins on its funding date', () => {
    const undated = contractOf({ contractDate: null, firstPaymentDate: null });
    expect(metadata({ fundedDate: '2026-01-01', currentDpd: 0 }, { contract: undated })).toMatchObject({
      ...{ date: '2026-01-01', opening: { date: '2026-06-01', principal: 597_791 } },
    });
  });

  test.each([
    [{ originalBalance: 9999 }, 'originalBalance contradiction: 9999.00 was given; the loan amount is 10000.00.'],
    [{ originalTerm: 24 }, 'originalTerm contradiction: 24 was given; the term is 12 months, 12 installments.'],
    [{ scheduledPayment: 900 }, 'scheduledPayment contradiction: 900.00 was given; the payment is 888.49.'],
    [
      { scheduledMaturityDate: '2027-02-01' },
      'scheduledMaturityDate contradiction: 2027-02-01 was given; the schedule ends on 2027-01-01.',
    ],
    [
      { currentBalance: 5000, totalPrincipalPaid: 4000 },
      'totalPrincipalPaid contradiction: 4000.00 and currentBalance 5000.00 were given; the loan amount is 10000.00.',
    ],
    [
      { currentBalance: 0 },
      'currentBalance contradiction: The resulting balance is 0.00; it must be more than zero and at most the loan amount (10000.00).',
    ],
    [
      { totalPrincipalPaid: 10001 },
      'totalPrincipalPaid contradiction: The resulting balance is -1.00; it must be more than zero and at most the loan amount (10000.00).',
    ],
    [{ remainingTerm: 13 }, 'remainingTerm contradiction: 13 was given; the loan has 12 installments.'],
    [{ remainingTerm: 0 }, 'remainingTerm contradiction: 0 was given; the loan has 12 installments.'],
    [
      { remainingTerm: 9, currentDpd: 44 },
      'currentDpd contradiction: 44 was given; computed from the dates and payments it is 45 (unpaid since 2026-05-01).',
    ],
    [
      { remainingTerm: 9, pastDueAmount: 5 },
      'pastDueAmount contradiction: 5.00 was given; computed from the dates and payments it is 1776.98.',
    ],
    [
      { currentBalance: 5000 },
      'currentDpd required: The balance differs from the schedule: give this field or remainingTerm to show which installments are paid.',
    ],
    [
      { chargeoffAmount: 1 },
      'chargeoffAmount not_supported: A loan that was charged off elsewhere cannot be boarded as charged off; fund it, then charge it off here.',
    ],
    [{ balance: 1 }, 'balance unknown_member: Unknown field.'],
    [{ currentDpd: true }, 'currentDpd type: Must be a string or a number.'],
    [{ currentDpd: 1.5 }, 'currentDpd format: Must be a whole number from 0 to 100000.'],
    [{ currentBalance: 1.234 }, 'currentBalance decimals: Must have at most two decimals.'],
  ])('%j: %s', (members, mistake) => {
    expect(complaints(members)).toEqual([`/metadata/AutoLoan/${mistake}`]);
  });

  test('of another kind of loan it is refused', () => {
    expect(complaints({ currentDpd: 0 }, { loanType: 'Mortgage' })).toEqual([
      '/metadata/Mortgage unknown_member: Unknown field.',
    ]);
  });
});
