import { describe, expect, test } from 'vitest';
import { contractOf, type Life, live, money } from '../../test/support/life.ts';
import { date } from './calendar.ts';
import { type Command, type Decision, mayServicerDo, recordedBy, scopesFor } from './decide/decide.ts';
import { DEFINITIONS, KINDS, type LoanEvent } from './event.ts';
import type { Loan } from './loan.ts';
import { percent } from './rate.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import { statement } from './statement.ts';
import { statusOf } from './status.ts';
import { eventsInForce } from './undo.ts';

const undo = (sequence: number, reason = 'a mistake'): Command => ({
  do: 'undo',
  sequence,
  reason,
  chargeRetroactive: true,
});
const fee = (feeId: string, amount = '25', day: string | null = null): Command => ({
  ...{ do: 'assess-fee', feeId, kind: 'fee', name: 'a fee', amount: money(amount) },
  date: day === null ? null : date(day),
});
const waive = (feeId: string): Command => ({ do: 'waive-fee', feeId, amount: null, reason: 'goodwill' });
const chargeOff: Command = { do: 'charge-off', date: null, reason: '120 days', collateral: money('3000') };

/** The position of the last event of a type. */
const last = ({ events }: Life, type: LoanEvent['type']) => events.findLastIndex((event) => event.type === type) + 1;
/** A loan without the moments at which its parts were recorded. */
const facts = (loan: Loan): unknown =>
  JSON.parse(JSON.stringify(loan, (key, one) => (key === 'recordedAt' ? null : one)));
const refused = (answer: Decision | Refusal): Refusal => {
  if (!isRefusal(answer)) throw new Error('It was not refused.');
  return answer;
};

describe('what can be undone', () => {
  const moneyOut = ['funded', 'opened', 'disbursed', 'creditRefunded'];
  const transfers = ['transferScheduled', 'transferAccepted', 'transferCancelled', 'transferred'];
  const payments = ['paymentSubmitted', 'paymentAcknowledged', 'paymentReturned', 'paymentReversed'];
  test('every fact but money, the creation, the boarding, a transfer, custom data, the end of a day, what the cycle writes off and an undo; those say what to do instead', () => {
    const sentences = Object.entries(KINDS).flatMap(([type, { undo }]) =>
      'refused' in undo ? [[type, undo.refused] as const] : [],
    );
    expect(sentences.map(([type]) => type).sort()).toEqual(
      [
        'created',
        'boarded',
        ...moneyOut,
        ...payments,
        ...transfers,
        'customDataUpdated',
        'dayEnded',
        'smallBalanceWrittenOff',
        'undone',
      ].sort(),
    );
    for (const [, sentence] of sentences) expect(sentence).toMatch(/cannot be undone.+[.]$/);
  });

  test('what rests on a fact is named by types that exist', () => {
    for (const { undo } of Object.values(KINDS)) {
      if (!('refused' in undo))
        expect(Object.keys(KINDS)).toEqual(expect.arrayContaining(Object.keys(undo.restedOnBy)));
    }
  });

  test('the owner alone undoes what the owner alone records, with the scope of that operation', () => {
    const owners = Object.entries(KINDS).flatMap(([type, { undo }]) =>
      'by' in undo && undo.by === 'owner' ? [`${type} ${undo.scope}`] : [],
    );
    expect(owners).toEqual([
      'documentsRequested loans:write',
      'documentsVerified loans:write',
      'underwritingStarted underwriting:write',
      'approved underwriting:write',
      'rejected underwriting:write',
      'collateralRequested loans:write',
      'collateralApproved loans:write',
      'stipulationUpdated underwriting:write',
      'cancelled loans:write',
      'boardingCancelled undefined',
      'published loans:write',
    ]);
    // As shown to callers; what decides are the operations that the event belongs to.
    for (const [type, { undo }] of Object.entries(DEFINITIONS)) {
      if ('refused' in undo) continue;
      const of = recordedBy(type as LoanEvent['type']);
      expect(of.every(mayServicerDo), type).toBe(undo.by === 'servicer');
      const scopes = of.map(scopesFor);
      if (undo.scope !== undefined) expect(scopes, type).toEqual([[undo.scope]]);
      else expect(scopes.flat(), type).toContain('servicing:write');
    }
  });

  test('a payment is refused with the operation to use', () => {
    const life = live().fund().pay('2026-02-01', '100', 'A');
    const answer = refused(life.ask('2026-02-02', undo(last(life, 'paymentSubmitted'))));
    expect(answer).toMatchObject({ refused: 'reference_conflict', member: 'transactionHash' });
    expect(answer.detail).toContain('reverse-repayment');
  });

  test('a reason is required, and a transaction that the loan has', () => {
    const life = live().fund();
    expect(refused(life.ask('2026-02-02', undo(2, ''))).refused).toBe('reason_required');
    for (const sequence of [0, 99]) {
      expect(refused(life.ask('2026-02-02', undo(sequence))).refused).toBe('unknown_reference');
    }
  });

  test('an approval of a counter-offer is refused: the record has its figures', () => {
    const life = live().create('2026-01-01');
    life.take('2026-01-01', { do: 'start-underwriting' });
    const deal = { amount: money('9000'), rate: '10', term: 12, payment: money('790'), decision: 'APPROVED' as const };
    const decided: Command = { do: 'complete-underwriting', approved: null, dealIndex: 0, reason: null };
    const onFile = { decision: null, deals: [deal, deal], opening: null };
    life.take('2026-01-01', { ...decided, dealIndex: 1 }, onFile);
    expect(refused(life.ask('2026-01-02', undo(3))).detail).toContain('counter-offer');
  });
});

describe('what rests on a fact must be undone first', () => {
  const rests = (life: Life, day: string, sequence: number) => {
    const { refused: code, facts } = refused(life.ask(day, undo(sequence)));
    expect(code).toBe('depends');
    return facts?.transactions;
  };

  test('a waiver rests on its fee, and on no other', () => {
    const life = live().fund();
    life.take('2026-01-10', fee('A'));
    life.take('2026-01-10', fee('B'));
    life.take('2026-01-11', waive('A'));
    const [a, b, waiver] = [5, 6, 7];
    expect(rests(life, '2026-01-12', a)).toEqual([waiver]);
    life.take('2026-01-12', undo(b));
    life.take('2026-01-12', undo(waiver));
    // A dependent that was undone is none.
    life.take('2026-01-12', undo(a));
    expect(life.loan('2026-01-12').fees).toEqual([]);
    // The reference is free again, and a second waiver rests on the second fee alone.
    life.take('2026-01-13', fee('A', '30'));
    life.take('2026-01-13', waive('A'));
    expect(rests(life, '2026-01-13', 11)).toEqual([12]);
    expect(life.take('2026-01-13', undo(a)).original).toBe(9);
  });

  test('a write-down rests on its charge-off', () => {
    const life = live().fund().pay('2026-02-01', '888.49', 'A');
    life.take('2026-07-01', chargeOff);
    life.take('2026-07-02', { do: 'write-down', amount: money('100'), reason: 'auction' });
    expect(rests(life, '2026-07-03', last(life, 'chargedOff'))).toEqual([last(life, 'writtenDown')]);
  });

  test('later steps and the funding rest on a step of the application', () => {
    const life = live().create('2026-01-01');
    life.take('2026-01-01', { do: 'request-documents' });
    life.take('2026-01-01', { do: 'verify-documents', complete: true });
    life.take('2026-01-01', { do: 'start-underwriting' });
    life.take('2026-01-01', { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
    life.take('2026-01-01', { do: 'publish', published: true });
    life.take('2026-01-01', { do: 'fund-loan', date: null, opening: null });
    expect(rests(life, '2026-01-02', 2)).toEqual([3, 4, 5, 7]);
    expect(rests(life, '2026-01-02', 5)).toEqual([7]);
    life.take('2026-01-02', undo(6));
    expect(life.loan('2026-01-02').published).toBe(false);
  });

  test('a change of due date rests on the moves before it, and they do not on it', () => {
    const life = live().fund();
    life.take('2026-01-10', { do: 'extend', periods: 1, date: null, reason: 'hardship', override: true });
    life.take('2026-01-11', { do: 'change-due-date', to: date('2026-03-15'), date: null, reason: 'hardship' });
    life.take('2026-01-12', { do: 'extend', periods: 1, date: null, reason: 'hardship', override: true });
    expect(rests(life, '2026-01-13', 5)).toEqual([6]);
    life.take('2026-01-13', undo(7));
    life.take('2026-01-13', undo(6));
    life.take('2026-01-13', undo(5));
    expect(life.loan('2026-01-13').installments[0]?.dueDate).toBe('2026-02-01');
  });

  test('money never rests on a fact: it is allocated again', () => {
    const life = live().fund();
    life.take('2026-01-10', fee('A', '100'));
    life.pay('2026-01-11', '100', 'P');
    expect(life.loan('2026-01-11').payments[0]?.allocation).toMatchObject({ fees: 6_667 });
    life.take('2026-01-12', undo(5));
    expect(life.loan('2026-01-12').payments[0]?.allocation).toMatchObject({ fees: 0 });
  });
});

describe('as if it had never been', () => {
  test('the same undo again answers the first one', () => {
    const life = live().fund();
    life.take('2026-01-10', fee('A'));
    life.take('2026-01-11', undo(5));
    expect(life.take('2026-01-12', undo(5))).toMatchObject({ events: [], repeated: true, original: 5 });
    expect(refused(life.ask('2026-01-12', undo(6))).detail).toContain('An undo cannot be undone');
  });

  test('an application that was rejected or cancelled by mistake goes on', () => {
    const life = live().create('2026-01-01');
    life.take('2026-01-01', { do: 'start-underwriting' });
    life.take('2026-01-01', { do: 'complete-underwriting', approved: false, dealIndex: 0, reason: null });
    const { loan, changes } = life.take('2026-01-02', undo(3));
    expect(statusOf(loan)).toBe('UnderwritingStarted');
    expect(changes).toEqual([{ date: '2026-01-02', what: 'status', before: 'Rejected', after: 'UnderwritingStarted' }]);
    life.take('2026-01-03', { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
    life.take('2026-01-03', { do: 'cancel', reason: null });
    expect(statusOf(life.take('2026-01-04', undo(6)).loan)).toBe('Approved');
    life.take('2026-01-04', { do: 'fund-loan', date: null, opening: null });
    expect(statusOf(life.loan('2026-01-04'))).toBe('Funded');
  });

  test('a charge-off no longer divides its day, and recoveries are payments again', () => {
    const plain = live().fund().pay('2026-02-01', '888.49', 'A');
    const life = live().fund().pay('2026-02-01', '888.49', 'A');
    life.take('2026-07-01', chargeOff);
    for (const one of [life, plain]) {
      one.pay('2026-07-01', '500', 'B');
      one.take('2026-07-01', fee('F'));
      one.pay('2026-08-01', '700', 'C');
    }
    expect(life.loan('2026-08-01').payments.map(({ recovery }) => recovery)).toEqual([false, true, true]);
    const { changes } = life.take('2026-08-20', undo(last(life, 'chargedOff')));
    expect(changes).toContainEqual({
      ...{ date: '2026-08-20', what: 'status' },
      ...{ before: 'ChargedOff', after: 'Delinquent' },
    });
    for (const day of ['2026-06-30', '2026-07-01', '2026-07-31', '2026-08-20']) {
      expect(facts(life.loan(day))).toEqual(facts(plain.loan(day)));
    }
    const rows = (of: Life) => statement(of.events, date('2026-08-20')).rows.map(({ event: _, ...row }) => row);
    expect(rows(life)).toEqual(rows(plain));
  });

  test('a loan that a settlement closed is open again, and the quote is gone', () => {
    const life = live(contractOf({ count: 1 })).fund();
    const settled: Command = {
      ...{ do: 'settle', quoteId: 'S', amount: money('5000'), goodThrough: date('2026-01-20'), reason: 'hardship' },
    };
    life.take('2026-01-10', settled);
    life.pay('2026-01-15', '5000', 'P');
    life.take('2026-01-16', { do: 'acknowledge-repayment', refId: 'P' });
    expect(statusOf(life.loan('2026-01-16'))).toBe('ClosedEarly');
    const { loan, changes } = life.take('2026-01-17', undo(last(life, 'payoffQuoted')));
    expect(statusOf(loan)).toBe('Current');
    expect(loan.quotes).toEqual([]);
    expect(changes?.map(({ what, before, after }) => [what, before, after])).toEqual([
      ['principal', 0, 504_667],
      ['interest', 0, 336],
      ['status', 'ClosedEarly', 'Current'],
      ['quote', 'honoured', null],
      ['closedBy', 'settlement', null],
      ['lienRelease', 'due', 'withdrawn'],
    ]);
  });

  test('each change of terms, default and note', () => {
    const commands: Command[] = [
      { do: 'change-rate', rate: percent('6'), date: null, why: 'modification', reason: 'hardship' },
      {
        ...{ do: 'change-rate', rate: percent('6'), date: null, why: 'scra', reason: 'active duty' },
        service: { from: date('2026-03-10'), to: null },
      },
      { do: 'extend', periods: 2, date: date('2026-05-01'), reason: 'hardship', override: true },
      { do: 'reage', date: null, reason: 'hardship', override: true },
      { do: 'reamortize', date: date('2026-06-20'), reason: 'lower payment' },
      { do: 'default', ground: 'pastDue', reason: 'skipped' },
      { do: 'accelerate', reason: 'default' },
      { do: 'delinquent' },
      { do: 'payment-reminders' },
    ];
    for (const command of commands) {
      const life = live().fund().pay('2026-02-01', '888.49', 'A');
      const before = ['2026-05-15', '2026-07-01', '2026-12-31'].map((day) => life.loan(day));
      const { loan } = life.take('2026-07-01', command);
      life.take('2026-07-02', undo(life.events.length));
      expect(['2026-05-15', '2026-07-01', '2026-12-31'].map((day) => life.loan(day))).toEqual(before);
      if (!['delinquent', 'payment-reminders'].includes(command.do)) expect(loan).not.toEqual(before[1]);
    }
  });

  test('one event of a write that recorded several: the return fee without its return', () => {
    const life = live(contractOf(), { returnFee: money('25') })
      .fund()
      .pay('2026-02-01', '888.49', 'A');
    life.take('2026-02-03', { do: 'return-repayment', refId: 'A', date: null, code: 'R01', reason: 'no funds' });
    life.take('2026-02-04', undo(last(life, 'feeAssessed')));
    const loan = life.loan('2026-02-04');
    expect(loan.fees).toEqual([]);
    expect(loan.payments[0]?.status).toBe('Returned');
  });

  test('repayment that was begun by mistake', () => {
    const life = live(contractOf({ contractDate: null, firstPaymentDate: null })).approve('2026-01-01');
    const initiate: Command = { do: 'initiate-repayment', date: null, opening: null };
    life.take('2026-01-02', initiate);
    life.take('2026-01-03', undo(last(life, 'repaymentInitiated')));
    expect(statusOf(life.loan('2026-01-03'))).toBe('Funded');
    // It can begin again, and a repeated call then names the event that is in force.
    life.take('2026-01-04', initiate);
    expect(life.take('2026-01-05', initiate)).toMatchObject({ repeated: true, original: 6 });
  });
});

test('events that nothing undid are given back as they are', () => {
  const { events } = live().fund();
  expect(eventsInForce(events)).toBe(events);
  expect(eventsInForce([])).toEqual([]);
});
