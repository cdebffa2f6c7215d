/** Records as they are read, boarded in each status: what the engine makes of them on their day. */
import { describe, expect, test } from 'vitest';
import { DETAILS, meta } from '../../test/support/boarded-details.ts';
import { creationOf } from '../../test/support/creation.ts';
import { payment } from '../../test/support/life.ts';
import { bookFiguresOf } from '../core/books.ts';
import { date } from '../core/calendar.ts';
import { decide, decideCreation } from '../core/decide/decide.ts';
import { delinquency } from '../core/delinquency.ts';
import type { LoanEvent } from '../core/event.ts';
import { fold } from '../core/fold.ts';
import { isRefusal } from '../core/refusal.ts';
import { statusOf } from '../core/status.ts';
import { Problem } from '../http/shared/problems.ts';
import { journalOf } from '../ledger/journal.ts';
import { balances, booksOf } from '../ledger/post.ts';

const TODAY = '2026-06-15';

function board(more: object = {}, beside: object = {}) {
  const creation = creationOf({ loanDetails: { ...DETAILS, ...more }, Request: {}, ...beside }, TODAY);
  const { contract, policy, boarded, file, personal } = creation;
  const when = { today: date(TODAY), at: `${TODAY}T12:00:00.000Z` };
  const made = decideCreation(contract, policy, when, boarded?.facts);
  if (isRefusal(made)) throw new Error(made.detail);
  return { events: made.events, loan: made.loan, file, personal, contract };
}

/** Pointer and code of every mistake. */
function mistakes(more: object, beside: object = {}): string[] {
  try {
    board(more, beside);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return (error.facts.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

/** The books of the loan by its own lines, on the day they were posted. */
const posted = (events: readonly LoanEvent[]) =>
  Object.entries(
    Object.groupBy(journalOf(events).lines.flat(), ({ account }) => account) as Record<string, { amount: number }[]>,
  ).flatMap(([account, lines]) => {
    const sum = lines.reduce((total, { amount }) => total + amount, 0);
    return sum === 0 ? [] : [[account, sum] as const];
  });

const types = (events: readonly LoanEvent[]) => events.map(({ type }) => type);

describe('a loan in repayment', () => {
  test('is opened on the day of its record, with what is owed, what is due and what was counted', () => {
    const { events, loan, file, personal } = board();
    expect(types(events)).toEqual(['created', 'funded', 'opened', 'repaymentInitiated']);
    expect(statusOf(loan)).toBe('Current');
    expect(loan).toMatchObject({ principal: 364_951, fundedOn: '2025-01-16', openedOn: TODAY });
    expect(loan.handover).toMatchObject({
      received: 904_145,
      principalPaid: 835_049,
      interestPaid: 69_096,
      feesPaid: 0,
    });
    expect(delinquency(loan)).toMatchObject({
      daysPastDue: 0,
      nextDueDate: '2026-07-15',
      nextDueAmount: 53_185,
      remaining: 7,
    });
    expect(loan.installments[0]?.dueDate).toBe('2025-02-15');
    expect(loan.installments.at(-1)?.dueDate).toBe('2027-01-15');
    expect(file).toMatchObject({ collateralValue: 1_425_000, riskRating: 'Medium', ltv: '0.84', lateFee: 1_500 });
    expect(personal).toMatchObject({ pti: '0.08', dti: '0.2' });
    expect(Object.fromEntries(posted(events))).toEqual({ loanPrincipal: 364_951, opening: -364_951 });
  });

  test('the same record is taken whole, in its parts, and with its members beside each other', () => {
    const parts = { loanDetails: DETAILS, Request: {}, Response: {}, Underwriting: {} };
    const whole = creationOf({ message: 'ok', data: parts }, TODAY);
    expect(creationOf(parts, TODAY)).toEqual(whole);
    expect(creationOf({ ...DETAILS, Request: {}, Response: {}, Underwriting: {} }, TODAY)).toEqual(whole);
  });

  test('interest and fees come from `opening`, else the interest of the schedule since the last paid due date', () => {
    const later = { nextPaymentDate: '2026-06-15', remainingBalance: '4,160.01', ...meta({ remainingTerm: '8' }) };
    // 4,160.01 × 6 % × 31 days ÷ 365.
    expect(board(later).loan.interestEnded).toBe(2_120);
    const { loan } = board(later, { opening: { unpaidInterest: '19.99', unpaidFees: '15' } });
    expect(loan).toMatchObject({ interestEnded: 1_999, fees: [{ amount: 1_500 }] });
  });

  test('what is past due holds, a part of the oldest installment paid', () => {
    const { loan } = board({
      loanStatus: 'Delinquent',
      nextPaymentDate: '2026-04-15',
      remainingBalance: '5,150.00',
      delinquentAmount: '963.70',
      delinquentDays: '61',
      ...meta({ remainingTerm: '10', currentPaymentDue: '963.70', pastDueAmount: '963.70', currentDpd: '61' }),
    });
    expect(statusOf(loan)).toBe('Delinquent');
    // Two were due before the day, 531.85 each; 100.00 of the first is paid.
    expect(delinquency(loan)).toMatchObject({ daysPastDue: 61, pastDueAmount: 96_370, nextDueDate: '2026-04-15' });
  });

  test('an extension, a re-amortization and a changed due date hold: the maturity and the payment are the given ones', () => {
    const { loan } = board({
      nextPaymentDate: '2026-07-31',
      maturityDate: '2027-05-31',
      lastPaymentDate: '2027-05-31',
      ...meta({ scheduledPayment: '345.67', currentPaymentDue: '345.67', remainingTerm: '11' }),
    });
    const open = loan.installments.filter(({ satisfiedOn }) => satisfiedOn === null);
    expect(open.map(({ dueDate }) => dueDate).slice(-3)).toEqual(['2027-03-31', '2027-04-30', '2027-05-31']);
    expect(open).toHaveLength(11);
    expect(new Set(open.slice(0, -1).map(({ amount }) => amount))).toEqual(new Set([34_567]));
    expect(loan.installments).toHaveLength(24);
  });

  test('a record of an earlier day is opened on that day, and what followed from the date since is computed', () => {
    const { loan, events } = board({}, { asOf: '2026-06-15' });
    expect(loan.openedOn).toBe('2026-06-15');
    const earlier = { nextPaymentDate: '2026-05-15', loanPayments: [], ...meta({ remainingTerm: '9' }) };
    const before = board(earlier, { asOf: '2026-05-01' });
    expect(before.loan.openedOn).toBe('2026-05-01');
    expect(delinquency(before.loan).daysPastDue).toBe(31);
    expect(bookFiguresOf(before.loan).loanPrincipal).toBe(364_951);
    expect(types(events)).toContain('opened');
  });

  test('Funded stays Funded until repayment begins, and Defaulted is a fact', () => {
    expect(statusOf(board({ loanStatus: 'Funded', loanPayments: [] }).loan)).toBe('Funded');
    const { loan } = board({ loanStatus: 'Defaulted' });
    expect(statusOf(loan)).toBe('Defaulted');
    expect(loan.defaultGround).toBe('other');
  });

  test('everything is due on one day: the loan was accelerated', () => {
    const { loan } = board({
      loanStatus: 'Defaulted',
      nextPaymentDate: '2026-04-15',
      maturityDate: '2026-06-01',
      lastPaymentDate: '2026-06-01',
      remainingBalance: '5,150',
      delinquentAmount: '5,233.33',
      delinquentDays: '61',
      ...meta({ remainingTerm: '10', scheduledMaturityDate: '2026-06-01', currentPaymentDue: '5,233.33' }),
    });
    expect(loan.acceleratedOn).toBe('2026-06-01');
    expect(loan.interest).toBe(8_333);
    expect(delinquency(loan)).toMatchObject({ pastDueAmount: 523_333, daysPastDue: 61, remaining: 10 });
  });

  test('a balloon that the record does not name follows from its payment', () => {
    const { loan } = board({
      amortizationType: 'Balloon',
      remainingBalance: '9,000',
      ...meta({ scheduledPayment: '200', currentPaymentDue: '200', totalPrincipalPaid: '3,000' }),
    });
    expect(loan.contract.balloon).toBeGreaterThan(800_000);
    expect(delinquency(loan)).toMatchObject({ nextDueAmount: 20_000, remaining: 7 });
  });
});

describe('payments of a record', () => {
  const when = { today: date(TODAY), at: `${TODAY}T13:00:00.000Z` };

  test('their references are taken, and they can be neither returned nor reversed', () => {
    const { events } = board();
    const refused = (command: Parameters<typeof decide>[1]) => {
      const answer = decide(events, command, when);
      return isRefusal(answer) ? answer.refused : answer.events.map(({ type }) => type);
    };
    expect(refused(payment('531.85', 'P-17'))).toBe('reference_conflict');
    expect(refused({ do: 'return-repayment', refId: 'P-17', date: null, reason: 'NSF' })).toBe('boarded_history');
    expect(refused({ do: 'reverse-repayment', refId: 'P-17', reason: 'error' })).toBe('boarded_history');
    expect(refused({ do: 'acknowledge-repayment', refId: 'P-17' })).toBe('boarded_history');
    expect(refused(payment('531.85', 'P-18'))).toEqual(['paymentSubmitted']);
  });

  test('one that was only submitted can be acknowledged: a loan that is paid off closes with it', () => {
    const [last] = DETAILS.loanPayments;
    const { events, loan } = board({
      remainingBalance: '0',
      nextPaymentDate: '',
      loanPayments: [{ ...last, status: 'Submitted', remainingBalance: '0' }],
      ...meta({ currentBalance: '0', remainingTerm: '0', currentPaymentDue: '0' }),
    });
    expect(statusOf(loan)).toBe('Current');
    const confirmed = decide(events, { do: 'acknowledge-repayment', refId: 'P-17' }, when);
    if (isRefusal(confirmed)) throw new Error(confirmed.detail);
    expect(statusOf(confirmed.loan)).toBe('ClosedEarly');
    expect(statusOf(fold([...events, ...confirmed.events], date(TODAY)))).toBe('ClosedEarly');
  });
});

describe('a charged-off loan', () => {
  const CHARGED_OFF = {
    loanStatus: 'ChargedOff',
    remainingBalance: '5,000',
    nextPaymentDate: '2025-12-15',
    delinquentAmount: '3,191.10',
    delinquentDays: '182',
    ...meta({
      remainingTerm: '14',
      currentBalance: '1,500',
      chargeoffAmount: '4,250',
      recoveredAmount: '750',
      currentPaymentDue: '3,191.10',
    }),
  };

  test('only what is kept comes onto the books, and the borrower owes all of it', () => {
    const { events, loan } = board(CHARGED_OFF);
    expect(statusOf(loan)).toBe('ChargedOff');
    expect(loan).toMatchObject({ principal: 500_000, accruing: false });
    expect(bookFiguresOf(loan).loanPrincipal).toBe(150_000);
    expect(Object.fromEntries(posted(events))).toEqual({ loanPrincipal: 150_000, opening: -150_000 });
    expect(loan.handover?.chargedOff).toEqual({ writtenOff: 425_000, recovered: 75_000 });
  });

  test('recoveries go on: what is kept first, then income', () => {
    const { events } = board(CHARGED_OFF);
    const when = { today: date(TODAY), at: `${TODAY}T13:00:00.000Z` };
    const paid = decide(events, { do: 'record-recovery', refId: 'R-1', amount: 200_000 as never, date: null }, when);
    if (isRefusal(paid)) throw new Error(paid.detail);
    const sums = balances(booksOf(paid.loan));
    expect(sums).toMatchObject({ loanPrincipal: 0, recoveryIncome: -50_000, cashClearing: 200_000, opening: -150_000 });
    expect(bookFiguresOf(paid.loan).loanPrincipal).toBe(0);
    expect(paid.loan.principal).toBe(300_000);
  });
});

describe('a loan that is not serviced here', () => {
  test.each([
    'DocumentsVerified',
    'UnderwritingStarted',
    'Approved',
    'Rejected',
    'CollateralApproved',
    'Cancelled',
  ] as const)('continues as %s', (loanStatus) => {
    const { loan, events } = board({
      loanStatus,
      repaidAmount: '0',
      loanPayments: [],
      nextPaymentDate: '',
      originationDate: '',
      firstPaymentDate: '',
      maturityDate: '',
      lastPaymentDate: '',
      remainingBalance: '12,000',
      ...meta({ fundedDate: '', scheduledMaturityDate: '', remainingTerm: '24', totalPrincipalPaid: '0' }),
    });
    expect(types(events)).toEqual(['created', 'boarded']);
    expect(statusOf(loan)).toBe(loanStatus);
    expect(posted(events)).toEqual([]);
  });

  const ENDED = { ...DETAILS, loanStatus: 'ClosedEarly', remainingBalance: '0', nextPaymentDate: '', loanPayments: [] };

  test('one that has ended is kept as it was, outside the books', () => {
    const { loan, events, file } = board({ ...ENDED, ...meta({ currentBalance: '0', remainingTerm: '0' }) });
    expect(statusOf(loan)).toBe('ClosedEarly');
    expect(types(events)).toEqual(['created', 'boarded']);
    expect(posted(events)).toEqual([]);
    expect(file.ended).toMatchObject({
      repaid: 904_145,
      remaining: 0,
      dates: { maturity: '2027-01-15', next: '' },
      metadata: { totalInterestPaid: 69_096, paymentStatus: 'On Time' },
      payments: [],
    });
  });

  test('its terms are kept even where they make no schedule', () => {
    const odd = { ...ENDED, installment: '23', firstPaymentDate: '2024-12-31' };
    expect(board(odd).loan.contract.count).toBe(23);
  });
});

describe('a record that contradicts itself is refused, with both figures', () => {
  const cases: [string, object, object, string[]][] = [
    ['no status', { loanStatus: '' }, {}, ['/loanDetails/loanStatus required']],
    ['an unknown status', { loanStatus: 'Paid' }, {}, ['/loanDetails/loanStatus enum']],
    ['a member twice', {}, { term: '24' }, ['/term given_twice']],
    ['the future', {}, { asOf: '2026-06-16' }, ['/asOf date_in_future']],
    ['before the contract', { loanPayments: [] }, { asOf: '2025-01-14' }, ['/asOf contradiction']],
    [
      'another opening date',
      { loanPayments: [] },
      { asOf: '2026-06-10', opening: { asOf: '2026-06-11' } },
      ['/opening/asOf contradiction'],
    ],
    ['another principal', {}, { opening: { principal: '1' } }, ['/opening/principal contradiction']],
    [
      'an opening of what ended',
      { loanStatus: 'Closed', nextPaymentDate: '' },
      { opening: { asOf: '2026-06-01', principal: '1' } },
      ['/opening contradiction'],
    ],
    [
      'an opening without its principal',
      { loanStatus: 'Approved', loanPayments: [], repaidAmount: '0' },
      { opening: { asOf: '2026-06-01' } },
      ['/opening/principal required'],
    ],
    [
      'a payment after the day',
      { loanPayments: [{ paymentId: 'A', paymentAmount: '1', paymentDate: '2026-06-16' }] },
      {},
      ['/loanDetails/loanPayments/0/paymentDate contradiction'],
    ],
    ['no balance', { remainingBalance: '' }, {}, ['/loanDetails/remainingBalance required']],
    ['no next payment', { nextPaymentDate: '' }, {}, ['/loanDetails/nextPaymentDate required']],
    [
      'past due by the dates',
      { nextPaymentDate: '2026-05-15' },
      {},
      ['/loanDetails/delinquentDays contradiction', '/loanDetails/delinquentAmount contradiction'],
    ],
    ['after the maturity', { nextPaymentDate: '2027-02-15' }, {}, ['/loanDetails/nextPaymentDate contradiction']],
    ['late, of nothing', { delinquentDays: '3' }, {}, ['/loanDetails/delinquentDays contradiction']],
    ['too many left', meta({ remainingTerm: '9' }), {}, ['/loanDetails/metadata/AutoLoan/remainingTerm contradiction']],
    ['another type', { metadata: { Mortgage: {} } }, {}, ['/loanDetails/metadata/Mortgage contradiction']],
    ['charged off, but Current', meta({ chargeoffAmount: '1' }), {}, ['/loanDetails/loanStatus contradiction']],
    [
      'nothing owed, but Current',
      { remainingBalance: '0', nextPaymentDate: '' },
      {},
      ['/loanDetails/loanStatus contradiction'],
    ],
    [
      'paid, but an application',
      { loanStatus: 'Approved' },
      {},
      ['/loanDetails/loanPayments contradiction', '/loanDetails/repaidAmount contradiction'],
    ],
    [
      'two payments under one id',
      { loanPayments: [DETAILS.loanPayments[0], DETAILS.loanPayments[0]] },
      {},
      ['/loanDetails/loanPayments/1/paymentId contradiction'],
    ],
    [
      'a payment without its day',
      { loanPayments: [{ paymentId: 'A', paymentAmount: '1' }] },
      {},
      ['/loanDetails/loanPayments/0/paymentDate required'],
    ],
  ];
  test.each(cases)('%s', (_, more, beside, expected) => {
    expect(mistakes(more, beside)).toEqual(expected);
  });

  test('the pointers are those of the form that was sent', () => {
    const at = (body: object) => {
      try {
        creationOf(body, TODAY);
      } catch (error) {
        return ((error as Problem).facts.errors ?? []).map(({ pointer }) => pointer);
      }
      return [];
    };
    const wrong = { ...DETAILS, remainingBalance: '' };
    expect(at({ message: 'ok', data: { loanDetails: wrong } })).toEqual(['/data/loanDetails/remainingBalance']);
    expect(at(wrong)).toEqual(['/remainingBalance']);
    expect(at({ data: { loanDetails: DETAILS, Request: {} }, Request: {} })).toEqual(['/Request']);
    expect(at({ data: { Request: {} } })[0]).toBe('/data/loanDetails');
  });
});

test('a record in which nothing was assessed can be assessed here; one with a decision or deals cannot', () => {
  const assessed = (parts: object) => {
    const early = { ...DETAILS, loanStatus: 'ApplicationSubmitted', loanPayments: [], repaidAmount: '0' };
    return creationOf({ loanDetails: { ...early, nextPaymentDate: '' }, ...parts }, TODAY).file.assessed;
  };
  const nothing = { Response: { Decision: '', LoanTerms: [], Comments: [] }, Underwriting: { PrimaryCreditInfo: {} } };
  expect(assessed({})).toBeNull();
  expect(assessed(nothing)).toBeNull();
  expect(assessed({ ...nothing, Response: { Decision: 'APPROVED' } })).toBe('elsewhere');
  expect(assessed({ ...nothing, Underwriting: { DealTermsInfo: [{}], UnderwritingInfo: [{}] } })).toBe('elsewhere');
});
