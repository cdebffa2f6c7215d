import { describe, expect, test } from 'vitest';
import { contractOf, type Life, live, money, payment } from '../../../test/support/life.ts';
import { LOAN_LIFE, rowOf } from '../../../test/support/operations.ts';
import { addDays, date } from '../calendar.ts';
import type { LoanEvent } from '../event.ts';
import { foldAll } from '../fold.ts';
import type { HoldKind } from '../hold-effects.ts';
import { type LoanStatus, type OnFile, STATUSES } from '../loan.ts';
import { cents, MAX_CENTS } from '../money.ts';
import { payoff } from '../payoff.ts';
import { DEFAULT_POLICY } from '../policy.ts';
import { percent } from '../rate.ts';
import { isRefusal, REFUSALS, type RefusalCode } from '../refusal.ts';
import { statusOf } from '../status.ts';
import { type Command, decide, decideCreation, type Operation } from './decide.ts';
import type { Dated } from './operation.ts';

const repay = (amount: string, refId: string, more: Partial<Extract<Command, { do: 'loan-repay' }>> = {}) => ({
  ...payment(amount, refId),
  ...more,
});
const refusal = (life: Life, day: string, command: Command): RefusalCode | null => {
  const decision = life.ask(day, command);
  return isRefusal(decision) ? decision.refused : null;
};
const status = (life: Life, on: string) => statusOf(life.loan(on));
const acknowledge = (refId: string) => ({ do: 'acknowledge-repayment', refId }) as const;
const giveBack = (refId: string, day: string | null = null) =>
  ({ do: 'return-repayment', refId, date: day === null ? null : date(day), reason: 'NSF' }) as const;
const fee = (amount: string, feeId = 'F', day: string | null = null): Command => ({
  do: 'assess-fee',
  feeId,
  kind: 'fee',
  name: 'fee',
  amount: money(amount),
  date: day === null ? null : date(day),
});
const chargeOff = (reason = 'policy', day: string | null = null): Command => ({
  do: 'charge-off',
  date: day === null ? null : date(day),
  reason,
  collateral: cents(0),
});

const placed = (kind: HoldKind, more: Partial<Extract<Command, { do: 'place-hold' }>> = {}): Command => ({
  do: 'place-hold',
  holdId: 'H',
  kind,
  from: null,
  to: null,
  bankruptcy: kind === 'bankruptcy' ? { chapter: 13, filed: null, discharged: null, reaffirmed: false } : null,
  detailed: false,
  reason: 'told',
  ...more,
});

/** A loan in each status, on 1 August 2026. */
const TODAY = '2026-08-01';
const IN: Record<LoanStatus, () => Life> = {
  ApplicationSubmitted: () => live().create('2026-01-01'),
  DocumentsRequested: () => then(IN.ApplicationSubmitted(), { do: 'request-documents' }),
  DocumentsVerified: () => then(IN.DocumentsRequested(), { do: 'verify-documents', complete: true }),
  UnderwritingStarted: () => then(IN.ApplicationSubmitted(), { do: 'start-underwriting' }),
  Approved: () => live().approve('2026-01-01'),
  Rejected: () =>
    then(IN.UnderwritingStarted(), {
      do: 'complete-underwriting',
      approved: false,
      dealIndex: 0,
      reason: null,
    }),
  CollateralRequested: () => then(IN.Approved(), { do: 'request-collateral' }),
  CollateralApproved: () => then(IN.Approved(), { do: 'approve-collateral', value: money('9000') }),
  Funded: () => live(contractOf({ contractDate: date(TODAY), firstPaymentDate: null })).fund(TODAY),
  Current: () => IN.Funded().pay(TODAY, '10', 'P'),
  Delinquent: () => live().fund().pay('2026-02-01', '10', 'P'),
  Defaulted: () => then(IN.Delinquent(), { do: 'default', ground: 'pastDue', reason: 'policy' }, TODAY),
  ChargedOff: () => then(IN.Delinquent(), chargeOff(), '2026-07-31'),
  Closed: () => then(oneMonth().fund().pay('2026-02-01', '10100', 'P'), acknowledge('P'), '2026-02-02'),
  ClosedEarly: () => then(oneMonth().fund().pay('2026-01-31', '10100', 'P'), acknowledge('P'), '2026-02-02'),
  Cancelled: () => then(IN.Approved(), { do: 'cancel', reason: null }),
};
const oneMonth = () => live(contractOf({ count: 1 }));
function then(life: Life, command: Command, day = '2026-01-01'): Life {
  life.take(day, command);
  return life;
}

describe('life cycle: every operation in every status', () => {
  test('each sample is in its status', () => {
    for (const name of STATUSES) expect(status(IN[name](), TODAY)).toBe(name);
  });

  test.each(LOAN_LIFE)('%s', (operation, from) => {
    for (const name of STATUSES) {
      const decision = IN[name]().ask(TODAY, rowOf(operation).command);
      const wrong = isRefusal(decision) && decision.refused === 'wrong_status';
      // A repeated command succeeds again in any status.
      const repeated = !isRefusal(decision) && decision.repeated;
      expect(wrong, `${operation} in ${name}`).toBe(!from.includes(name) && !repeated);
      if (!from.includes(name) && !repeated && isRefusal(decision)) {
        // A refused move names the present status and the operations now allowed.
        expect(decision.facts).toMatchObject({ loanStatus: name });
        const { allowed = [] } = (decision.facts ?? {}) as { allowed?: string[] };
        expect([...allowed].sort()).toEqual(
          LOAN_LIFE.filter(([, statuses]) => statuses.includes(name))
            .map(([one]) => one)
            .sort(),
        );
      }
    }
  });

  test('a loan goes through its whole life cycle with the operations of the interface alone', () => {
    const life = live(contractOf({ contractDate: null, firstPaymentDate: null })).create('2026-01-01');
    life.take('2026-01-01', { do: 'start-underwriting' });
    life.take('2026-01-01', rowOf('complete-underwriting').command);
    expect(
      life.take('2026-01-02', { do: 'initiate-repayment', date: null, opening: null }).events.map(({ type }) => type),
    ).toEqual(['funded', 'repaymentInitiated']);
    expect(status(life, '2026-01-02')).toBe('Current');
    life.pay('2026-02-02', '10100', 'P');
    life.take('2026-02-03', acknowledge('P'));
    expect(status(life, '2026-02-03')).toBe('ClosedEarly');
  });
});

describe('refusals in the published order', () => {
  const funded = () => live().fund();
  const late = () => live().fund();
  const cases: [RefusalCode, () => RefusalCode | null][] = [
    ['required', () => creation({ amortization: 'Balloon' })],
    [
      'invalid_value',
      () =>
        refusal(funded(), '2026-02-01', { do: 'extend', periods: 0, date: null, reason: 'hardship', override: true }),
    ],
    ['contradiction', () => creation({ balloon: money('100') })],
    ['wrong_status', () => refusal(IN.Approved(), '2026-02-01', repay('10', 'A'))],
    [
      'boarded_history',
      () => {
        const history: Dated = { type: 'boarded', status: 'ClosedEarly', date: date('2026-01-01') };
        const when = { today: date('2026-01-01'), at: '2026-01-01T12:00:00.000Z' };
        const made = decideCreation(contractOf(), DEFAULT_POLICY, when, [history]);
        const again = isRefusal(made) ? made : decide(made.events, repay('10', 'A', { acceptOverpayment: true }), when);
        return isRefusal(again) ? again.refused : null;
      },
    ],
    ['accelerated', () => refusal(then(IN.Delinquent(), rowOf('accelerate').command, TODAY), TODAY, extend())],
    ['on_hold', () => refusal(then(funded(), placed('ceaseContact')), '2026-02-01', { do: 'payment-reminders' })],
    [
      'documents_required',
      () =>
        refusal(live(contractOf(), { documentsRequired: true }).create('2026-01-01'), '2026-01-01', {
          do: 'start-underwriting',
        }),
    ],
    [
      'collateral_required',
      () =>
        refusal(live(contractOf(), { collateralRequired: true }).approve('2026-01-01'), '2026-01-01', {
          do: 'initiate-repayment',
          date: null,
          opening: null,
        }),
    ],
    [
      'hard_stop',
      () => {
        const onFile: OnFile = { decision: 'DECLINED', deals: [], opening: null, isStopped: true };
        const answer = IN.UnderwritingStarted().ask('2026-01-01', decided({ reason: 'known' }), onFile);
        return isRefusal(answer) ? answer.refused : null;
      },
    ],
    [
      'offer_expired',
      () => {
        const onFile: OnFile = { decision: null, deals: [], opening: null, isApplication: true };
        const answer = IN.Approved().ask('2026-09-01', rowOf('fund-loan').command, onFile);
        return isRefusal(answer) ? answer.refused : null;
      },
    ],
    [
      'report_expired',
      () => {
        const day = date('2026-01-01');
        const onFile: OnFile = { decision: null, deals: [], opening: null, assessedWith: { day, reportDate: day } };
        const answer = IN.UnderwritingStarted().ask('2026-09-01', decided({}), onFile);
        return isRefusal(answer) ? answer.refused : null;
      },
    ],
    [
      'stipulations_open',
      () => {
        const listed = { id: 'law-a', beforeFunding: true, waivedBy: 'nobody' } as const;
        const onFile: OnFile = { decision: null, deals: [], opening: null, stipulations: [listed] };
        const answer = IN.Approved().ask('2026-01-02', rowOf('fund-loan').command, onFile);
        return isRefusal(answer) ? answer.refused : null;
      },
    ],
    [
      'not_waivable',
      () => {
        const listed = { id: 'law-a', beforeFunding: true, waivedBy: 'nobody' } as const;
        const onFile: OnFile = { decision: null, deals: [], opening: null, stipulations: [listed] };
        const waive = { ...rowOf('update-stipulation').command, stipulationId: 'law-a', state: 'waived' } as const;
        const answer = IN.Approved().ask('2026-01-02', waive, onFile);
        return isRefusal(answer) ? answer.refused : null;
      },
    ],
    ['decision_required', () => refusal(IN.UnderwritingStarted(), '2026-01-01', decided({ approved: null }))],
    ['reason_required', () => refusal(late(), '2026-06-30', chargeOff(''))],
    ['unknown_reference', () => refusal(funded(), '2026-02-01', acknowledge('NO'))],
    ['unknown_deal', () => refusal(IN.UnderwritingStarted(), '2026-01-01', decided({ dealIndex: 1 }))],
    ['reference_conflict', () => refusal(funded().pay('2026-02-01', '10', 'A'), '2026-02-01', repay('11', 'A'))],
    ['depends', () => refusal(IN.Approved(), '2026-01-01', { do: 'undo', sequence: 2, reason: 'mistake' })],
    ['date_in_future', () => refusal(funded(), '2026-02-01', repay('10', 'A', { date: date('2026-02-02') }))],
    ['date_before_contract', () => refusal(funded(), '2026-02-01', repay('10', 'A', { date: date('2025-12-31') }))],
    ['date_before_opening', () => refusal(opened(), '2026-06-20', repay('10', 'A', { date: date('2026-06-01') }))],
    ['backdating_needs_reason', () => refusal(funded(), '2026-03-01', repay('10', 'A', { date: date('2026-01-29') }))],
    ['amount_zero', () => refusal(funded(), '2026-02-01', repay('0', 'A'))],
    ['amount_exceeds_payoff', () => refusal(funded(), '2026-02-01', repay('99999', 'A'))],
    [
      'amount_exceeds_balance',
      () => refusal(funded(), '2026-02-01', { do: 'refund-credit', refId: 'R', amount: money('1') }),
    ],
    ['nothing_past_due', () => refusal(funded(), '2026-01-15', { do: 'delinquent' })],
    [
      'not_past_due_enough',
      () => refusal(late(), '2026-05-01', { do: 'default', ground: 'pastDue', reason: 'policy' }),
    ],
    ['not_paid_off', () => refusal(funded(), '2026-02-01', { do: 'close', refId: null })],
    [
      'payment_unconfirmed',
      () => refusal(funded().pay('2026-02-01', '10100', 'A'), '2026-02-01', { do: 'close', refId: 'A' }),
    ],
    ['not_eligible', () => refusal(funded(), '2026-02-01', inService('2026-01-01'))],
    ['not_eligible', () => refusal(funded(), '2026-02-01', changeRate('6', 'contract'))],
    ['rate_rise', () => refusal(funded(), '2026-02-01', changeRate('12.5', 'modification'))],
    [
      'scra_limit',
      () => {
        const life = funded();
        life.take('2026-02-01', inService());
        return refusal(life, '2026-03-01', fee('10'));
      },
    ],
    ['policy_limit', () => refusal(funded(), '2026-02-01', extend())],
  ];
  const inService = (from = '2026-01-15'): Command => ({
    ...{ do: 'change-rate', rate: percent('6'), date: null, why: 'scra', reason: 'orders' },
    service: { from: date(from), to: null },
  });
  const changeRate = (rate: string, why: 'contract' | 'modification'): Command => ({
    ...{ do: 'change-rate', rate: percent(rate), date: null, why, reason: 'agreed' },
  });
  const extend = (day: string | null = null): Command => ({
    ...{ do: 'extend', periods: 1, date: day === null ? null : date(day), reason: 'hardship' },
  });
  const decided = (more: object): Command => ({
    ...{ do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null },
    ...more,
  });
  const creation = (more: Parameters<typeof contractOf>[0]) => {
    const decision = decideCreation(contractOf(more), DEFAULT_POLICY, { today: date('2026-01-01'), at: '' });
    return isRefusal(decision) ? decision.refused : null;
  };
  const opened = () => {
    const life = live().approve('2026-06-10');
    const opening = {
      date: date('2026-06-10'),
      principal: money('8000'),
      interest: cents(0),
      fees: cents(0),
      paidThrough: date('2026-06-01'),
    };
    life.take('2026-06-10', { do: 'fund-loan', date: null, opening });
    return life;
  };

  test.each(cases)('%s', (code, refused) => {
    expect(refused()).toBe(code);
  });

  test('the others belong to creating, underwriting, the calculators and the books', () => {
    const here = new Set<string>(cases.map(([code]) => code));
    expect(REFUSALS.filter((code) => !here.has(code))).toEqual([
      ...['not_supported', 'no_solution', 'approval_required'],
      ...['live_clock', 'clock_busy', 'wrong_period', 'cycle_pending', 'untied', 'owned_by_loans'],
    ]);
  });

  const before: [earlier: RefusalCode, later: RefusalCode, () => RefusalCode | null][] = [
    [
      'invalid_value',
      'wrong_status',
      () => refusal(IN.Closed(), TODAY, { do: 'extend', periods: 99, date: null, reason: 'hardship', override: true }),
    ],
    [
      'invalid_value',
      'date_in_future',
      () =>
        refusal(funded(), '2026-02-01', {
          ...repay('10', 'A', { date: date('2026-02-02') }),
          amount: (MAX_CENTS + 1) as typeof MAX_CENTS,
        }),
    ],
    [
      'contradiction',
      'wrong_status',
      () =>
        refusal(IN.Closed(), TODAY, {
          do: 'payoff-quotes',
          quoteId: 'Q',
          date: date('2026-08-10'),
          goodThrough: date('2026-08-09'),
        }),
    ],
    [
      'contradiction',
      'reason_required',
      () =>
        refusal(funded(), '2026-02-01', {
          do: 'settle',
          quoteId: 'S',
          amount: money('90000'),
          goodThrough: date('2026-02-01'),
          reason: '',
        }),
    ],
    [
      'wrong_status',
      'on_hold',
      () => refusal(then(IN.Closed(), placed('fraud'), TODAY), TODAY, { do: 'payment-reminders' }),
    ],
    ['wrong_status', 'reference_conflict', () => refusal(IN.Closed(), TODAY, repay('11', 'P'))],
    ['wrong_status', 'reason_required', () => refusal(IN.Closed(), TODAY, chargeOff(''))],
    [
      'collateral_required',
      'date_in_future',
      () =>
        refusal(live(contractOf(), { collateralRequired: true }).approve('2026-01-01'), '2026-01-01', {
          do: 'fund-loan',
          date: date('2026-01-05'),
          opening: null,
        }),
    ],
    ['reason_required', 'date_in_future', () => refusal(late(), '2026-06-30', chargeOff('', '2026-07-01'))],
    [
      'reason_required',
      'amount_zero',
      () =>
        refusal(funded(), '2026-02-01', {
          do: 'settle',
          quoteId: 'S',
          amount: cents(0),
          goodThrough: date('2026-02-01'),
          reason: '',
        }),
    ],
    [
      'reason_required',
      'unknown_reference',
      () => refusal(funded(), '2026-02-01', { do: 'waive-fee', feeId: 'NO', amount: null, reason: '' }),
    ],
    [
      'reference_conflict',
      'date_in_future',
      () => refusal(then(funded(), fee('10'), '2026-01-05'), '2026-02-01', fee('0', 'F', '2026-02-02')),
    ],
    [
      'date_in_future',
      'amount_zero',
      () => refusal(funded(), '2026-02-01', repay('0', 'A', { date: date('2026-02-02') })),
    ],
    [
      'date_before_contract',
      'backdating_needs_reason',
      () => refusal(funded(), '2026-06-01', repay('10', 'A', { date: date('2025-12-31') })),
    ],
    [
      'date_before_opening',
      'backdating_needs_reason',
      () => refusal(opened(), '2026-08-20', repay('10', 'A', { date: date('2026-06-01') })),
    ],
    [
      'backdating_needs_reason',
      'amount_exceeds_payoff',
      () => refusal(funded(), '2026-06-01', repay('99999', 'A', { date: date('2026-02-01') })),
    ],
    [
      'date_in_future',
      'nothing_past_due',
      () =>
        refusal(funded(), '2026-01-15', {
          do: 'reage',
          date: date('2026-01-16'),
          reason: 'back at work',
          override: true,
        }),
    ],
    [
      'amount_zero',
      'amount_exceeds_balance',
      () => refusal(funded(), '2026-02-01', { do: 'refund-credit', refId: 'R', amount: cents(0) }),
    ],
    [
      'nothing_past_due',
      'not_past_due_enough',
      () => refusal(funded(), '2026-01-15', { do: 'default', ground: 'pastDue', reason: 'policy' }),
    ],
    ['date_in_future', 'policy_limit', () => refusal(funded(), '2026-02-01', extend('2026-02-02'))],
    [
      'nothing_past_due',
      'policy_limit',
      () => refusal(funded(), '2026-01-15', { do: 'reage', date: null, reason: 'back at work' }),
    ],
    [
      'reason_required',
      'nothing_past_due',
      () => refusal(funded(), '2026-01-15', { do: 'reage', date: null, reason: '' }),
    ],
    [
      'not_paid_off',
      'payment_unconfirmed',
      () => refusal(funded().pay('2026-02-01', '10', 'A'), '2026-02-01', { do: 'close', refId: 'A' }),
    ],
  ];
  test.each(before)('%s comes before %s', (earlier, later, refused) => {
    expect(REFUSALS.indexOf(earlier)).toBeLessThan(REFUSALS.indexOf(later));
    expect(refused()).toBe(earlier);
  });
});

/** Written out from the specification. */
const WITH_REASON: readonly Operation[] = [
  ...(['extend', 'change-due-date', 'change-rate', 'reamortize', 'reage', 'settle'] as const),
  ...(['waive-fee', 'charge-off', 'default', 'accelerate', 'write-down', 'reverse-repayment'] as const),
];

describe('a change requires a reason', () => {
  test.each(WITH_REASON)('%s', (operation) => {
    const [, from] = LOAN_LIFE.find(([name]) => name === operation) as (typeof LOAN_LIFE)[number];
    const usual = operation === 'change-due-date' ? 'Current' : 'Delinquent';
    const status = from.includes(usual) ? usual : (from[0] as LoanStatus);
    // The last ones are a no-break space, a zero-width space and a tab.
    for (const reason of ['', '   ', '\u00A0', '\u200B', '\t']) {
      const command = { ...rowOf(operation).command, reason } as Command;
      expect(refusal(IN[status](), TODAY, command), `${operation} for "${reason}"`).toBe('reason_required');
    }
  });
});

describe('a repeated call returns the first answer and changes nothing', () => {
  const life = () => live().fund().pay('2026-02-01', '500', 'A');
  const repeated = (one: Life, day: string, command: Command) => {
    const decision = one.ask(day, command);
    return !isRefusal(decision) && decision.repeated && decision.events.length === 0;
  };

  test('loan-repay: a defaulted date is the first call’s, on any later day', () => {
    expect(repeated(life(), '2026-02-01', repay('500', 'A'))).toBe(true);
    expect(repeated(life(), '2026-05-20', repay('500', 'A'))).toBe(true);
    expect(repeated(life(), '2026-05-20', repay('500', 'A', { date: date('2026-02-01') }))).toBe(true);
  });

  test.each([
    ['another amount', repay('501', 'A')],
    ['another explicit date', repay('500', 'A', { date: date('2026-02-02') })],
    ['another kind of payment', repay('500', 'A', { purpose: 'principal' })],
  ])('%s is a conflict', (_name, command) => {
    expect(refusal(life(), '2026-02-03', command)).toBe('reference_conflict');
  });

  test('a refused reference is not reserved', () => {
    const one = life();
    expect(refusal(one, '2026-02-03', repay('99999', 'B'))).toBe('amount_exceeds_payoff');
    expect(refusal(one, '2026-02-03', repay('100', 'B'))).toBeNull();
  });

  test('acknowledging or returning twice; a returned payment cannot be acknowledged, an acknowledged one can be returned', () => {
    const one = then(life(), acknowledge('A'), '2026-02-03');
    expect(repeated(one, '2026-02-05', acknowledge('A'))).toBe(true);
    one.take('2026-02-06', giveBack('A'));
    expect(repeated(one, '2026-02-07', giveBack('A'))).toBe(true);
    const other = then(life(), giveBack('A'), '2026-02-03');
    expect(refusal(other, '2026-02-04', acknowledge('A'))).toBe('reference_conflict');
  });

  test('an unknown reference; a return before its payment', () => {
    expect(refusal(life(), '2026-02-05', giveBack('NO'))).toBe('unknown_reference');
    expect(refusal(life(), '2026-02-05', giveBack('A', '2026-01-31'))).toBe('contradiction');
  });

  test('initiate-repayment again, and closing a loan that its final payment closed', () => {
    expect(repeated(life(), '2026-02-05', { do: 'initiate-repayment', date: null, opening: null })).toBe(true);
    expect(repeated(IN.Closed(), TODAY, { do: 'close', refId: 'P' })).toBe(true);
    expect(refusal(IN.Closed(), TODAY, { do: 'close', refId: 'NO' })).toBe('unknown_reference');
  });

  test('a refund', () => {
    const one = live().fund().pay('2026-02-01', '10200', 'A', { acceptOverpayment: true });
    const refund = { do: 'refund-credit', refId: 'R', amount: money('40') } as const;
    one.take('2026-02-02', refund);
    expect(repeated(one, '2026-02-03', refund)).toBe(true);
    expect(refusal(one, '2026-02-03', { ...refund, amount: money('41') })).toBe('reference_conflict');
    expect(one.loan('2026-02-03').credit).toBe(6000);
  });
});

describe('more than the payoff', () => {
  test('up to ten days of per-diem becomes a credit automatically; beyond that the refusal has the payoff', () => {
    const life = live(contractOf({ dayCount: 'actual/365' })).fund();
    const owed = payoff(life.loan('2026-01-31'));
    expect([owed.payoff, owed.perDiem]).toEqual([1009863, 329]);
    expect(refusal(life, '2026-01-31', repay('10131.53', 'A'))).toBeNull();
    const refused = life.ask('2026-01-31', repay('10131.54', 'A'));
    expect(refused).toMatchObject({ refused: 'amount_exceeds_payoff', facts: { payoff: 1009863 } });
    life.pay('2026-01-31', '10131.53', 'A');
    expect(life.loan('2026-01-31').credit).toBe(3290);
  });

  test('acceptOverpayment allows it, also on a closed loan', () => {
    const life = IN.Closed();
    expect(refusal(life, TODAY, repay('50', 'X'))).toBe('wrong_status');
    life.pay(TODAY, '50', 'X', { acceptOverpayment: true });
    expect(life.loan(TODAY).credit).toBe(5000);
  });

  test('the payoff is that of the payment’s day', () => {
    const life = live(contractOf({ dayCount: 'actual/365' })).fund();
    expect(refusal(life, '2026-01-31', repay('10200', 'A', { date: date('2026-01-05') }))).toBe(
      'amount_exceeds_payoff',
    );
    expect(refusal(life, '2026-01-31', repay('10030', 'A', { date: date('2026-01-05') }))).toBeNull();
  });

  test('a quoted amount may be paid even if less is owed by then', () => {
    const life = live(contractOf({ dayCount: 'actual/365' })).fund();
    const through = addDays(date('2026-01-31'), 60);
    life.take('2026-01-31', { do: 'payoff-quotes', quoteId: 'Q', date: date('2026-01-31'), goodThrough: through });
    const amount = life.loan('2026-01-31').quotes[0]?.amount ?? cents(0);
    expect(refusal(life, '2026-02-01', { ...repay('1', 'A'), amount })).toBeNull();
  });
});

describe('backdating', () => {
  test('thirty days back requires no reason, thirty-one days do', () => {
    const life = live().fund();
    expect(refusal(life, '2026-03-03', repay('10', 'A', { date: date('2026-02-01') }))).toBeNull();
    expect(refusal(life, '2026-03-04', repay('10', 'A', { date: date('2026-02-01') }))).toBe('backdating_needs_reason');
    expect(refusal(life, '2026-03-04', repay('10', 'A', { date: date('2026-02-01'), reason: 'lockbox' }))).toBeNull();
  });

  test('the loan is folded again: the payment counts from its day', () => {
    const late = live()
      .fund()
      .pay('2026-03-01', '888.49', 'B')
      .pay('2026-03-02', '888.49', 'A', { date: date('2026-02-01') });
    const punctual = live().fund().pay('2026-02-01', '888.49', 'A').pay('2026-03-01', '888.49', 'B');
    expect(late.loan('2026-03-02').principal).toBe(punctual.loan('2026-03-02').principal);
    expect(late.loan('2026-03-02').totals).toEqual(punctual.loan('2026-03-02').totals);
  });
});

test('a return undoes its payment to the cent', () => {
  const life = live(contractOf({ dayCount: 'actual/365' }))
    .fund()
    .pay('2026-02-01', '888.49', 'A');
  const without = live(contractOf({ dayCount: 'actual/365' })).fund();
  life.take('2026-02-20', giveBack('A'));
  for (const day of ['2026-02-01', '2026-02-20', '2026-07-07']) {
    expect(payoff(life.loan(day))).toEqual(payoff(without.loan(day)));
    expect(life.loan(day).installments).toEqual(without.loan(day).installments);
  }
});

describe('from a folding, without the events', () => {
  const at = (day: string) => ({ today: date(day), at: `${day}T23:00:00.000Z` });
  const life = () => live().fund().pay('2026-02-01', '500', 'A').pay('2026-03-01', '500', 'B');
  const alone = (one: Life, day: string, command: Command) =>
    decide({ folding: foldAll(one.events), events: null }, command, at(day));
  const typesOf = (answer: ReturnType<typeof alone>) =>
    answer === 'needs_events' || isRefusal(answer) ? answer : answer.events.map(({ type }) => type);

  test('a new payment, one dated after the last, and an acknowledgement are decided', () => {
    expect(typesOf(alone(life(), '2026-04-01', repay('500', 'C')))).toEqual(['paymentSubmitted']);
    expect(typesOf(alone(life(), '2026-04-01', repay('500', 'C', { date: date('2026-03-20') })))).toEqual([
      'paymentSubmitted',
    ]);
    expect(typesOf(alone(life(), '2026-04-01', acknowledge('A')))).toEqual(['paymentAcknowledged']);
  });

  test('a conflict and an unknown reference are refused', () => {
    expect(alone(life(), '2026-04-01', repay('501', 'A'))).toMatchObject({ refused: 'reference_conflict' });
    expect(alone(life(), '2026-04-01', acknowledge('NO'))).toMatchObject({ refused: 'unknown_reference' });
  });

  test.each<[string, Command]>([
    ['a payment dated before another', repay('500', 'C', { date: date('2026-02-20'), reason: 'lockbox' })],
    ['a return', giveBack('B')],
    ['a repeated payment', repay('500', 'A')],
    ['a repeated initiation', { do: 'initiate-repayment', date: null, opening: null }],
  ])('%s needs the events', (_name, command) => {
    expect(alone(life(), '2026-03-20', command)).toBe('needs_events');
  });

  test('a repeated command names the event of the first one', () => {
    const one = live().fund().pay('2026-02-01', '10200', 'A', { acceptOverpayment: true });
    const refund = { do: 'refund-credit', refId: 'R', amount: money('40') } as const;
    for (const command of [acknowledge('A'), refund]) one.take('2026-02-03', command);
    const original = (command: Command): string => {
      const answer = one.ask('2026-02-05', command);
      if (isRefusal(answer) || !answer.repeated) throw new Error('The command is not a repeat.');
      return answer.original === null ? 'none' : (one.events[answer.original] as LoanEvent).type;
    };
    expect(original(repay('10200', 'A'))).toBe('paymentSubmitted');
    expect(original(acknowledge('A'))).toBe('paymentAcknowledged');
    expect(original(refund)).toBe('creditRefunded');
    expect(original({ do: 'initiate-repayment', date: null, opening: null })).toBe('paymentSubmitted');
    expect(original({ do: 'close', refId: 'A' })).toBe('none');
    one.take('2026-02-04', giveBack('A'));
    expect(original(giveBack('A'))).toBe('paymentReturned');
  });
});

describe('initiate-repayment of a loan that is not funded', () => {
  const opening = {
    date: date('2026-06-10'),
    principal: money('8000'),
    interest: money('12.34'),
    fees: cents(0),
    paidThrough: date('2026-06-01'),
  };

  test('funds it first, with the figures of an earlier servicer', () => {
    const life = live().approve('2026-06-10');
    const { events, loan } = life.take('2026-06-10', { do: 'initiate-repayment', date: null, opening });
    expect(events.map(({ type }) => type)).toEqual(['funded', 'opened', 'repaymentInitiated']);
    expect(loan).toMatchObject({ principal: 800_000, interest: 1_234, openedOn: '2026-06-10' });
    expect(status(life, '2026-06-10')).toBe('Current');
  });

  test('on the date given, where the contract has none', () => {
    const contract = contractOf({ contractDate: null, firstPaymentDate: null });
    const life = live(contract).approve('2026-06-10');
    life.take('2026-06-10', { do: 'initiate-repayment', date: date('2026-06-05'), opening: null });
    expect(life.loan('2026-06-10')).toMatchObject({ fundedOn: '2026-06-05', stretchSince: '2026-06-05' });
  });

  test('refuses whatever funding refuses', () => {
    const life = live().approve('2026-06-10');
    const tooMuch = { ...opening, principal: money('10000.01') };
    expect(refusal(life, '2026-06-10', { do: 'initiate-repayment', date: null, opening: tooMuch })).toBe(
      'contradiction',
    );
    expect(refusal(life, '2026-06-10', { do: 'initiate-repayment', date: date('2026-06-11'), opening: null })).toBe(
      'date_in_future',
    );
  });
});

describe('an event contains no free text from a caller', () => {
  test('a reason is not part of the event', () => {
    const reason = 'lost her job';
    const commands: [Life, Command][] = [
      [IN.Current(), repay('10', 'X', { date: date(TODAY), reason })],
      [IN.Current(), { ...giveBack('P'), reason }],
      [IN.Delinquent(), { do: 'settle', quoteId: 'S', amount: money('5'), goodThrough: date(TODAY), reason }],
      [IN.Delinquent(), { do: 'default', ground: 'pastDue', reason }],
      [IN.Delinquent(), chargeOff(reason)],
      [IN.Approved(), { do: 'cancel', reason }],
    ];
    for (const [life, command] of commands) {
      const { events } = life.take(TODAY, command);
      expect(events).toHaveLength(1);
      expect(JSON.stringify(events)).not.toContain(reason);
    }
  });

  test.each([
    ['Return fee: R-01.a_b', null],
    ['', 'invalid_value'],
    ['x'.repeat(65), 'invalid_value'],
    ['O’Brien', 'invalid_value'],
    ['jane@example.com', 'invalid_value'],
    ['two\nlines', 'invalid_value'],
  ])('the name of a fee is short and has plain characters: %j', (name, code) => {
    expect(refusal(IN.Current(), TODAY, { ...fee('10'), name } as Command)).toBe(code);
  });
});
