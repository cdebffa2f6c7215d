/**
 * Rights follow what happens, not what the call is named. Every operation in every kind of loan, under every rule of a policy, every limit
 * of a role, every built-in role and every grant, through `settle` as the service runs it. What is expected is written here from the
 * contract and from the tables of `test/support/operations.ts`; nothing of it is taken from the definitions that it proves. A new operation
 * that no state lets succeed, and a new event that belongs to nobody, fail. `npm test` tries some of the rules, and `TEST_LONG=1` every rule
 * on 200 random histories.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { BELONGS_TO, NOT_CHOSEN, OPERATIONS, rowOf } from '../../../test/support/operations.ts';
import { WHOLE } from '../../../test/support/whole.ts';
import { BUYER, type Case, casesOf, histories, kindsOfLoans, OWNER, rules } from '../../../test/support/writes.ts';
import { BUILT_IN_ROLES, scopesOf } from '../../access/people/roles.ts';
import { SCOPES } from '../../access/scopes.ts';
import { addDays } from '../../core/calendar.ts';
import type { Operation } from '../../core/decide/decide.ts';
import type { LoanEvent } from '../../core/event.ts';
import { fold } from '../../core/fold.ts';
import { type Loan, STATUSES } from '../../core/loan.ts';
import { type Cents, cents } from '../../core/money.ts';
import { payoff } from '../../core/payoff.ts';
import type { ApprovalRule } from '../../core/policy.ts';
import { statusOf } from '../../core/status.ts';
import type { Actor } from './actor.ts';
import { settle } from './settle.ts';
import type { Approving, Outcome, WriteOptions } from './write.ts';

const LONG = process.env.TEST_LONG !== undefined;
const TRIED = Number(process.env.LIVES ?? (LONG ? 200 : WHOLE ? 20 : 4));
const TIMEOUT = 60_000 + TRIED * 20_000;
const SEED = Number(process.env.SEED ?? 34);

const kinds = casesOf(kindsOfLoans());
const isKind = new Set(kinds);
const all = [...kinds, ...casesOf(histories(TRIED, SEED))];

beforeEach(() => {
  for (const name of Object.keys(rules)) delete rules[name];
});

const OWNING: Actor = {
  ...{ organizationId: OWNER, clientId: 'client', keyId: 'key', requestId: 'request', purpose: '' },
  scopes: new Set<string>(SCOPES),
  grants: [],
};
const BUYING: Actor = { ...OWNING, organizationId: BUYER };

// ---- the service ----

const text = () => '{}';
const PLAIN: WriteOptions = { dryRun: false, ifVersion: null, idempotency: null };
/** The new owner accepts, and everything else is the owner's. */
const callerOf = ({ command }: Case): Actor => (command.do === 'accept-transfer' ? BUYING : OWNING);

function outcomeOf({ command, held }: Case, actor: Actor, options: Partial<WriteOptions> = {}): Outcome | 'saved' {
  const approvable = { source: '{}', fresh: '', says: () => '{}', preview: text };
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

/** With each case the rules that matter to it and a few others; every second one on every kind of loan in `npm run test:slow`, all with `TEST_LONG`. */
const rulesFor = (one: Case, n: number): readonly Operation[] => {
  if (LONG) return OPERATIONS;
  const others =
    WHOLE && isKind.has(one)
      ? OPERATIONS.filter((_, i) => (i + n) % 2 === 0)
      : [0, 19].map((step) => OPERATIONS[(n + step) % OPERATIONS.length] as Operation);
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
