/** The order of deliveries: by loan, whatever fails, against a simple model. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FeedEvent } from '../loans/feed/read.ts';
import { openBreaker } from './breaker.ts';
import { type Item, openLane } from './lane.ts';
import { signatureOf } from './signing.ts';
import { DAY, probeWait, retryAfter, waitAfter } from './waits.ts';

const event = (n: number, loanId: string): FeedEvent => ({
  ...{ id: `evt_${n}`, type: 'payment.submitted', loanId, transactionHash: null, sequence: n },
  ...{ dateEffective: null, recordedAt: new Date(n).toISOString(), subject: null },
});

describe('a lane', () => {
  test('sends everything, one event of a loan at a time and in order, and the cursor never passes what is neither settled nor stored', () => {
    const step = fc.record({
      outcome: fc.constantFrom('delivered', 'failed', 'dead'),
      pick: fc.nat(15),
      saves: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(fc.nat(4), { maxLength: 40 }), fc.array(step, { maxLength: 200 }), (loans, steps) => {
        const lane = openLane('', null, []);
        const events = loans.map((loan, i) => ({
          event: event(i + 1, `loan ${loan}`),
          preceding: i === 0 ? null : `evt_${i}`,
        }));
        lane.add(events, 'end', '');
        const settled = new Set<string>();
        const stored = new Set<string>();
        const got = new Map<string, number[]>();
        let flying: Item[] = [];
        let now = 1;
        const save = () => {
          const { cursor, save: rows, remove } = lane.changes(now, false);
          for (const {
            event: { id },
            deadAt,
          } of rows)
            if (deadAt === null) stored.add(id);
          for (const {
            event: { id },
          } of remove)
            stored.delete(id);
          const passed = cursor === null ? 0 : cursor === 'end' ? loans.length : Number(cursor.slice(4));
          for (const {
            event: { id },
          } of events.slice(0, passed))
            expect(settled.has(id) || stored.has(id)).toBe(true);
        };
        const advance = (outcome: string, pick: number) => {
          now += 1;
          for (let item = lane.next(now, false); item !== null; item = lane.next(now, false)) flying.push(item);
          expect(new Set(flying.map(({ event: { loanId } }) => loanId)).size).toBe(flying.length);
          const item = flying[pick % Math.max(flying.length, 1)];
          if (item === undefined) return;
          flying = flying.filter((other) => other !== item);
          if (outcome === 'failed') return lane.failed(item, now + 3, 1);
          const loan = item.event.loanId ?? '';
          got.set(loan, [...(got.get(loan) ?? []), item.event.sequence ?? 0]);
          settled.add(item.event.id);
          if (outcome === 'dead') lane.dead(item, now);
          else lane.delivered(item);
        };
        for (const { outcome, pick, saves } of steps) {
          advance(outcome, pick);
          if (saves) save();
        }
        for (let i = 0; i < 500 && !lane.isEmpty(); i++) advance('delivered', i);
        save();
        expect(settled.size).toBe(loans.length);
        for (const sequences of got.values()) expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
        expect(lane.changes(now, false).cursor).toBe('end');
        expect(lane.hasFailed()).toBe(false);
      }),
    );
  });

  test('while the endpoint is down the cursor stays', () => {
    const lane = openLane('', 'start', []);
    lane.add([{ event: event(1, 'a'), preceding: 'start' }], 'end', '');
    const item = lane.next(1, false) as Item;
    lane.failed(item, 100, 1);
    expect(lane.changes(2, true)).toEqual({ cursor: 'start', save: [], remove: [] });
    expect(lane.changes(2, false)).toMatchObject({ cursor: 'end', save: [{ attempts: 1 }] });
  });

  test('an attempt that takes long gets a row, so that the cursor goes on', () => {
    const lane = openLane('', 'start', []);
    lane.add([{ event: event(1, 'a'), preceding: 'start' }], 'end', '');
    const item = lane.next(1_000, false) as Item;
    expect(lane.changes(2_000, false)).toMatchObject({ cursor: 'start', save: [] });
    expect(lane.changes(4_000, false)).toMatchObject({ cursor: 'end', save: [{ attempts: 0 }] });
    lane.delivered(item);
    expect(lane.changes(4_001, false).remove).toHaveLength(1);
  });
});

describe('the breaker', () => {
  const fresh = { failures: 0, failingSince: null, heldUntil: null, isDown: false };

  test('failures of one loan do not stop the others', () => {
    const breaker = openBreaker(fresh, () => 0.5);
    for (let i = 0; i < 50; i++) breaker.failed(i, 'a', null);
    expect([breaker.isDown(), breaker.allows(100)]).toEqual([false, 'all']);
    breaker.failed(100, 'b', null);
    expect(breaker.isDown()).toBe(true);
  });

  test('is tried alone after a growing wait, and the first success opens everything', () => {
    const breaker = openBreaker(fresh, () => 1);
    for (let i = 0; i < 16; i++) breaker.failed(0, `loan ${i}`, null);
    expect(breaker.allows(4_999)).toEqual({ from: 5_000 });
    expect(breaker.allows(5_000)).toBe('one');
    breaker.failed(5_000, 'loan 1', null);
    expect(breaker.allows(5_001)).toEqual({ from: 15_000 });
    expect([breaker.succeeded(), breaker.allows(5_002), breaker.succeeded()]).toEqual([true, 'all', false]);
  });

  test('another process begins with a probe where it was down, and with everything where one loan alone failed', () => {
    const one = openBreaker(fresh, () => 1);
    for (let i = 0; i < 50; i++) one.failed(i, 'a', null);
    expect(openBreaker(one.state(), () => 1).allows(60)).toBe('all');
    one.failed(60, 'b', null);
    expect(openBreaker(one.state(), () => 1).allows(61)).toBe('one');
  });

  test('Retry-After holds everything, and a day of failing is hopeless', () => {
    const breaker = openBreaker(fresh, () => 1);
    breaker.failed(0, 'a', 60_000);
    expect(breaker.allows(59_999)).toEqual({ from: 60_000 });
    expect([breaker.isHopeless(DAY - 1), breaker.isHopeless(DAY)]).toEqual([false, true]);
    breaker.succeeded();
    expect(breaker.isHopeless(2 * DAY)).toBe(false);
  });
});

describe('waits', () => {
  test('the first is within five seconds, all together within a day, and they grow', () => {
    for (const random of [0, 0.5, 1]) {
      const waits = Array.from({ length: 10 }, (_, i) => waitAfter(i + 1, () => random) ?? 0);
      expect(waits[0]).toBeLessThanOrEqual(5_000);
      expect(waits[0]).toBeGreaterThanOrEqual(2_500);
      expect(waits).toEqual([...waits].sort((a, b) => a - b));
      const sum = waits.reduce((a, b) => a + b);
      expect(sum).toBeLessThan(DAY);
      expect(sum).toBeGreaterThan(0.75 * DAY);
    }
    expect(waitAfter(11, Math.random)).toBeNull();
    expect(probeWait(50, () => 1)).toBe(300_000);
  });

  test.each([
    ['120', 120_000],
    ['0', 0],
    ['9999999', DAY],
    ['99999999999999999999', DAY],
    ['1e3', null],
    ['3.5', null],
    ['', null],
    ['Thu, 99 Foo 2026 99:99:99 GMT', null],
    ['Thu, 15 Jan 2026 12:01:00 GMT', 60_000],
    ['Thu, 15 Jan 2026 11:00:00 GMT', 0],
    ['Thu, 15 Jan 2027 11:00:00 GMT', DAY],
    ['-1', null],
    ['soon', null],
    ['2026-01-16', null],
    [undefined, null],
  ])('Retry-After %s', (header, expected) => {
    expect(retryAfter(header, Date.UTC(2026, 0, 15, 12))).toBe(expected);
  });
});

test('the signature is that of the specification', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const signed = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
  expect(signatureOf([secret], signed)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  expect(signatureOf([secret, secret], signed).split(' ')).toHaveLength(2);
});
