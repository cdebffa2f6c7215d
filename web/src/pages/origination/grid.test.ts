import { expect, test } from 'vitest';
import { DEMO_DEALS } from './demo-deals.ts';
import { type Deal, verdictOf } from './figures.ts';
import { bands, beside, layOut, moreDown, rowsOf, STEPS } from './grid.ts';

const deal = (n: number): Deal => DEMO_DEALS[n] as Deal;
const layout = () => layOut(DEMO_DEALS) ?? expect.unreachable();

test('sixty deals are five terms by four down payments by three rates, and the requested deal has its own row', () => {
  const { columns, groups, requested } = layout();
  expect(columns.map(({ term }) => term)).toEqual(['24', '36', '48', '60', '72']);
  expect(columns.filter((column) => column.requested).map(({ term }) => term)).toEqual(['60']);
  expect(groups.map(({ downPayment, rows }) => [downPayment, rows.length])).toEqual([
    ['1821.00', 3],
    ['2321.00', 3],
    ['2921.00', 3],
    ['4021.00', 3],
  ]);
  expect(groups.map((group) => group.requested)).toEqual([true, false, false, false]);
  expect(requested?.dealIndex).toBe(0);
});

test('every deal stands in the map once, under its term, and rates rise within a group', () => {
  const { columns, groups } = layout();
  const shown = rowsOf(layout())
    .flat()
    .filter((cell) => cell !== null);
  expect(shown.map(({ dealIndex }) => dealIndex).sort((a, b) => a - b)).toEqual(DEMO_DEALS.map((_, n) => n));
  for (const { downPayment, rows } of groups) {
    columns.forEach(({ term }, x) => {
      const column = rows.flatMap(({ cells }) => cells[x] ?? []);
      expect(column.every((one) => one.term === term && one.downPayment === downPayment)).toBe(true);
      const rates = column.map(({ apr }) => Number(apr));
      expect(rates).toEqual(rates.toSorted((a, b) => a - b));
    });
  }
});

test('rows are named by how far their rates are above the buy rate', () => {
  const labels = layout().groups.map(({ rows }) => rows.map(({ label }) => label));
  expect(labels[0]?.[0]).toBe('Buy rate');
  expect(labels[0]?.[1]).toMatch(/^\+\d\.\d\d( to \+\d\.\d\d)?$/);
});

test('a requested rate that is one of the levels stands in its place', () => {
  const others = DEMO_DEALS.filter(
    ({ term, downPayment, dealIndex }) => !(term === '60' && downPayment === '1821.00' && dealIndex === 1),
  );
  const { requested, groups, columns } = layOut(others) ?? expect.unreachable();
  expect(requested).toBeNull();
  const x = columns.findIndex(({ term }) => term === '60');
  expect(groups[0]?.rows.map(({ cells }) => cells[x]?.dealIndex).sort()).toEqual([0, 2, 3]);
});

test('a few deals, or deals that share neither term nor down payment, are no map', () => {
  expect(layOut([])).toBeNull();
  expect(layOut(DEMO_DEALS.slice(0, 3))).toBeNull();
  const scattered = [0, 16, 29, 41, 55].map((n, i) => ({ ...deal(n), downPayment: `${i}00.00` }));
  expect(layOut(scattered)).toBeNull();
});

test('bands are equal parts between the least and the greatest value', () => {
  const { bandOf, edges } = bands(DEMO_DEALS, 'payment');
  expect(edges).toHaveLength(STEPS + 1);
  const payments = DEMO_DEALS.map(({ monthlyPayment }) => Number(monthlyPayment));
  expect([edges[0], edges.at(-1)]).toEqual([Math.min(...payments), Math.max(...payments)]);
  const [least, most] = [Math.min(...payments), Math.max(...payments)].map(
    (value) => DEMO_DEALS[payments.indexOf(value)] as Deal,
  );
  expect([bandOf(least as Deal), bandOf(most as Deal)]).toEqual([0, STEPS - 1]);
  for (const one of DEMO_DEALS) {
    const n = bandOf(one) ?? -1;
    expect(Number(one.monthlyPayment)).toBeGreaterThanOrEqual((edges[n] as number) - 1e-9);
    expect(Number(one.monthlyPayment)).toBeLessThanOrEqual((edges[n + 1] as number) + 1e-9);
  }
});

test('a requested deal far from the others does not take their colours', () => {
  const far = DEMO_DEALS.map((one) => (one.dealIndex === 0 ? { ...one, apr: '29.99' } : one));
  const [requested] = far as [Deal];
  const rates = far.slice(1).map(({ apr }) => Number(apr));
  const { bandOf, edges } = bands(far, 'rate', requested);
  expect([edges[0], edges.at(-1)]).toEqual([Math.min(...rates), Math.max(...rates)]);
  expect(bandOf(requested)).toBe(STEPS - 1);
  expect(new Set(far.map(bandOf)).size).toBe(STEPS);
  expect(bandOf({ ...requested, apr: '0.5' })).toBe(0);
});

test('equal values have one band, and a figure that no deal has has none', () => {
  const same = DEMO_DEALS.map((one) => ({ ...one, monthlyPayment: '250.00' }));
  expect(bands(same, 'payment').edges).toEqual([250, 250]);
  expect(same.map(bands(same, 'payment').bandOf)).toEqual(same.map(() => 0));
  const none = DEMO_DEALS.map((one) => ({ ...one, monthlyPayment: '' }));
  expect(bands(none, 'payment').edges).toEqual([]);
  expect(bands(none, 'payment').bandOf(none[0] as Deal)).toBeNull();
});

test('arrow keys walk over gaps and stop at the edges', () => {
  const map = layout();
  const down = beside(map, 0, 'down');
  expect(deal(down)).toMatchObject({ term: '60', downPayment: '1821.00', apr: '9.98' });
  expect(beside(map, down, 'up')).toBe(0);
  // Beside the requested deal there is nothing in its row.
  expect([beside(map, 0, 'left'), beside(map, 0, 'right'), beside(map, 0, 'up')]).toEqual([0, 0, 0]);
  expect(deal(beside(map, down, 'home')).term).toBe('24');
  expect(deal(beside(map, down, 'end')).term).toBe('72');
  expect(deal(beside(map, down, 'left')).term).toBe('48');
  expect(beside(map, 999, 'left')).toBe(999);
});

test('every deal can be reached from the requested one with the arrow keys', () => {
  const map = layout();
  const seen = new Set([0]);
  for (const n of seen) {
    for (const direction of ['left', 'right', 'up', 'down'] as const) seen.add(beside(map, n, direction));
  }
  expect(seen.size).toBe(60);
});

test('beside a declined request, approved deals are counteroffers', () => {
  const verdicts = DEMO_DEALS.map((one) => verdictOf(one, deal(0)));
  expect(verdicts.filter((verdict) => verdict === 'counteroffer')).toHaveLength(16);
  expect(verdicts.filter((verdict) => verdict === 'declined')).toHaveLength(44);
  const approved = { ...deal(0), decision: 'APPROVED' };
  expect(verdictOf(deal(7), approved)).toBe('approved');
  expect(verdictOf({ ...deal(7), decision: '' }, approved)).toBe('none');
});

test('more down than requested, in cents', () => {
  expect(moreDown('2,921.00', '1821.00')).toBe(110_000n);
  expect(moreDown('1821', '1821.00')).toBeNull();
  expect(moreDown('', '1821.00')).toBeNull();
});
