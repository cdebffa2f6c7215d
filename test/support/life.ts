/** A loan's history for tests: every step goes through `decide`, as in the service, each at its own time. */
import { date } from '../../src/core/calendar.ts';
import { type Command, type Decision, decide, decideCreation } from '../../src/core/decide/decide.ts';
import { KINDS, type LoanEvent } from '../../src/core/event.ts';
import { fold } from '../../src/core/fold.ts';
import type { Contract, Loan, OnFile } from '../../src/core/loan.ts';
import { cents, parseCents } from '../../src/core/money.ts';
import { DEFAULT_POLICY, type LateFeePolicy, type Policy } from '../../src/core/policy.ts';
import { percent } from '../../src/core/rate.ts';
import { isRefusal, type Refusal } from '../../src/core/refusal.ts';

/** 25.00 for an installment that is not paid within ten days. */
export const FLAT_LATE_FEE: LateFeePolicy = {
  flat: cents(2_500),
  percent: null,
  floor: null,
  cap: null,
  graceDays: 10,
  judge: 'currentFirst',
};

export function money(text: string) {
  const parsed = parseCents(text);
  if (parsed === null) throw new Error(`Not an amount: ${text}`);
  return parsed;
}

/** 10,000.00 at 12 % in twelve months from 1 January 2026, 30/360: interest of the first month is 100.00, the payment 888.49. */
export function contractOf(more: Partial<Contract> = {}): Contract {
  return {
    amount: money('10000'),
    rate: percent('12'),
    variable: false,
    dayCount: '30/360',
    rounding: 'half-up',
    frequency: 'Monthly',
    count: 12,
    contractDate: date('2026-01-01'),
    firstPaymentDate: date('2026-02-01'),
    amortization: 'FullAmortization',
    balloon: cents(0),
    interestOnlyCount: 0,
    payment: null,
    prepaymentPenalty: cents(0),
    ...more,
  };
}

export type Life = {
  readonly events: readonly LoanEvent[];
  loan(on: string): Loan;
  /** Decides a command without applying it. */
  ask(day: string, command: Command, onFile?: OnFile): Decision | Refusal;
  /** Applies a command; throws when it is refused. */
  take(day: string, command: Command, onFile?: OnFile): Decision;
  create(day: string): Life;
  /** Created and approved, ready to be funded. */
  approve(day: string): Life;
  fund(day?: string): Life;
  pay(day: string, amount: string, refId: string, more?: Partial<Extract<Command, { do: 'loan-repay' }>>): Life;
};

export function live(contract: Contract = contractOf(), policy: Partial<Policy> = {}): Life {
  let events: LoanEvent[] = [];
  let moment = 0;
  const stamp = (day: string) => {
    moment += 1;
    return { today: date(day), at: `${day}T12:00:00.${String(moment).padStart(3, '0')}Z` };
  };
  const life: Life = {
    get events() {
      return events;
    },
    loan: (on) => fold(events, date(on)),
    ask: (day, command, onFile) => decide(events, command, stamp(day), onFile),
    take(day, command, onFile) {
      const decision = life.ask(day, command, onFile);
      if (isRefusal(decision)) throw new Error(`${day} ${command.do}: ${decision.refused}: ${decision.detail}`);
      events = [...events, ...decision.events];
      return decision;
    },
    create(day) {
      const decision = decideCreation(contract, { ...DEFAULT_POLICY, ...policy }, stamp(day));
      if (isRefusal(decision)) throw new Error(decision.detail);
      events = [...decision.events];
      return life;
    },
    approve(day) {
      life.create(day);
      life.take(day, { do: 'start-underwriting' });
      life.take(day, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
      return life;
    },
    fund(day = '2026-01-01') {
      life.approve(day);
      life.take(day, { do: 'fund-loan', date: null, opening: null });
      return life;
    },
    pay(day, amount, refId, more = {}) {
      life.take(day, { ...payment(amount, refId), ...more });
      return life;
    },
  };
  return life;
}

/**
 * The same events as if others had become known first: those of one kind and day stay in their order, and so does the application. `key`
 * sorts these groups, which are numbered as they come; without it they are reversed.
 */
export function inAnotherOrder(events: readonly LoanEvent[], key = (group: number) => -group): LoanEvent[] {
  const groups = Map.groupBy(events, ({ type, date: day }) => (KINDS[type].early ? '' : `${type} ${day}`));
  const keyed = [...groups.values()].map((group, i) => ({ group, key: key(i) }));
  return keyed.sort((a, b) => a.key - b.key).flatMap(({ group }) => group);
}

export function payment(amount: string, refId: string): Extract<Command, { do: 'loan-repay' }> {
  return {
    do: 'loan-repay',
    refId,
    amount: money(amount),
    date: null,
    purpose: 'installment',
    acceptOverpayment: false,
    reason: null,
  };
}
