/** Portfolio reports over HTTP: who sees what, as JSON and CSV, as reported and restated, and what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { granted } from '../support/granted.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
const REPORTS = ['summary', 'delinquency', 'roll-rates', 'vintages', 'cashflows', 'yield', 'prepayment'];

async function on(day: string, time = '12:00'): Promise<void> {
  service.clock.now = Date.parse(`${day}T${time}:00Z`);
  token = await service.token();
}

const ask = (path: string, headers: Record<string, string> = {}, as = token) =>
  service.call('GET', `/v2/chain/portfolio/${path}`, { token: as, headers });

async function done(path: string, body: object) {
  const answer = await service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body });
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

async function data(path: string, as = token) {
  const answer = await ask(path, {}, as);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}

async function repaying(more: object): Promise<string> {
  const { loanId } = await done('loans', { ...creation(), ...more });
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true });
  await done('initiate-repayment', { loanId });
  return loanId;
}

const night = (through: string) => service.loans.cycle.runCyclesThrough(service.organizationId, date(through));

const ids: Record<string, string> = {};

/**
 * Three loans of 12,000.00 at 9 % for twelve months, from 15 January: `pays` pays 1,049.42 on each due date, `late` nothing, and `ends` is paid
 * off on 20 March. On 10 April a payment of `late` is found that had arrived on 25 March.
 */
beforeAll(async () => {
  service = await testApp();
  await on('2026-01-15');
  for (const name of ['pays', 'late', 'ends']) {
    const parties =
      name === 'late' ? { lenderId: 'L-B', primaryServicerId: 'S-B' } : { lenderId: 'L-A', primaryServicerId: 'S-A' };
    ids[name] = await repaying(parties);
  }
  for (const [day, refId] of [
    ['2026-02-15', 'P-1'],
    ['2026-03-15', 'P-2'],
  ] as const) {
    await on(day);
    await done('loan-repay', { loanId: ids.pays, refId, amount: '1,049.42' });
    await done('acknowledge-repayment', { loanId: ids.pays, refId });
  }
  await on('2026-03-20');
  const { payoff } = (await service.call('GET', `/v2/chain/loans/${ids.ends}/payoff?date=2026-03-20`, { token })).body
    .data;
  await done('loan-repay', { loanId: ids.ends, refId: 'P-1', amount: payoff });
  await done('acknowledge-repayment', { loanId: ids.ends, refId: 'P-1' });
  await on('2026-04-01', '06:30');
  await night('2026-03-31');
  await on('2026-04-10');
  await done('loan-repay', {
    loanId: ids.late,
    refId: 'L-1',
    amount: '1,049.42',
    paymentDate: '2026-03-25',
    reason: 'Found in the lockbox',
  });
  await on('2026-04-12');
  await night('2026-04-11');
});
afterAll(() => service.close());

describe('the summary', () => {
  it('shows the book as reported, as known on a day, and restated', async () => {
    const asReported = await data('summary?asOf=2026-03-31&knownAt=asReported');
    expect(asReported).toMatchObject({ asOf: '2026-03-31', knownAt: 'asReported', by: null, slices: [] });
    // 12,000.00 less 957.70 and 957.53 or so of principal; the late one owes everything.
    expect(asReported.totals).toMatchObject({
      count: 2,
      original: '24,000',
      currentCount: 1,
      delinquentCount: 1,
      averageRate: '9',
    });
    const before = await data('summary?asOf=2026-03-31&knownAt=2026-04-09');
    expect(before).toMatchObject({ knownAt: '2026-04-09', totals: asReported.totals });
    const after = await data('summary?asOf=2026-03-31&knownAt=2026-04-10');
    const now = await data('summary?asOf=2026-03-31');
    expect(now).toMatchObject({ knownAt: null, totals: after.totals });
    expect(now.totals.pastDue30Count).toBe(0);
    expect(asReported.totals.pastDue30Count).toBe(1);
    const principal = (text: string) => Number(text.replaceAll(',', ''));
    expect(principal(asReported.totals.principal)).toBeGreaterThan(principal(now.totals.principal));
  });

  it('takes a time as the last day that was over by then', async () => {
    expect((await data('summary?asOf=2026-03-31&knownAt=2026-04-10T12:00:00Z')).knownAt).toBe('2026-04-09');
  });

  it('equals the loans today', async () => {
    const { totals } = await data('summary');
    const loans = await Promise.all(
      ['pays', 'late'].map(
        async (name) =>
          (
            await service.call('GET', `/v2/chain/loans/${ids[name]}/summary`, {
              token,
              headers: { prefer: 'numbers=plain' },
            })
          ).body.data,
      ),
    );
    const list = (
      await service.call('GET', '/v2/chain/loans?limit=10', { token, headers: { prefer: 'numbers=plain' } })
    ).body.data;
    const owed = list.items.reduce(
      (sum: number, { balance }: { balance: string }) => sum + Math.round(Number(balance) * 100),
      0,
    );
    expect(Math.round(Number(totals.principal.replaceAll(',', '')) * 100)).toBe(owed);
    expect(totals.count).toBe(loans.length);
  });

  it('is divided by lender, and the slices add up to the totals', async () => {
    const { totals, slices, by } = await data('summary?by=lender');
    expect(by).toBe('lender');
    expect(slices.map(({ slice, count }: { slice: string; count: number }) => [slice, count])).toEqual([
      ['L-A', 1],
      ['L-B', 1],
    ]);
    const cents = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100);
    for (const name of ['original', 'principal', 'interest', 'fees', 'pastDue30Principal']) {
      expect(slices.reduce((sum: number, slice: Record<string, string>) => sum + cents(slice[name] ?? ''), 0)).toBe(
        cents(totals[name]),
      );
    }
  });
});

describe('roll rates', () => {
  it('of the last two month ends follow each loan, as reported', async () => {
    const found = await data('roll-rates?knownAt=asReported');
    expect(found).toMatchObject({ from: '2026-02-28', to: '2026-03-31', knownAt: 'asReported' });
    expect(found.totals).toMatchObject([
      { from: 'current', to: 'current', count: 1, countRate: '100', principalRate: '100' },
      { from: '1-29', to: '30-59', count: 1, countRate: '50', principalTo: '12,000' },
      { from: '1-29', to: 'paidOff', count: 1, countRate: '50', principalTo: '0' },
    ]);
  });

  it('change with what is found later', async () => {
    const { totals } = await data('roll-rates?from=2026-02-28&to=2026-03-31');
    expect(totals.map(({ from, to }: Record<string, string>) => `${from} ${to}`)).toEqual([
      'current current',
      '1-29 1-29',
      '1-29 paidOff',
    ]);
  });

  it('end today, and begin before a loan entered the book', async () => {
    const { to, totals } = await data('roll-rates?from=2025-12-31&to=2026-04-12');
    expect(to).toBe('2026-04-12');
    expect(totals.map(({ from, count }: Record<string, unknown>) => [from, count])).toEqual([
      ['new', 1],
      ['new', 1],
    ]);
  });

  it('follow the servicer they are divided by', async () => {
    const { slices } = await data('roll-rates?by=servicer');
    expect(new Set(slices.map(({ slice }: { slice: string }) => slice))).toEqual(new Set(['S-A', 'S-B']));
  });
});

describe('every report', () => {
  it.each(REPORTS)('%s has the same cells as CSV', async (name) => {
    for (const query of ['by=lender', 'by=grade&knownAt=asReported', '']) {
      const path = `${name}?${name === 'roll-rates' ? '' : 'asOf=2026-03-31&'}${query}`;
      const json = (await ask(path, { prefer: 'numbers=plain' })).body.data;
      const answer = await ask(path, { accept: 'text/csv' });
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      const [head = '', ...lines] = answer.text.trimEnd().split('\r\n');
      const names = head.split(',');
      const rows = [json.totals].flat().concat(json.slices) as Record<string, unknown>[];
      expect(lines).toHaveLength(rows.length);
      for (const [i, line] of lines.entries()) {
        const cells = Object.fromEntries(line.split(',').map((cell, n) => [names[n], cell]));
        for (const [column, value] of Object.entries(rows[i] ?? {}))
          expect(cells[column], `${name} ${column}`).toBe(String(value ?? ''));
      }
    }
  });

  it.each(REPORTS)('%s is empty for an organization without loans, not an error', async (name) => {
    const { organizationId } = await service.access.createOrganization('Empty');
    const other = await tokenOf(organizationId);
    const { totals, slices } = await data(`${name}?by=lender`, other);
    expect(slices).toEqual([]);
    if (name === 'summary') expect(totals).toMatchObject({ count: 0, principal: '0', averageRate: null });
    else if (name === 'delinquency') expect(totals.every(({ count }: { count: number }) => count === 0)).toBe(true);
    else expect(totals).toEqual([]);
  });

  it.each(REPORTS)('%s revalidates by its ETag', async (name) => {
    const path = name === 'roll-rates' ? name : `${name}?asOf=2026-03-31`;
    const etag = (await ask(path)).headers.get('etag') ?? '';
    expect((await ask(path, { 'if-none-match': etag })).status).toBe(304);
  });

  it('needs the scope reports:read', async () => {
    const other = await service.token(['loans:read']);
    for (const name of REPORTS) expect((await ask(name, {}, other)).status).toBe(403);
  });
});

async function tokenOf(organizationId: string): Promise<string> {
  const { clientId, clientSecret } = await service.access.createClient(organizationId, {
    name: 'reader',
    scopes: ['reports:read', 'loans:read', 'loans:read_pii', 'admin'],
  });
  const answer = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  return answer.body.data.token ?? answer.body.data.accessToken;
}

describe('grants', () => {
  it('show a servicer the loans that it services, and nothing to anybody else', async () => {
    const { organizationId } = await service.access.createOrganization('Servicer');
    await granted(service.access, service.organizationId, {
      granteeOrganizationId: organizationId,
      access: 'read',
      servicerId: 'S-B',
    });
    const theirs = await tokenOf(organizationId);
    const own = await data('summary?asOf=2026-03-31&by=servicer');
    const seen = await data('summary?asOf=2026-03-31&by=servicer', theirs);
    expect(seen.slices).toEqual(own.slices.filter(({ slice }: { slice: string }) => slice === 'S-B'));
    expect(seen.totals.count).toBe(1);
    expect((await data('summary', theirs)).totals.count).toBe(1);
    expect((await data('roll-rates?from=2026-02-28&to=2026-03-31', theirs)).totals).toMatchObject([
      { from: '1-29', to: '1-29', count: 1 },
    ]);
    const { organizationId: nobody } = await service.access.createOrganization('Nobody');
    expect((await data('summary?asOf=2026-03-31', await tokenOf(nobody))).totals.count).toBe(0);
  });
});

describe('what is refused', () => {
  it.each([
    ['summary?asOf=2026-04-13', 'asOf', 'after today'],
    ['summary?asOf=2026-02-30', 'asOf', 'date'],
    ['summary?asOf=2026-03-31&knownAt=soon', 'knownAt', 'asReported'],
    ['summary?asOf=2026-03-31&knownAt=2026-03-30', 'knownAt', 'known'],
    ['summary?asOf=2026-03-31&knownAt=2026-04-13', 'knownAt', 'after today'],
    ['summary?knownAt=2026-04-11', 'knownAt', 'known'],
    ['roll-rates?from=2026-03-31&to=2026-02-28', 'from', 'before'],
    ['vintages?by=status', 'by', 'status'],
  ])('%s', async (path, member, detail) => {
    const { status, body } = await ask(path);
    expect([status, body.code]).toEqual([422, 'invalid_request']);
    expect(JSON.stringify(body)).toContain(member);
    expect(JSON.stringify(body)).toContain(detail);
  });

  it('an unknown parameter, and an unknown slice', async () => {
    expect((await ask('summary?until=2026-03-31')).status).toBe(422);
    expect((await ask('summary?by=colour')).status).toBe(422);
  });
});
