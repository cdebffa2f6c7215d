import { expect, test } from 'vitest';
import { addressBlock, type Guard, openGuard } from './guard.ts';

function setting(maxPairs?: number) {
  let now = 1_000_000;
  const guard = openGuard({ clock: () => now, ...(maxPairs ? { maxPairs } : {}) });
  return {
    guard,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const C = { clientId: 'c', exists: true, address: '192.0.2.1' };

/** Tries once; returns the wait in seconds when the attempt was not admitted. */
function attempt(
  guard: Guard,
  outcome: 'right' | 'wrong' | 'undecided',
  clientId = 'c',
  address = '192.0.2.1',
  exists = true,
): number {
  const begun = guard.begin({ clientId, exists, address });
  if ('retryAfterSeconds' in begun) return begun.retryAfterSeconds;
  begun.end(outcome);
  return 0;
}

test('ten failures are free, then each one doubles the wait up to fifteen minutes', () => {
  const { guard, pass } = setting();
  for (let i = 0; i < 10; i += 1) expect(attempt(guard, 'wrong')).toBe(0);
  const waits: number[] = [];
  for (let i = 0; i < 13; i += 1) {
    const wait = attempt(guard, 'right');
    waits.push(wait);
    pass(wait * 1_000 - 1);
    expect(attempt(guard, 'right'), 'a millisecond too early').toBe(1);
    pass(1);
    expect(attempt(guard, 'wrong')).toBe(0);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
});

test('success clears the count', () => {
  const { guard, pass } = setting();
  for (let i = 0; i < 9; i += 1) attempt(guard, 'wrong');
  expect(attempt(guard, 'right')).toBe(0);
  for (let i = 0; i < 10; i += 1) expect(attempt(guard, 'wrong')).toBe(0);
  expect(attempt(guard, 'right')).toBe(1);
  pass(1_000);
  expect(attempt(guard, 'right')).toBe(0);
  for (let i = 0; i < 10; i += 1) expect(attempt(guard, 'wrong')).toBe(0);
});

test('other clients and addresses are not locked out', () => {
  const { guard } = setting();
  for (let i = 0; i < 10; i += 1) attempt(guard, 'wrong');
  expect(attempt(guard, 'right')).toBe(1);
  expect(attempt(guard, 'right', 'c', '192.0.2.2')).toBe(0);
  expect(attempt(guard, 'right', 'other')).toBe(0);
});

test('attempts in progress count as failures until they succeed', () => {
  const { guard, pass } = setting();
  const begun = Array.from({ length: 50 }, () => guard.begin(C));
  const underWay = begun.flatMap((one) => ('end' in one ? [one] : []));
  expect(underWay).toHaveLength(10);
  for (const one of underWay) one.end('wrong');
  expect(attempt(guard, 'right')).toBe(1);
  // After the wait there is one attempt, not ten.
  pass(1_000);
  expect('end' in guard.begin(C)).toBe(true);
  expect('end' in guard.begin(C)).toBe(false);
});

test('an attempt that could not be made does not count, and ending twice counts once', () => {
  const { guard } = setting();
  for (let i = 0; i < 9; i += 1) attempt(guard, 'wrong');
  for (let i = 0; i < 20; i += 1) expect(attempt(guard, 'undecided')).toBe(0);
  const last = guard.begin(C);
  if ('end' in last) {
    last.end('right');
    last.end('wrong');
  }
  for (let i = 0; i < 10; i += 1) expect(attempt(guard, 'wrong')).toBe(0);
});

test('failures expire after a day', () => {
  const { guard, pass } = setting();
  for (let i = 0; i < 10; i += 1) attempt(guard, 'wrong');
  pass(24 * 3_600_000 + 1);
  for (let i = 0; i < 10; i += 1) expect(attempt(guard, 'wrong')).toBe(0);
});

test('its memory is bounded: the least recently used pair is dropped first', () => {
  const { guard } = setting(3);
  for (let i = 0; i < 10; i += 1) attempt(guard, 'wrong', 'a');
  attempt(guard, 'wrong', 'b');
  attempt(guard, 'wrong', 'c');
  expect(attempt(guard, 'right', 'a'), 'still known, and just used').toBe(1);
  attempt(guard, 'wrong', 'd');
  attempt(guard, 'wrong', 'e');
  expect(attempt(guard, 'right', 'a')).toBe(1);
  attempt(guard, 'wrong', 'f');
  attempt(guard, 'wrong', 'g');
  attempt(guard, 'wrong', 'h');
  expect(attempt(guard, 'right', 'a')).toBe(0);
});

test('invented ids wait the same way and never evict a real one', () => {
  const { guard } = setting(3);
  for (let i = 0; i < 10; i += 1) attempt(guard, 'wrong', 'a');
  for (let i = 0; i < 100; i += 1) attempt(guard, 'wrong', `invented ${i}`, '192.0.2.1', false);
  expect(attempt(guard, 'right', 'a')).toBe(1);
  for (let i = 0; i < 9; i += 1) attempt(guard, 'wrong', 'invented 99', '192.0.2.1', false);
  expect(attempt(guard, 'wrong', 'invented 99', '192.0.2.1', false)).toBe(1);
});

test('an IPv6 address stands for its /64, and a mapped IPv4 address for itself', () => {
  expect(addressBlock('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(addressBlock('2001:0DB8:0001:2::9')).toBe('2001:db8:1:2::/64');
  expect(addressBlock('2001:db8::1')).toBe('2001:db8:0:0::/64');
  expect(addressBlock('::1')).toBe('0:0:0:0::/64');
  expect(addressBlock('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  expect(addressBlock('::ffff:192.0.2.7')).toBe('192.0.2.7');
  expect(addressBlock('192.0.2.7')).toBe('192.0.2.7');
});

/** Two processes, and the exchange of their reports. */
function two() {
  const one = setting();
  const other = setting();
  const exchange = (ageMs = 0) => {
    for (const kind of ['real', 'invented'] as const) {
      const [ours, theirs] = [one.guard.tallies[kind], other.guard.tallies[kind]];
      const reports = [ours.takeUnreported(100), theirs.takeUnreported(100)];
      theirs.addReported(reports[0] ?? [], ageMs);
      ours.addReported(reports[1] ?? [], ageMs);
    }
  };
  const pass = (ms: number) => {
    for (const each of [one, other]) each.pass(ms);
  };
  return { one: one.guard, other: other.guard, exchange, pass };
}

test('guesses spread over two processes are stopped as in one', () => {
  for (const exists of [true, false]) {
    const { one, other, exchange, pass } = two();
    const guess = (guard: Guard) => attempt(guard, 'wrong', 'c', '192.0.2.1', exists);
    for (let i = 0; i < 5; i += 1) {
      expect([guess(one), guess(other)]).toEqual([0, 0]);
      exchange();
    }
    expect([one, other].map((guard) => attempt(guard, 'right', 'c', '192.0.2.1', exists))).toEqual([1, 1]);
    expect(attempt(other, 'right', 'another'), 'another client').toBe(0);
    const waits: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      const guard = i % 2 === 0 ? one : other;
      const wait = guess(guard);
      waits.push(wait);
      pass(wait * 1_000);
      expect(guess(guard)).toBe(0);
      exchange();
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32]);
  }
});

test('guesses sent to two processes at once lead to the next wait, not to the longest', () => {
  const { one, other, exchange } = two();
  for (let i = 0; i < 10; i += 1) expect([attempt(one, 'wrong'), attempt(other, 'wrong')]).toEqual([0, 0]);
  exchange(400);
  expect([attempt(one, 'right'), attempt(other, 'right')]).toEqual([2, 2]);
});

test('the wait counts from the failure, not from its report', () => {
  const { guard, pass } = setting();
  guard.tallies.real.addReported([['192.0.2.1\nc', 10]], 700);
  pass(299);
  expect(attempt(guard, 'right')).toBe(1);
  pass(1);
  expect(attempt(guard, 'right')).toBe(0);
});

test('success clears the count everywhere; a sign-in without earlier failures is not reported', () => {
  const { one, other, exchange } = two();
  for (let i = 0; i < 9; i += 1) attempt(one, 'wrong');
  exchange();
  attempt(other, 'right');
  exchange();
  for (let i = 0; i < 9; i += 1) expect(attempt(one, 'wrong')).toBe(0);
  exchange();
  expect([attempt(one, 'right'), attempt(other, 'right')]).toEqual([0, 0]);
  exchange();
  attempt(one, 'right');
  expect(one.tallies.real.takeUnreported(10)).toEqual([]);
});
