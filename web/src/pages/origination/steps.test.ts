import { expect, test } from 'vitest';
import { ageInDays, ageText, byStep, dayOf, daysLeft, inOrder, noticeBy, stages } from './steps.ts';

const NOON = Date.parse('2026-01-11T12:00:00Z');
const wire = (at: number) => at.toLocaleString('en-US');

test('a list says when an application arrived in another way than the record does', () => {
  expect(dayOf(new Date(NOON).toISOString())).toBe(dayOf(wire(NOON)));
});

test('age counts days of the calendar', () => {
  expect(ageInDays(wire(NOON), '2026-01-15')).toBe(4);
  expect(ageInDays(wire(Date.parse('2026-01-14T23:59:59Z')), '2026-01-15')).toBe(1);
  expect(ageInDays(wire(NOON), '2026-01-10')).toBe(0);
  expect([0, 1, 6].map(ageText)).toEqual(['today', '1 day', '6 days']);
  expect(dayOf(wire(NOON))).toBe('2026-01-11');
  expect(noticeBy(wire(NOON))).toBe('2026-02-10');
  expect([daysLeft('2026-02-10', '2026-01-15'), daysLeft('2026-01-14', '2026-01-15')]).toEqual([26, -1]);
});

test('the oldest application is first, and each step has its count', () => {
  const items = [
    { id: 'c', loanStatus: 'Approved', createdAt: wire(NOON) },
    { id: 'b', loanStatus: 'ApplicationSubmitted', createdAt: wire(NOON) },
    { id: 'a', loanStatus: 'Approved', createdAt: wire(NOON - 86_400_000) },
  ];
  expect(inOrder(items).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect([...byStep(items)]).toEqual([
    ['Approved', 2],
    ['ApplicationSubmitted', 1],
  ]);
});

test('the line of steps tells what was done, what is next and what was left out', () => {
  const of = (status: string, ...passed: string[]) => stages(status, new Set(passed)).map(({ state }) => state);
  expect(of('ApplicationSubmitted', 'created')).toEqual(['done', 'now', 'open', 'open', 'open', 'open']);
  expect(of('UnderwritingStarted', 'created', 'underwritingStarted')).toEqual([
    'done',
    'skipped',
    'done',
    'now',
    'open',
    'open',
  ]);
  expect(of('Rejected', 'documentsVerified', 'underwritingStarted', 'rejected')).toEqual([
    ...['done', 'done', 'done', 'done'],
    ...['open', 'open'],
  ]);
  expect(of('Rejected', 'underwritingStarted', 'rejected')).toEqual([
    ...['done', 'skipped', 'done', 'done'],
    ...['open', 'open'],
  ]);
  expect(of('Cancelled')).toEqual(['done', 'open', 'open', 'open', 'open', 'open']);
  expect(of('Current', 'underwritingStarted', 'approved').at(-1)).toBe('done');
});
