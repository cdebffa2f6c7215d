import { expect, test } from 'vitest';
import { openSignInGuard, type SignInGuard } from './sign-in-guard.ts';

const secret = new Uint8Array(32).fill(7);
const open = () => {
  const clock = { now: 1_000_000 };
  return { clock, guard: openSignInGuard({ clock: () => clock.now, monotonic: () => clock.now, secret }) };
};
const account = (email: string, organizationId = 'org_a') => ({ organizationId, email, exists: true });

function fail(guard: SignInGuard, who: ReturnType<typeof account>, address: string): boolean {
  const attempt = guard.begin({ ...who, address });
  if ('retryAfterSeconds' in attempt) return false;
  attempt.end('wrong');
  return true;
}

/** As the usage reports do it. */
function report(from: SignInGuard, to: SignInGuard): void {
  for (const [name, tally] of Object.entries(from.tallies)) {
    to.tallies[name as keyof SignInGuard['tallies']].addReported(tally.takeUnreported(500), 0);
  }
}

test('the counts of a network and of an account hold over processes', () => {
  const [one, other] = [open(), open()];
  for (let i = 0; i < 30; i += 1) expect(fail(one.guard, account(`person${i}@x.example`), '10.0.0.1')).toBe(true);
  for (let i = 0; i < 10; i += 1) fail(one.guard, account('often@x.example'), '10.0.0.2');
  for (let i = 0; i < 5; i += 1)
    expect(one.guard.mailWait({ organizationId: 'org_a', email: 'a@x.example' })).toBeNull();
  report(one.guard, other.guard);
  expect(other.guard.waitOf('10.0.0.1')).toEqual({ retryAfterSeconds: 2 });
  expect(fail(other.guard, account('often@x.example'), '10.0.0.2')).toBe(false);
  expect(fail(other.guard, account('often@x.example', 'org_b'), '10.0.0.2'), 'another organization').toBe(true);
  expect(other.guard.mailWait({ organizationId: 'org_a', email: 'A@x.example ' })).toEqual({
    retryAfterSeconds: 3_600,
  });
});

test('a success clears the account at its network, and neither the network nor the account of others', () => {
  const { guard, clock } = open();
  for (let i = 0; i < 9; i += 1) {
    fail(guard, account('me@x.example'), '10.0.0.1');
    fail(guard, account('me@x.example', 'org_b'), '10.0.0.1');
  }
  const attempt = guard.begin({ ...account('me@x.example', 'org_b'), address: '10.0.0.1' });
  if ('retryAfterSeconds' in attempt) throw new Error('It should have been tried.');
  expect(attempt.end('right'), 'its own').toEqual({ cleared: 9 });
  expect(attempt.end('right'), 'once').toEqual({ cleared: 0 });
  expect(fail(guard, account('me@x.example'), '10.0.0.1'), 'the tenth of the other').toBe(true);
  expect(fail(guard, account('me@x.example'), '10.0.0.1')).toBe(false);
  for (let i = 0; i < 11; i += 1) expect(fail(guard, account(`new${i}@x.example`), '10.0.0.1')).toBe(true);
  expect(guard.waitOf('10.0.0.1'), 'thirty in all').not.toBeNull();
  clock.now += 2_000;
  expect(guard.waitOf('10.0.0.1'), 'one comes back every two seconds').toBeNull();
});

test('attempts under way count, and those that were not made do not', () => {
  const { guard } = open();
  const begun = Array.from({ length: 40 }, (_, i) =>
    guard.begin({ ...account(`p${i}@x.example`), address: '10.0.0.1' }),
  );
  expect(begun.filter((attempt) => 'end' in attempt)).toHaveLength(30);
  for (const attempt of begun) if ('end' in attempt) attempt.end('undecided');
  expect(guard.waitOf('10.0.0.1')).toBeNull();
});
