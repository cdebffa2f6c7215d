import { expect, test } from 'vitest';
import { openSecretChecks, TooBusy } from './secret-checks.ts';
import { hashSecret } from './secrets.ts';

const monotonic = () => performance.now();

test('secrets are checked a few at a time, and beyond a bounded queue they are refused', async () => {
  const { verify, isFull } = openSecretChecks({ monotonic, limits: { running: 1, waiting: 1 } });
  const [first, second, third] = [verify('a', null, 'new'), verify('b', null, 'new'), verify('c', null, 'new')];
  await expect(third).rejects.toThrow(TooBusy);
  expect(isFull('new')).toBe(true);
  expect(isFull('proven')).toBe(false);
  expect(await first).toBe(false);
  expect(await second).toBe(false);
  expect(await verify('d', await hashSecret('d'), 'new'), 'there is room again').toBe(true);
});

test('the lanes take turns: a full lane delays a check of another lane by one of its own', async () => {
  const { verify, hash } = openSecretChecks({ monotonic, limits: { running: 1, waiting: 4 } });
  const order: string[] = [];
  const note = (what: string) => () => order.push(what);
  await Promise.all([
    ...['1', '2', '3', '4'].map((n) => verify(n, null, 'suspect').then(note(`suspect ${n}`))),
    verify('x', null, 'proven').then(note('proven')),
    verify('y', null, 'new').then(note('new')),
    hash('z').then(note('made')),
  ]);
  expect(order).toEqual(['suspect 1', 'proven', 'new', 'suspect 2', 'made', 'suspect 3', 'suspect 4']);
});

test('an imitation takes as long as a check took', async () => {
  let now = 0;
  const { verify, imitate } = openSecretChecks({ monotonic: () => now });
  const check = verify('a', null, 'new');
  now = 30;
  await check;
  const begun = performance.now();
  await imitate();
  expect(performance.now() - begun).toBeGreaterThanOrEqual(29);
});
