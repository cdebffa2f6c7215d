/**
 * An undo of each fact that is not money, at each place of random histories: the loan as of twenty dates, its schedule, its statement and
 * its accounts are those of the history without the fact.
 */
import { describe, expect } from 'vitest';
import { addDays, daysBetween, lastOfMonth, type PlainDate } from '../../src/core/calendar.ts';
import { decide } from '../../src/core/decide/decide.ts';
import type { Fact, LoanEvent } from '../../src/core/event.ts';
import { append, type Folding, fold, foldAll, stateOn } from '../../src/core/fold.ts';
import { foldOver } from '../../src/core/fold-days.ts';
import type { Loan } from '../../src/core/loan.ts';
import { cents } from '../../src/core/money.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { statement } from '../../src/core/statement.ts';
import { unwrittenLines } from '../../src/ledger/beside-rows.ts';
import { journalOf } from '../../src/ledger/journal.ts';
import { everyLife } from '../support/simulate/every-life.ts';
import type { LivedLife } from '../support/simulate/lives.ts';

describe('a random history with one fact undone', () => {
  everyLife('before its funding, with every step of the application', (life, _, pick) => {
    const { events } = withOtherFacts(life, pick);
    const steps = events.slice(
      0,
      events.findIndex(({ type }) => type === 'funded'),
    );
    const last = steps.at(-1) as LoanEvent;
    const ended = { type: pick % 2 === 0 ? 'cancelled' : 'rejected', overridden: false } as Fact;
    const all = [...steps, { ...last, ...ended, recordedAt: `${last.recordedAt}z` } as LoanEvent];
    for (const [i, { type }] of all.entries()) {
      const { history, left, refused } = undoneAt(all, i + 1, last.recordedOn);
      expect([type, refused]).toEqual([type, type === 'created']);
      expect(fold(history, last.recordedOn)).toEqual(fold(left, last.recordedOn));
      if (!refused) expect(left).not.toContain(all[i]);
    }
  });

  everyLife('is the history without it: every fact, on twenty dates', (life, _, pick) => {
    const { events, today } = withOtherFacts(life, pick);
    const days = twentyDays(events, today);
    const folding = foldAll(events);
    const expectSame = (history: readonly LoanEvent[], without: readonly LoanEvent[]) => {
      const [is, should] = [foldOver(history, days, asText), foldOver(without, days, asText)];
      const differs = is.findIndex((text, i) => text !== should[i]);
      // Deep comparison only to show a difference: of whole loans it takes longer than folding them.
      if (differs >= 0) expect(JSON.parse(is[differs] ?? '')).toEqual(JSON.parse(should[differs] ?? ''));
    };
    for (const [i, event] of events.entries()) {
      const { history, left, refused } = undoneAt(events, i + 1, today, folding);
      expect([event.type, refused]).toEqual([event.type, MONEY.has(event.type)]);
      if (!refused) expectSame(history, left);
    }
  });

  everyLife('when it is undone in the middle, and the rest happens after it', (life, asOf, pick) => {
    const { events, today } = withOtherFacts(life, pick);
    for (let n = 0; n < 3; n++) {
      const at = (pick * 7 + n * 31) % events.length;
      const event = events[at] as LoanEvent;
      if (MONEY.has(event.type)) continue;
      const until = at + 1 + ((pick + n) % (events.length - at));
      const moment = events[until - 1] as LoanEvent;
      const { history, left } = undoneAt(events.slice(0, until), at + 1, moment.recordedOn);
      const later = events.slice(until);
      // Later events that rest on it could not have been recorded.
      if (later.some((one) => restsOn(one, event))) continue;
      let folding: Folding = foldAll(history);
      let known = history;
      for (const next of later) {
        known = [...known, next];
        folding = append(folding, [next]) ?? foldAll(known);
      }
      const without = [...left, ...later];
      for (const day of [asOf, today, addDays(today, pick)]) {
        const plain = fold(without, day);
        expect(fold(known, day)).toEqual(plain);
        expect(stateOn(folding, day) ?? plain).toEqual(plain);
      }
    }
  });

  everyLife('has the statement and the accounts of the history without it', (life, _, pick) => {
    const { events, today } = withOtherFacts(life, pick);
    const choices = events.flatMap(({ type }, i) => (MONEY.has(type) ? [] : [i]));
    const at = choices[(pick * 13) % choices.length] as number;
    // Recorded in a later month, so that earlier months are restated.
    const day = addDays(today, pick % 3 === 0 ? 0 : pick);
    const { history, left } = undoneAt(events, at + 1, day);
    const rows = (of: readonly LoanEvent[]) => statement(of, day).rows.map(({ event: _event, ...row }) => row);
    expect(rows(history)).toEqual(rows(left));
    const [is, should] = [linesOf(history, day), linesOf(left, day)];
    expect(sums(is)).toEqual(sums(should));
    // Every earlier month too, with the lines that restate it. Interest is in the lender's book as well.
    const [first] = history as [LoanEvent];
    for (let end = lastOfMonth(first.recordedOn); end < day; end = lastOfMonth(addDays(end, 1))) {
      const upTo = (lines: typeof is) =>
        sums(lines.filter(({ account, dateEffective }) => !OPEN_STRETCH.has(account) && dateEffective <= end));
      expect([end, upTo(is)]).toEqual([end, upTo(should)]);
    }
  });
});

everyLife(
  'a cancelled boarding leaves nothing on the books of any month, and undone it never was',
  (life, asOf, pick) => {
    const { events, today } = withOtherFacts(life, pick);
    const day = addDays(today, pick % 3 === 0 ? 0 : pick);
    const stamp = { date: day, recordedOn: day, recordedAt: `${day}T999999Z000` };
    const history: LoanEvent[] = [...events, { type: 'boardingCancelled', ...stamp }];
    expect(append(foldAll(events), history.slice(-1))).toBeNull();
    expect(fold(history, day)).toMatchObject({ stage: 'Cancelled', terms: null, principal: 0, credit: 0, fees: [] });
    const lines = linesOf(history, day);
    expect(sums(lines)).toEqual({});
    const [first] = history as [LoanEvent];
    for (let end = lastOfMonth(first.recordedOn); end < day; end = lastOfMonth(addDays(end, 1))) {
      const upTo = lines.filter(({ account, dateEffective }) => !OPEN_STRETCH.has(account) && dateEffective <= end);
      // Money moves from `cashClearing` to `cash` on the day it is acknowledged, whatever the day of its payment.
      const asCash = upTo.map((line) => (line.account === 'cashClearing' ? { ...line, account: 'cash' } : line));
      expect([end, sums(asCash)]).toEqual([end, {}]);
    }
    const undone = undoneAt(history, history.length, day);
    expect(undone.left).toEqual(events);
    for (const on of [asOf, day]) expect(fold(undone.history, on)).toEqual(fold(events, on));
    expect(sums(linesOf(undone.history, day))).toEqual(sums(linesOf(events, day)));
  },
);

/** Accounts of a loan that a rescission brings to zero. */
const VOID = [
  ...['loanPrincipal', 'accruedInterest', 'interestReceivable', 'interestIncome', 'feeReceivable', 'feeIncome'],
  ...['chargeOffExpense', 'smallBalanceExpense', 'recoveryIncome', 'deferredFees', 'deferredCosts', 'purchaseDiscount'],
];

everyLife('a rescission takes back all income and losses, and undone it never was', (life, asOf, pick) => {
  const { events, today } = withOtherFacts(life, pick);
  const first =
    events.find(({ type }) => type === 'opened') ?? (events.find(({ type }) => type === 'funded') as LoanEvent);
  const day = addDays(today, pick % 3 === 0 ? 0 : pick);
  const back = pick % 2 === 0 ? day : addDays(first.date, Math.floor((daysBetween(first.date, day) * (pick % 7)) / 7));
  const stamp = (n: number) => ({ recordedOn: day, recordedAt: `${day}T999999Z00${n}` });
  const rescinded: LoanEvent = { type: 'rescinded', date: back, ...stamp(0) };
  let history: LoanEvent[] = [...events, rescinded];
  const paid = {
    type: 'paymentSubmitted',
    refId: 'TENDER',
    amount: cents(500_00 + pick),
    purpose: 'principal',
  } as const;
  const refunded = { type: 'creditRefunded', refId: 'BACK', amount: cents(100_00) } as const;
  for (const more of [
    [],
    [{ ...paid, date: day, ...stamp(1) }],
    [{ ...refunded, date: day, ...stamp(2) }],
  ] as LoanEvent[][]) {
    const was = foldAll(history);
    history = [...history, ...more];
    const loan = fold(history, day);
    const continued = append(was, more);
    if (continued !== null) expect(stateOn(continued, day) ?? loan).toEqual(loan);
    const lines = linesOf(history, day);
    const held = sums(lines);
    expect(VOID.filter((account) => held[account] !== undefined)).toEqual([]);
    expect(Object.values(held).reduce((sum, amount) => sum + amount, 0)).toBe(0);
    const { before, toReturn, refunded: again, returned } = loan.rescission as NonNullable<Loan['rescission']>;
    // The reserve and costs that an owner paid are to be cleared, unless that owner sold the loan.
    const beside = before.boughtOn === null ? before.charges.reserve + before.charges.costs : 0;
    expect(held.rescissionReceivable ?? 0).toBe(beside + toReturn + again - returned);
    expect(held.borrowerCredits ?? 0).toBe(0 - loan.credit);
    // All money of the borrower is either a credit, or has come back; what went out and was not covered is to come back.
    expect(loan.totals.received - loan.totals.refunded).toBe(
      loan.credit + returned - again - Math.max(0, lentBefore(loan)),
    );
    expect(statement(history, day).rows.length).toBeGreaterThan(0);
  }
  const undone = undoneAt([...events, rescinded], events.length + 1, day);
  expect(undone.left).toEqual(events);
  for (const on of [asOf, day]) expect(fold(undone.history, on)).toEqual(fold(events, on));
  expect(sums(linesOf(undone.history, day))).toEqual(sums(linesOf(events, day)));
});

/** Refunds until the rescission that no money covers. */
function lentBefore({ rescission }: Loan): number {
  const { totals } = (rescission as NonNullable<Loan['rescission']>).before;
  return totals.refunded - totals.received;
}

/** Events that cannot be undone, from the specification. */
const MONEY: ReadonlySet<LoanEvent['type']> = new Set<LoanEvent['type']>([
  ...([
    'created',
    'funded',
    'opened',
    'disbursed',
    'creditRefunded',
    'smallBalanceWrittenOff',
    'dayEnded',
    'undone',
  ] as const),
  ...(['paymentSubmitted', 'paymentAcknowledged', 'paymentReturned', 'paymentReversed'] as const),
]);

const STEPS = ['documentsRequested', 'documentsVerified', 'underwritingStarted', 'approved'];
const LATER = [...STEPS.slice(1), 'rejected', 'collateralRequested', 'collateralApproved', 'funded'];

/** Whether a later event rests on one, from the specification. */
function restsOn(later: LoanEvent, event: LoanEvent): boolean {
  switch (event.type) {
    case 'feeAssessed':
      return later.type === 'feeWaived' && later.feeId === event.feeId;
    case 'chargedOff':
      return later.type === 'writtenDown';
    case 'defaulted':
      return later.type === 'accelerated';
    case 'holdPlaced':
      return later.type === 'holdReleased' && later.holdId === event.holdId;
    case 'extended':
    case 'reaged':
    case 'dueDateChanged':
      return later.type === 'dueDateChanged';
    default:
      return (STEPS.includes(event.type) || event.type.startsWith('collateral')) && LATER.includes(later.type);
  }
}

/**
 * A fact undone on a day, after whatever rests on it. `left` is the history without all of these; `refused`: it is money, or money rests
 * on it, so that it stays.
 */
function undoneAt(events: readonly LoanEvent[], sequence: number, today: PlainDate, folded: Folding = foldAll(events)) {
  let history = events;
  let folding = folded;
  const gone = new Set<number>();
  let moment = 0;
  const undo = (n: number): boolean => {
    moment += 1;
    // After every event, also those of the same day.
    const when = { today, at: `${today}T999999Z${String(moment).padStart(3, '0')}` };
    const answer = decide(
      { folding, events: history },
      { do: 'undo', sequence: n, reason: 'a mistake', chargeRetroactive: true },
      when,
    );
    if (answer === 'needs_events') throw new Error('The events were given.');
    if (!isRefusal(answer)) {
      expect(answer.events).toMatchObject([{ type: 'undone', sequence: n, date: today }]);
      history = [...history, ...answer.events];
      folding = answer.folding;
      gone.add(n);
      return true;
    }
    if (answer.refused !== 'depends') return false;
    const resting = events.flatMap((one, i) =>
      i >= n && !gone.has(i + 1) && restsOn(one, events[n - 1] as LoanEvent) ? [i + 1] : [],
    );
    expect(answer.facts?.transactions).toEqual(resting);
    return resting.reverse().every((one) => gone.has(one) || undo(one)) && undo(n);
  };
  const done = undo(sequence);
  const left = events.filter((_, i) => !gone.has(i + 1));
  const isMoney = MONEY.has((events[sequence - 1] as LoanEvent).type);
  // A step before the funding rests under money.
  if (!done && !isMoney) expect(events.slice(sequence).map(({ type }) => type)).toContain('funded');
  return { history, left, refused: !done && isMoney };
}

/** The facts that a plan does not have, each recorded right after another event: steps of the application, notes, the ends of days. */
function withOtherFacts({ events, today }: LivedLife, pick: number): { events: LoanEvent[]; today: PlainDate } {
  const funded = events.findIndex(({ type }) => type === 'funded');
  const afterFunding = events[funded + 1]?.type === 'opened' ? funded + 1 : funded;
  const after = (n: number) => afterFunding + (n % (events.length - afterFunding));
  const inserted: [at: number, fact: Fact][] = [
    [0, { type: 'documentsRequested' }],
    [0, { type: 'documentsVerified' }],
    [funded - 1, { type: 'collateralRequested' }],
    [funded - 1, { type: 'collateralApproved', value: cents(pick * 1_000) }],
    [funded - 1, { type: 'published', published: true }],
    [after(pick), { type: 'published', published: false }],
    [after(pick * 3), { type: 'repaymentInitiated' }],
    [after(pick * 5), { type: 'defaulted', ground: pick % 2 === 0 ? 'pastDue' : 'insurance' }],
    [after(pick * 13), { type: 'accelerated' }],
    [after(pick * 11), { type: 'reminderDue' }],
    [
      after(pick * 7),
      { type: 'dayEnded', lateFees: cents(0), bucket: null, nonAccrual: false, quotesExpired: [], holdsExpired: [] },
    ],
  ];
  const all = events.flatMap((event, i) => {
    const { recordedOn, recordedAt } = event;
    const more = inserted.filter(([at]) => at === i);
    return [
      event,
      ...more.map(
        ([, fact], n): LoanEvent => ({
          ...fact,
          date: recordedOn,
          recordedOn,
          recordedAt: `${recordedAt}${'x'.repeat(n + 1)}`,
        }),
      ),
    ];
  });
  return { events: all, today };
}

/** From the first day of the history to two months after its end. */
function twentyDays(events: readonly LoanEvent[], today: PlainDate): PlainDate[] {
  const first = events.reduce((least, { date }) => (date < least ? date : least), today);
  const span = daysBetween(first, today) + 60;
  return Array.from({ length: 20 }, (_, i) => addDays(first, Math.floor((span * i) / 19)));
}

/** A loan on one line, without what no event after the funding changes. */
function asText({ policy: _policy, terms: _terms, installments, stretches, payments, ...loan }: Loan): string {
  const lists = [installments, stretches, payments].map((list) => `[${list.map(partAsText).join()}]`);
  return `[${JSON.stringify(loan)},${lists.join()}]`;
}

/** Installments, stretches and payments are replaced and never changed, so most are the same objects on the next day. */
function partAsText(part: object): string {
  const known = partsAsText.get(part);
  if (known !== undefined) return known;
  const text = JSON.stringify(part);
  partsAsText.set(part, text);
  return text;
}
const partsAsText = new WeakMap<object, string>();

function linesOf(events: readonly LoanEvent[], through: PlainDate) {
  return [...journalOf(events).lines.flat(), ...unwrittenLines(events, through)];
}

/** The balance of each account by these lines, without zeros. */
function sums(lines: readonly { account: string; amount: number }[]): Record<string, number> {
  const held = new Map<string, number>();
  for (const { account, amount } of lines) held.set(account, (held.get(account) ?? 0) + amount);
  return Object.fromEntries([...held].filter(([, amount]) => amount !== 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const OPEN_STRETCH = new Set([
  'accruedInterest',
  'interestIncome',
  'deferredFees',
  'deferredCosts',
  'purchaseDiscount',
]);
