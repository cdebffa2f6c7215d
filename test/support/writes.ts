/** Writes of every operation in every kind of loan, as they come to the write path, for the tests of rights. */
import fc from 'fast-check';
import type { LoanFile } from '../../src/boarding/file.ts';
import { addDays, date, type PlainDate } from '../../src/core/calendar.ts';
import { type Command, type Decision, decide } from '../../src/core/decide/decide.ts';
import type { LoanEvent } from '../../src/core/event.ts';
import { fold, foldAll } from '../../src/core/fold.ts';
import { cents } from '../../src/core/money.ts';
import { partiesOf } from '../../src/core/ownership.ts';
import { payoff } from '../../src/core/payoff.ts';
import type { ApprovalRule } from '../../src/core/policy.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { statusOf } from '../../src/core/status.ts';
import { eventsInForce } from '../../src/core/undo.ts';
import { booksOf } from '../../src/ledger/post.ts';
import { termsChangesIn } from '../../src/loans/door/history-limits.ts';
import { NO_POLICIES } from '../../src/loans/door/policy-timelines.ts';
import type { Held } from '../../src/loans/door/transact.ts';
import { live } from './life.ts';
import { OPERATIONS, rowOf } from './operations.ts';
import { anyPlan, live as lived } from './simulate/lives.ts';
import { WHOLE } from './whole.ts';

export const OWNER = 'org_test';
export const BUYER = 'org_buyer';
/** As far as a decision reads it. */
const FILE = {
  ...{ decision: 'APPROVED', deals: [], opening: null },
  stipulations: [{ id: 'insurance-1', beforeFunding: false, waivedBy: 'underwriting:write' }],
} as unknown as LoanFile;

/** The operations under approval: the policy of every loan here refers to it. */
export const rules: Record<string, ApprovalRule> = {};

/** A loan on a day. */
type State = { readonly events: readonly LoanEvent[]; readonly today: PlainDate };
/** A command on it that brings events. */
export type Case = State & {
  readonly command: Command;
  readonly decision: Decision;
  readonly held: Held;
  /** For the message of a failure. */
  readonly name: string;
};

const at = ({ today, events }: State) => ({
  today,
  at: `${today}T23:00:00.${String(events.length).padStart(3, '0')}Z`,
});

/** With the rules of this test in its policy. */
function under(events: readonly LoanEvent[]): readonly LoanEvent[] {
  return events.map((event) =>
    event.type === 'created' ? { ...event, policy: { ...event.policy, approvals: rules } } : event,
  );
}

function heldOf(state: State): Held {
  const { events, today } = state;
  const { recordedOn, recordedAt } = events.at(-1) as LoanEvent;
  const known = {
    ...{ loanId: '0x01', organizationId: OWNER, lenderId: 'L', primaryServicerId: 'S-1', secondaryServicerId: '' },
    ...{ createdAt: 0, startBlock: 0, version: events.length, lastHash: '0x02', seldom: null, paymentHashes: '' },
    folding: foldAll(events),
    timeline: NO_POLICIES.of('L'),
    books: booksOf(fold(events, recordedOn)),
    recordedAt: Date.parse(recordedAt) || 0,
    recordedOn,
    termsChanges: termsChangesIn(eventsInForce(events)),
    parties: partiesOf(events),
  };
  const hashes = events.map((_, i) => `0x${i}`);
  return {
    known,
    history: { known, events, hashes },
    file: FILE,
    when: at({ today, events }),
    note: null,
    nonce: () => '0',
  };
}

const reason = 'as agreed';
const chargeOff: Command = { do: 'charge-off', date: null, reason, collateral: cents(50_000) };
const fee = (feeId: string, amount: number): Command => ({
  ...{ do: 'assess-fee', feeId, kind: 'fee', name: 'fee', amount: cents(amount), date: null },
});
const toServicer = (to: string, day: PlainDate): Command => ({
  ...{ do: 'transfer', transferId: `T-${to}`, what: 'servicer', to, date: day, reason, from: null },
});
const toOwner = (day: PlainDate): Command => ({
  ...{
    do: 'transfer',
    transferId: 'T-owner',
    what: 'owner',
    to: { organizationId: BUYER, lenderId: 'B' },
    date: day,
    reason,
  },
  from: { organizationId: OWNER, lenderId: 'L', servicerId: 'S-1' },
});

type Keep = (day: string, life: ReturnType<typeof live>) => void;
const start = '2026-01-01';

/** One of each kind, so that every operation is possible somewhere. */
export function kindsOfLoans(): State[] {
  const states: State[] = [];
  const keep: Keep = (day, life) => states.push({ events: under(life.events), today: date(day) });
  applications(keep);
  inRepayment(keep);
  ended(keep);
  return states;
}

function applications(keep: Keep): void {
  const application = live().create(start);
  keep(start, application);
  application.take(start, { do: 'request-documents' });
  keep(start, application);
  application.take(start, { do: 'verify-documents', complete: true });
  application.take(start, { do: 'start-underwriting' });
  keep(start, application);
  const rejected = live().create(start);
  rejected.take(start, { do: 'start-underwriting' });
  rejected.take(start, { do: 'complete-underwriting', approved: false, dealIndex: 0, reason });
  keep(start, rejected);
  const approved = live().approve(start);
  keep(start, approved);
  approved.take(start, { do: 'request-collateral' });
  keep(start, approved);
  approved.take(start, { do: 'approve-collateral', value: cents(900_000) });
  keep(start, approved);
  approved.take(start, { do: 'cancel', reason });
  keep(start, approved);
}

/** With a fee of each way, a hold, quotes and planned transfers. */
function inRepayment(keep: Keep): void {
  const life = live(undefined, { returnFee: cents(3_500) }).fund(start);
  keep(start, life);
  life.take(start, { do: 'initiate-repayment', date: null, opening: null });
  life.pay('2026-02-01', '888.49', 'P-1').pay('2026-03-01', '888.49', 'P-2');
  life.take('2026-03-05', { do: 'return-repayment', refId: 'P-2', date: null, code: 'R01', reason });
  life.take('2026-03-06', fee('F-1', 50_000));
  life.take('2026-03-07', fee('F-2', 4_000));
  life.take('2026-03-07', { do: 'waive-fee', feeId: 'F-1', amount: cents(20_000), reason });
  const bankruptcy = {
    chapter: 7,
    filed: date('2015-01-15'),
    discharged: date('2015-05-15'),
    reaffirmed: true,
  } as const;
  life.take('2026-03-08', {
    ...{
      do: 'place-hold',
      holdId: 'H-1',
      kind: 'bankruptcy',
      from: null,
      to: null,
      bankruptcy,
      detailed: false,
      reason,
    },
  });
  life.take('2026-03-08', { do: 'payoff-quotes', quoteId: 'Q-1', date: null, goodThrough: null });
  life.take('2026-03-08', {
    do: 'settle',
    quoteId: 'Q-2',
    amount: cents(100_000),
    goodThrough: date('2026-03-20'),
    reason,
  });
  keep('2026-03-10', life);
  life.take('2026-03-10', toServicer('S-2', date('2026-05-01')));
  keep('2026-03-10', life);
  life.take('2026-03-10', toOwner(date('2026-06-01')));
  keep('2026-03-10', life);
}

/** Far behind, in default, charged off; and one with a credit. */
function ended(keep: Keep): void {
  const late = live().fund(start);
  late.pay('2026-02-01', '888.49', 'P-1');
  keep('2026-09-15', late);
  late.take('2026-09-15', { do: 'default', ground: 'pastDue', reason });
  late.take('2026-09-16', { do: 'accelerate', reason });
  keep('2026-09-16', late);
  late.take('2026-09-20', chargeOff);
  keep('2026-09-21', late);
  late.take('2026-09-21', { do: 'write-down', amount: cents(1_000), reason });
  keep('2026-09-22', late);
  const paid = live().fund(start).pay('2026-02-01', '12000', 'P-1', { acceptOverpayment: true });
  paid.take('2026-02-02', { do: 'acknowledge-repayment', refId: 'P-1' });
  keep('2026-02-03', paid);
}

/** Random histories, each with its last day. */
export function histories(count: number, seed: number): State[] {
  return fc
    .sample(anyPlan, { numRuns: count, seed })
    .map((plan) => lived(plan))
    .map(({ events, today }) => ({ events: under(events), today }));
}

/** Every operation, in the ways that differ by what they bring about, and the undo of every event. */
function commandsOn({ events, today }: State): Command[] {
  const loan = fold(events, today);
  const openFees = loan.fees.filter(({ amount, paid, waived }) => amount - paid - waived > 1);
  const opening = { date: today, principal: cents(1_000), interest: cents(0), fees: cents(0), paidThrough: null };
  const again = addDays(today, 7);
  return [
    ...OPERATIONS.flatMap((operation) => [rowOf(operation).smallest(loan), rowOf(operation).command]),
    ...openFees.map(({ feeId }): Command => ({ do: 'waive-fee', feeId, amount: null, reason })),
    ...openFees.map(({ feeId }): Command => ({ do: 'waive-fee', feeId, amount: cents(1), reason })),
    ...loan.holds.map(({ holdId }): Command => ({ do: 'release-hold', holdId, date: null, reason })),
    { do: 'complete-underwriting', approved: false, dealIndex: 0, reason },
    { do: 'initiate-repayment', date: null, opening },
    { do: 'extend', periods: 1, date: null, reason, override: true },
    { do: 'change-rate', rate: loan.agreedRate, date: null, why: 'modification', reason },
    { do: 'reage', date: null, reason, override: true },
    fee('NEW', 12_345),
    chargeOff,
    { do: 'settle', quoteId: 'NEW', amount: cents(Math.max(1, payoff(loan).payoff - 777)), goodThrough: again, reason },
    {
      ...(rowOf('loan-repay').smallest(loan) as Extract<Command, { do: 'loan-repay' }>),
      amount: cents(4_321),
      refId: 'MORE',
    },
    toServicer('S-9', again),
    toServicer('S-9', today),
    toOwner(again),
    { do: 'cancel-transfer', what: 'servicer', reason },
    { do: 'cancel-transfer', what: 'owner', reason },
    ...events.map((_, i): Command => ({ do: 'undo', sequence: i + 1, reason })),
  ];
}

const kindOf = (event: LoanEvent) => `${event.type} ${'kind' in event ? event.kind : ''}`;

export function casesOf(states: readonly State[]): Case[] {
  const tried = new Set<string>();
  return states.flatMap((state) => {
    const { events, today } = state;
    const held = heldOf(state);
    const status = statusOf(fold(events, today));
    return commandsOn(state).flatMap((command): Case[] => {
      const decision = decide(events, command, held.when, FILE);
      if (isRefusal(decision) || decision.events.length === 0) return [];
      const brought = decision.events.map(({ type }) => type).join(' ');
      const undone = command.do === 'undo' ? kindOf(events[command.sequence - 1] as LoanEvent) : '';
      // `npm test` tries each kind of call once in each status.
      const kind = `${status} ${command.do} ${brought} ${undone} ${'amount' in command} ${'what' in command && command.what}`;
      if (!WHOLE && tried.has(kind)) return [];
      tried.add(kind);
      return [{ ...state, command, decision, held, name: `${status} ${JSON.stringify(command)} ${brought} ${undone}` }];
    });
  });
}
