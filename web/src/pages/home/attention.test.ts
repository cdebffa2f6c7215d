import { describe, expect, it } from 'vitest';
import { countText, matters, noticeFacts } from './attention.ts';

const date = '2026-11-17';
const some = (count: number, exact = true) => ({ count, exact });
const words = (today: Parameters<typeof matters>[0]) => matters(today).map(({ tone, text }) => `${tone}: ${text}`);

describe('what needs doing', () => {
  it('begins with what is wrong, then what is late, then what waits', () => {
    const all = {
      date,
      tie: [
        { account: 'loanPrincipal', difference: '0.01' },
        { account: 'accruedInterest', difference: '0' },
      ],
      cycle: { daysBehind: 2, date: '2026-11-14', exceptions: 1, proposals: 3 },
      approvals: { waiting: 4, more: false, firstLapsesOn: '2026-11-24' },
      applications: { waiting: some(1), oldest: '2026-11-02' },
      late: { turned: some(12) },
      groundsGone: some(2),
    };
    expect(words(all)).toEqual([
      'bad: The books do not tie: 1 account differs from the loans.',
      'bad: The nightly cycle is 2 days behind.',
      'bad: 1 loan failed in the cycle of Nov 14, 2026.',
      'late: 3 loans are proposed for charge-off.',
      'late: 2 loans were charged off for days past due that are not found any more.',
      'late: 12 loans are newly late, 1 to 29 days past due.',
      'info: 4 approvals wait; the first lapses in 7 days.',
      'info: 1 application waits; the oldest since Nov 2, 2026.',
    ]);
  });

  it('puts an approval that lapses by tomorrow among what is late', () => {
    expect(words({ date, approvals: { waiting: 1, more: false, firstLapsesOn: '2026-11-18' } })).toEqual([
      'late: 1 approval waits; the first lapses tomorrow.',
    ]);
    expect(words({ date, approvals: { waiting: 100, more: true, firstLapsesOn: null } })).toEqual([
      'info: 100+ approvals wait.',
    ]);
  });

  it('has notices that are owed, in red once their day is past', () => {
    const items = (...days: number[]) => ({ items: days.map((daysLeft) => ({ daysLeft })), nextCursor: null });
    expect(words({ date, notices: noticeFacts(items(-3, 0, 7, 8)) })).toEqual([
      'bad: 1 application owes a notice that is overdue.',
    ]);
    expect(words({ date, notices: noticeFacts({ ...items(1, 7), nextCursor: 'x' }) })).toEqual([
      'late: 2+ applications owe a notice within a week.',
    ]);
    expect(words({ date, notices: noticeFacts(items(8, 29)) })).toEqual([]);
  });

  it('is nothing on a quiet day, and for who may see nothing', () => {
    const quiet = {
      date,
      tie: [{ account: 'loanPrincipal', difference: '0.00' }],
      cycle: { daysBehind: 0, date, exceptions: 0, proposals: 0 },
      approvals: { waiting: 0, more: false, firstLapsesOn: null },
      applications: { waiting: some(0), oldest: null },
      late: { turned: some(0) },
      groundsGone: some(0),
    };
    expect([matters(quiet), matters({ date })]).toEqual([[], []]);
  });

  it('leads to the charge-offs whose ground is gone', () => {
    expect(matters({ date, groundsGone: some(1) })).toEqual([
      {
        tone: 'late',
        word: 'Charge-off',
        text: '1 loan was charged off for days past due that are not found any more.',
        to: '/loans',
        search: { chargeOffGroundGone: 'true' },
      },
    ]);
  });

  it('says where a count is not exact', () => {
    expect(countText(some(10_000, false))).toBe('10,000+');
    expect(words({ date, late: { turned: some(10_000, false) } })).toEqual([
      'late: 10,000+ loans are newly late, 1 to 29 days past due.',
    ]);
  });
});
