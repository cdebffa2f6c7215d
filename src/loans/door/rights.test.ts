/**
 * Rights follow what happens, not what the call is named. Every operation in every kind of loan, under every rule of a policy, every limit
 * of a role, every built-in role and every grant, through `settle` as the service runs it. What is expected is written here from the
 * contract and from the tables of `test/support/operations.ts`; nothing of it is taken from the definitions that it proves. A new operation
 * that no state lets succeed, and a new event that belongs to nobody, fail. `npm test` tries some of the rules, and `TEST_LONG=1` every rule
 * on 200 random histories.
 */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { live } from '../../../test/support/life.ts';
import { BELONGS_TO, NOT_CHOSEN, OPERATIONS, rowOf } from '../../../test/support/operations.ts';
import { anyPlan, live as lived } from '../../../test/support/simulate/lives.ts';
import { WHOLE } from '../../../test/support/whole.ts';
import { BUILT_IN_ROLES, scopesOf } from '../../access/people/roles.ts';
import { SCOPES } from '../../access/scopes.ts';
import type { LoanFile } from '../../boarding/file.ts';
import { addDays, date, type PlainDate } from '../../core/calendar.ts';
import { type Command, type Decision, decide, type Operation } from '../../core/decide/decide.ts';
import type { LoanEvent } from '../../core/event.ts';
import { fold, foldAll } from '../../core/fold.ts';
import { type Loan, STATUSES } from '../../core/loan.ts';
import { type Cents, cents } from '../../core/money.ts';
import { partiesOf } from '../../core/ownership.ts';
import { payoff } from '../../core/payoff.ts';
import type { ApprovalRule } from '../../core/policy.ts';
import { isRefusal } from '../../core/refusal.ts';
import { statusOf } from '../../core/status.ts';
import { eventsInForce } from '../../core/undo.ts';
import { booksOf } from '../../ledger/post.ts';
import type { Actor } from './actor.ts';
import { termsChangesIn } from './history-limits.ts';
import { NO_POLICIES } from './policy-timelines.ts';
import { settle } from './settle.ts';
import type { Held } from './transact.ts';
import type { Approving, Outcome, WriteOptions } from './write.ts';

const LONG = process.env.TEST_LONG !== undefined;
const TRIED = Number(process.env.LIVES ?? (LONG ? 200 : WHOLE ? 20 : 4));
const TIMEOUT = 60_000 + TRIED * 20_000;
const SEED = Number(process.env.SEED ?? 34);
const OWNER = 'org_test';
const BUYER = 'org_buyer';
/** As far as a decision reads it. */
const FILE = { decision: 'APPROVED', deals: [], opening: null } as unknown as LoanFile;

/** Put under approval: the policy of every loan here refers to it. */
const rules: Record<string, ApprovalRule> = {};
beforeEach(() => {
  for (const name of Object.keys(rules)) delete rules[name];
});

const OWNING: Actor = {
  ...{ organizationId: OWNER, clientId: 'client', keyId: 'key', requestId: 'request', purpose: '' },
  scopes: new Set<string>(SCOPES),
  grants: [],
};
const BUYING: Actor = { ...OWNING, organizationId: BUYER };

// ---- loans ----

/** A loan on a day. */
type State = { readonly events: readonly LoanEvent[]; readonly today: PlainDate };
/** A command on it that brings events. */
type Case = State & {
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

/** One of each kind, so that every operation is possible somewhere. */
function kindsOfLoans(): State[] {
  const states: State[] = [];
  const keep = (day: string, life: ReturnType<typeof live>) =>
    states.push({ events: under(life.events), today: date(day) });
  const start = '2026-01-01';
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
  // In repayment, with a fee of each way, a hold, quotes and planned transfers.
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
  // Far behind, in default, charged off; and one with a credit.
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
  return states;
}

/** Random histories, each with its last day. */
function histories(): State[] {
  return fc
    .sample(anyPlan, { numRuns: TRIED, seed: SEED })
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

function casesOf(states: readonly State[]): Case[] {
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

const kinds = casesOf(kindsOfLoans());
const isKind = new Set(kinds);
const all = [...kinds, ...casesOf(histories())];

// ---- the service ----

const text = () => '{}';
const PLAIN: WriteOptions = { dryRun: false, ifVersion: null, idempotency: null };
/** The new owner accepts, and everything else is the owner's. */
const callerOf = ({ command }: Case): Actor => (command.do === 'accept-transfer' ? BUYING : OWNING);

function outcomeOf({ command, held }: Case, actor: Actor, options: Partial<WriteOptions> = {}): Outcome | 'saved' {
  const approvable = { source: '{}', fresh: '', plain: false, preview: text };
  const call = { actor, loanId: '0x01', options: { ...PLAIN, ...options }, idempotency: null };
  const settled = settle(call, { loanId: '0x01', command, reason: null, answer: text, approvable }, held);
  if (settled.kind === 'needs_events') throw new Error('The events were there.');
  return settled.kind === 'save' ? 'saved' : settled.outcome;
}

function done(one: Case, actor: Actor): string {
  const outcome = outcomeOf(one, actor);
  if (outcome === 'saved') return outcome;
  return outcome.kind === 'denied' ? `denied ${outcome.needs}` : outcome.kind;
}

// ---- the contract ----

type Needed = ReadonlyMap<Operation, Cents | null>;

const found = new WeakMap<Case, Needed>();

function neededBy(one: Case): Needed {
  const needed = found.get(one) ?? findNeeded(one);
  found.set(one, needed);
  return needed;
}

/** The operations that are brought about by the caller's choice, with its amount as docs/approvals.md defines it. */
function findNeeded({ command, decision, events, today }: Case): Needed {
  const before = fold(events, today);
  if (command.do === 'undo') return neededByUndo(command.sequence, events, before);
  const needed = new Map<Operation, Cents | null>([[command.do, amountFor(command.do, decision.events, before)]]);
  for (const event of decision.events) {
    if (NOT_CHOSEN[command.do]?.includes(event.type)) continue;
    for (const operation of belongs(event, before))
      needed.set(operation, amountFor(operation, decision.events, before));
  }
  return needed;
}

function neededByUndo(sequence: number, events: readonly LoanEvent[], before: Loan): Needed {
  const event = events[sequence - 1] as LoanEvent;
  const needed = new Map<Operation, Cents | null>([['undo', null]]);
  const next = events[sequence];
  const cameWithReturn =
    event.type === 'feeAssessed' && next?.type === 'paymentReturned' && next.recordedAt === event.recordedAt;
  const then = fold(events.slice(0, sequence), event.recordedOn);
  const operations = cameWithReturn ? (['return-repayment'] as const) : belongs(event, before);
  for (const operation of operations) needed.set(operation, amountFor(operation, [event], then));
  if (event.type === 'feeAssessed') {
    const { waived } = before.fees.find(({ feeId }) => feeId === event.feeId) ?? { waived: 0 };
    if (event.amount > waived) needed.set('waive-fee', cents(event.amount - waived));
  }
  return needed;
}

function belongs(event: LoanEvent, before: Loan): readonly Operation[] {
  if (event.type === 'payoffQuoted') return [event.kind === 'settlement' ? 'settle' : 'payoff-quotes'];
  if (event.type === 'paymentSubmitted' && statusOf(before) !== 'ChargedOff') return ['loan-repay'];
  return BELONGS_TO[event.type];
}

const AMOUNTS: Partial<Record<Operation, LoanEvent['type']>> = {
  'loan-repay': 'paymentSubmitted',
  'record-recovery': 'paymentSubmitted',
  'assess-fee': 'feeAssessed',
  'waive-fee': 'feeWaived',
  settle: 'payoffQuoted',
  'write-down': 'writtenDown',
  'refund-credit': 'creditRefunded',
};

function amountFor(operation: Operation, events: readonly LoanEvent[], loan: Loan): Cents | null {
  const of = events.find(({ type }) => type === AMOUNTS[operation]);
  if (of === undefined || !('amount' in of)) return null;
  return operation === 'settle' ? cents(payoff(loan).payoff - of.amount) : of.amount;
}

/** Lists of scopes of which one each is needed, beside that of the operation that is called. */
function scopesNeeded(one: Case): (readonly string[])[] {
  const { command, decision, events, today } = one;
  const before = fold(events, today);
  const undone = command.do === 'undo' ? events[command.sequence - 1] : undefined;
  const ofEvents = decision.events.flatMap((event) => {
    const of = belongs(event, before);
    const isAdded = NOT_CHOSEN[command.do]?.includes(event.type) === true;
    return isAdded || of.includes(command.do) ? [] : of.map((operation) => rowOf(operation).scopes);
  });
  const ofUndone = [...neededBy(one).keys()]
    .filter((operation) => operation !== 'undo')
    .map((name) => rowOf(name).scopes);
  const overrode = (undone === undefined ? decision.events : [undone]).some((event) => event.overrode !== undefined);
  return [
    ...(undone === undefined ? ofEvents : ofUndone),
    ...(overrode ? [['servicing:override']] : []),
    ...scopesOfCall(one, before),
  ];
}

function scopesOfCall({ command, decision, today }: Case, { policy }: Loan): (readonly string[])[] {
  const [first] = decision.events;
  if (command.do === 'transfer' || command.do === 'cancel-transfer') {
    return [[first !== undefined && 'what' in first && first.what === 'owner' ? 'loans:write' : 'servicing:write']];
  }
  if (command.do === 'initiate-repayment') return [[first?.type === 'funded' ? 'loans:fund' : 'servicing:write']];
  const isOld = decision.events.some((event) => event.date < addDays(today, -policy.backdateDays));
  return command.do === 'loan-repay' && isOld ? [['servicing:write']] : [];
}

// ---- properties ----

test('every operation brings something about in some state, and every event that is chosen comes about', () => {
  expect(new Set(kinds.map(({ command }) => command.do))).toEqual(
    // A loan closes by itself.
    new Set(OPERATIONS.filter((operation) => operation !== 'close')),
  );
  const chosen = Object.entries(BELONGS_TO).flatMap(([type, of]) => (of.length === 0 ? [] : [type]));
  const seen = new Set<string>(kinds.flatMap(({ decision }) => decision.events.map(({ type }) => type)));
  // Nothing brings a further disbursement yet.
  expect(chosen.filter((type) => !seen.has(type))).toEqual(['disbursed']);
  expect(new Set(kinds.map(({ events, today }) => statusOf(fold(events, today)))).size).toBeGreaterThan(
    STATUSES.length - 4,
  );
  const undone = new Set(
    kinds.flatMap(({ command, events }) => (command.do === 'undo' ? [events[command.sequence - 1]?.type] : [])),
  );
  for (const type of ['feeAssessed', 'chargedOff', 'payoffQuoted', 'holdPlaced', 'approved', 'writtenDown'] as const)
    expect(undone).toContain(type);
});

test('without a rule and a limit nothing needs an approval', { timeout: TIMEOUT }, () => {
  for (const one of all) expect(done(one, callerOf(one)), one.name).toBe('saved');
});

/** With each case the rules that matter to it and a few others; all of them on every kind of loan in `npm run test:slow`, on all with `TEST_LONG`. */
const rulesFor = (one: Case, n: number): readonly Operation[] => {
  if (LONG || (WHOLE && isKind.has(one))) return OPERATIONS;
  const others = [0, 19].map((step) => OPERATIONS[(n + step) % OPERATIONS.length] as Operation);
  return [...new Set([...neededBy(one).keys(), ...others])];
};

describe('an approval is needed exactly if the rule is for something that is brought about', () => {
  test('by the policy: always, and above an amount', { timeout: TIMEOUT }, () => {
    for (const [n, one] of all.entries()) {
      const needed = neededBy(one);
      for (const operation of rulesFor(one, n)) {
        const amount = needed.get(operation);
        const tried: [ApprovalRule, boolean][] = [
          [true, amount !== undefined],
          [{ above: cents(0) }, amount === null || (amount !== undefined && amount > 0)],
          ...(amount === null || amount === undefined
            ? []
            : ([
                [{ above: amount }, false],
                [{ above: cents(amount - 1) }, true],
              ] as [ApprovalRule, boolean][])),
        ];
        for (const [rule, isNeeded] of tried) {
          rules[operation] = rule;
          const what = `${operation} ${JSON.stringify(rule)}: ${one.name}`;
          expect(done(one, callerOf(one)), what).toBe(isNeeded ? 'needs_approval' : 'saved');
        }
        delete rules[operation];
      }
    }
  });

  test('by a limit of a role, for who asks and for who approves', { timeout: TIMEOUT }, () => {
    for (const [n, one] of all.entries()) {
      const needed = neededBy(one);
      for (const operation of rulesFor(one, n)) {
        const amount = needed.get(operation);
        const isAbove = amount === null || (amount !== undefined && amount > 0);
        const limited = { ...callerOf(one), userId: 'user', limits: { [operation]: cents(0) } };
        const what = `${operation}: ${one.name}`;
        expect(done(one, limited), what).toBe(isAbove ? 'needs_approval' : 'saved');
        if (amount !== null && amount !== undefined) {
          expect(done(one, { ...limited, limits: { [operation]: amount } }), what).toBe('saved');
        }
        const approved = outcomeOf(one, limited, { approval: approvalOf(one) });
        if (isAbove) expect(approved, what).toMatchObject({ kind: 'above_limit', operation, amount });
        else expect(approved, what).toBe('saved');
      }
    }
  });
});

/** A request that was made when a policy still asked for it. */
function approvalOf(one: Case): Approving {
  const { command } = one;
  rules[command.do] = true;
  const outcome = outcomeOf(one, callerOf(one));
  delete rules[command.do];
  if (outcome === 'saved' || outcome.kind !== 'needs_approval') throw new Error('It was not requested.');
  const party = { organizationId: OWNER, clientId: 'other', userId: null };
  return {
    ...{ approvalId: 'approval_1', requestedBy: party, key: null, shown: outcome.needed, previewHash: null },
    ...{ lapsesOn: outcome.needed.lapsesOn, decidedBy: party, note: null, entry: {} as Approving['entry'] },
  };
}

test('no call brings an event about while every operation that it belongs to is under approval', {
  timeout: TIMEOUT,
}, () => {
  for (const one of all) {
    const { command, decision } = one;
    for (const { type } of decision.events) {
      const owners = BELONGS_TO[type];
      if (owners.length === 0 || NOT_CHOSEN[command.do]?.includes(type)) continue;
      for (const operation of owners) rules[operation] = true;
      expect(done(one, callerOf(one)), `${type}: ${one.name}`).toBe('needs_approval');
      for (const operation of owners) delete rules[operation];
    }
  }
});

test('each built-in role may do what its scopes and limits allow of all that is brought about', {
  timeout: TIMEOUT,
}, () => {
  for (const one of all) {
    const scopes = scopesNeeded(one);
    for (const role of BUILT_IN_ROLES) {
      const has = new Set<string>(role.scopes);
      // The operation that is called: checked before the write path.
      if (!scopesOf(one.command.do).some((scope) => has.has(scope))) continue;
      const actor = { ...callerOf(one), userId: 'user', scopes: has, limits: role.limits };
      const isAbove = [...neededBy(one)].some(([operation, amount]) => {
        const limit = role.limits[operation];
        return limit !== undefined && (amount === null || amount > limit);
      });
      const mayNot = scopes.some((some) => !some.some((scope) => has.has(scope)));
      const expected = mayNot ? 'denied scope' : isAbove ? 'needs_approval' : 'saved';
      expect(done(one, actor), `${role.name}: ${one.name}`).toBe(expected);
    }
  }
});

test('a servicer with a grant brings nothing about that is the owner’s alone', { timeout: TIMEOUT }, () => {
  const grants = [{ ownerOrganizationId: OWNER, access: 'servicing', servicerId: null }] as const;
  const servicer: Actor = { ...OWNING, organizationId: 'org_servicer', grants };
  for (const one of all) {
    const { command, decision, events } = one;
    const undone = command.do === 'undo' ? [events[command.sequence - 1] as LoanEvent] : decision.events;
    const isOwners = [...neededBy(one).keys()].some((operation) => rowOf(operation).by === 'owner');
    const overrode = undone.some((event) => event.overrode !== undefined);
    expect(done(one, servicer), one.name).toBe(isOwners || overrode ? 'denied grant' : 'saved');
  }
});
