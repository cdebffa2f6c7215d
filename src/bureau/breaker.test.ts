import { expect, test } from 'vitest';
import { type Admission, newBreaker } from './breaker.ts';

/** Three failures open it for a second. */
function breakerAt() {
  const clock = { now: 0 };
  const breaker = newBreaker({ failures: 3, coolingMs: 1000 }, () => clock.now);
  const call = () => breaker.admit() as Admission;
  const fail = (times: number) => {
    for (let i = 0; i < times; i++) call().failed();
  };
  return { clock, breaker, call, fail };
}

test('consecutive failures open it, and no call is admitted while it is open', () => {
  const { clock, breaker, fail } = breakerAt();
  fail(2);
  expect(breaker.admit()).not.toBeNull();
  fail(1);
  expect(breaker.admit()).toBeNull();
  clock.now = 999;
  expect(breaker.admit()).toBeNull();
});

test('a success in between starts the count again', () => {
  const { breaker, call, fail } = breakerAt();
  fail(2);
  call().alive();
  fail(2);
  expect(breaker.admit()).not.toBeNull();
});

test('after a while one call probes, and the others are refused until it ends', () => {
  const { clock, breaker, call, fail } = breakerAt();
  fail(3);
  clock.now = 1000;
  const probe = call();
  expect(breaker.admit()).toBeNull();
  clock.now = 5000;
  expect(breaker.admit()).toBeNull();
  probe.alive();
  expect(breaker.admit()).not.toBeNull();
});

test('a probe that fails keeps it open for as long again', () => {
  const { clock, breaker, call, fail } = breakerAt();
  fail(3);
  clock.now = 1500;
  call().failed();
  clock.now = 2499;
  expect(breaker.admit()).toBeNull();
  clock.now = 2500;
  expect(breaker.admit()).not.toBeNull();
});

test('a call from before it opened that fails late does not keep it open longer, nor end the probe', () => {
  const { clock, breaker, call, fail } = breakerAt();
  const early = call();
  const alsoEarly = call();
  fail(3);
  clock.now = 900;
  early.failed();
  clock.now = 1000;
  const probe = call();
  expect(probe).not.toBeNull();
  alsoEarly.failed();
  expect(breaker.admit()).toBeNull();
  probe.alive();
  expect(breaker.admit()).not.toBeNull();
});

test('a call from before it opened that succeeds closes it', () => {
  const { breaker, call, fail } = breakerAt();
  const early = call();
  fail(3);
  early.alive();
  expect(breaker.admit()).not.toBeNull();
});
