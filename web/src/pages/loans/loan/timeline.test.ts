import { describe, expect, it } from 'vitest';
import { type Fact, type Row, timelineOf } from './timeline.ts';

const fact = (type: string, date: string, more: Partial<Fact> = {}): Fact => ({
  version: 1,
  type,
  date,
  recordedAt: `${date}T09:00:00.000Z`,
  clientId: 'client_1',
  userId: null,
  transactionHash: `0x${type}${date}`,
  reference: null,
  amount: null,
  undoes: null,
  undoneBy: null,
  ground: null,
  decision: null,
  overrode: [],
  approvalId: null,
  approvedBy: null,
  operation: null,
  effect: [],
  disbursements: null,
  reasonGiven: false,
  reason: null,
  ...more,
});
const row = (kind: string, date: string, more: Partial<Row> = {}): Row => ({
  ...{ kind, date, reference: null, detail: '', amount: '0', purpose: null, method: null, code: null },
  allocation: { fees: '0', interest: '0', principal: '0', credit: '0' },
  ...more,
});

describe('the timeline in words', () => {
  it('tells a payment with its split, its method and when it cleared, on one line', () => {
    const allocation = { fees: '0', interest: '131.02', principal: '375.18', credit: '0' };
    const lines = timelineOf(
      [
        fact('paymentSubmitted', '2026-11-14', { reference: 'P-1', amount: '506.20' }),
        fact('paymentAcknowledged', '2026-11-16', { reference: 'P-1' }),
      ],
      [row('payment', '2026-11-14', { reference: 'P-1', amount: '506.20', method: 'ach', allocation })],
      [],
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      says: 'Payment 506.20 received by ACH',
      more: 'interest 131.02 · principal 375.18 · cleared Nov 16, 2026',
      explains: 'payment:P-1',
      undo: null,
    });
  });

  it('tells who or what decided on the application, and on which deal', () => {
    const decisions = [
      ['approved', { by: 'assessment', dealIndex: 0, assessment: 'APPROVED' }],
      ['approved', { by: 'officer', dealIndex: 7, assessment: 'DECLINED' }],
      ['rejected', { by: 'officer', dealIndex: 0, assessment: 'DECLINED' }],
      ['rejected', { by: 'officer', dealIndex: 0, assessment: null }],
    ] as const;
    const none = { reasonCode: null, overrode: null };
    const told = decisions.map(
      ([type, decision]) => timelineOf([fact(type, '2026-01-02', { decision: { ...decision, ...none } })], [], [])[0],
    );
    expect(told.map((line) => `${line?.says}: ${line?.more}`)).toEqual([
      'Approved: as assessed',
      'Approved: by a loan officer against the assessment · deal 7',
      'Rejected: by a loan officer, as assessed',
      'Rejected: by a loan officer',
    ]);
  });

  it('tells a late fee, which follows from the date, between the facts', () => {
    const lines = timelineOf(
      [fact('created', '2026-01-01'), fact('delinquencyNoted', '2026-11-20')],
      [row('fee', '2026-11-11', { reference: 'late-3', detail: 'late fee, installment 3', amount: '25' })],
      [],
    );
    expect(lines.map(({ says }) => says)).toEqual([
      'Delinquency noted',
      'Late fee 25.00 charged',
      'Application received',
    ]);
    expect(lines[1]).toMatchObject({ more: 'installment 3 was not paid in time', explains: 'fees', recordedAt: null });
  });

  it('does not tell a fee twice that somebody charged', () => {
    const lines = timelineOf(
      [fact('feeAssessed', '2026-11-11', { reference: 'F-1', amount: '80' })],
      [row('fee', '2026-11-11', { reference: 'F-1', detail: 'Title copy', amount: '80' })],
      [],
    );
    expect(lines.map(({ says }) => says)).toEqual(['Fee 80.00 charged: Title copy']);
  });

  it('offers an undo for what can be undone, and says what an undo took back', () => {
    const lines = timelineOf(
      [
        fact('holdPlaced', '2026-11-10', { reference: 'H-1', transactionHash: '0xa', undoneBy: '0xb' }),
        fact('undone', '2026-11-12', { transactionHash: '0xb', undoes: '0xa' }),
        fact('extended', '2026-11-13', { transactionHash: '0xc' }),
      ],
      [row('moved', '2026-11-13', { detail: 'next due 2026-12-15' })],
      [{ holdId: 'H-1', kind: 'dispute' }],
    );
    expect(lines.map(({ says, more, undo, undone }) => ({ says, more, undo, undone }))).toEqual([
      { says: 'Extended', more: 'next due Dec 15, 2026', undo: '0xc', undone: false },
      { says: 'Undone', more: 'Hold placed', undo: null, undone: false },
      { says: 'Hold placed: dispute', more: '', undo: null, undone: true },
    ]);
  });

  it('knows which scopes an undo takes: a step of the application also that of the step', () => {
    const scopes = (type: string, more: Partial<Fact> = {}) =>
      timelineOf([fact(type, '2026-11-10', more)], [], [])[0]?.undoScopes;
    expect(scopes('holdPlaced')).toEqual(['servicing:write']);
    expect(scopes('published')).toEqual(['servicing:write', 'loans:write']);
    expect(scopes('approved')).toEqual(['servicing:write', 'underwriting:write']);
    expect(scopes('extended', { overrode: ['extensions'] })).toEqual(['servicing:write', 'servicing:override']);
  });

  it('tells a request by what people call the operation, with its amount', () => {
    const [line] = timelineOf(
      [fact('approvalRequested', '2026-11-10', { operation: 'waive-fee', amount: '80' })],
      [],
      [],
    );
    expect(line?.says).toBe('Approval requested: waive a fee, 80.00');
  });

  it('keeps the order of recording within a day', () => {
    const lines = timelineOf([fact('created', '2026-01-01'), fact('published', '2026-01-01')], [], []);
    expect(lines.map(({ says }) => says)).toEqual(['Publication changed', 'Application received']);
  });

  it('has words for a fact that it does not know', () => {
    expect(timelineOf([fact('somethingNew', '2026-01-01')], [], [])[0]?.says).toBe('Something new');
  });
});
