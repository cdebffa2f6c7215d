/** Holds over HTTP: placed and released, who sees what of them, what they refuse, and what the books show. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { addDays, date } from '../../src/core/calendar.ts';
import { HOLD_AREAS, HOLD_EFFECTS } from '../../src/core/hold-effects.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
});
beforeEach(() => on('2026-01-15'));
afterAll(() => service.close());

async function on(day: string): Promise<void> {
  service.clock.now = Date.parse(`${day}T12:00:00Z`);
  token = await service.token();
}

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Answered> =>
  service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body, headers });

async function done(path: string, body: object, headers: Record<string, string> = {}) {
  const answer = await post(path, body, headers);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

/** Without the key unless asked for: then personal data is shown. */
async function data(path: string, key = false) {
  const keyed = key ? { key: service.credentials.apiKey } : {};
  const answer = await service.call('GET', `/v2/chain/${path}`, { token, ...keyed });
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}

/** 12,000.00 at 9 % in twelve months from 15 January 2026, with a late fee of 25.00 after ten days. */
async function repaying(): Promise<string> {
  const { loanId } = await done('loans', creation({ lateFee: '25' }));
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true });
  await done('initiate-repayment', { loanId });
  return loanId;
}

const DETAILS = {
  chapter: 13,
  filed: '2026-02-20',
  caseNumber: '26-10234-XYZ',
  court: 'Bankr. D. Del.',
  attorney: 'Amelia Counsel, 1 Court Sq',
};

test('a hold is placed, shown, refuses what it forbids, and is released', async () => {
  const loanId = await repaying();
  await on('2026-03-10');
  const placed = await done('place-hold', {
    loanId,
    kind: 'bankruptcy',
    from: '2026-02-20',
    holdId: 'BK-1',
    details: DETAILS,
    reason: 'Notice for Quentin Borrower',
  });
  expect(placed.data).toMatchObject({
    holdId: 'BK-1',
    kind: 'bankruptcy',
    from: '2026-02-20',
    to: null,
    releasedOn: null,
  });
  // The installment of 15 February is judged on the 26th: its late fee is taken back.
  const fees = placed.data.changes.filter(({ what }: { what: string }) => what === 'lateFee');
  expect(fees).toEqual([{ date: '2026-02-26', what: 'lateFee', before: '25', after: '0' }]);
  expect((await data(`loans/${loanId}/payoff`)).fees).toBe('0');

  const reminded = await post('payment-reminders', { loanId });
  expect(reminded.status).toBe(409);
  expect(reminded.body).toMatchObject({
    code: 'on_hold',
    refusal: 'on_hold',
    retryable: true,
    holds: [{ holdId: 'BK-1', kind: 'bankruptcy' }],
  });
  expect(reminded.body.detail).toContain('11 USC 362(a)(6)');
  expect((await post('payment-reminders?dryRun=true', { loanId })).status).toBe(409);
  await done('loan-repay', { loanId, amount: '100', refId: 'P-1' });

  expect((await data(`loans/${loanId}/summary`)).holds).toEqual([
    { holdId: 'BK-1', kind: 'bankruptcy', from: '2026-02-20', to: null },
  ]);
  const [held] = (await data(`loans/${loanId}/holds`)).items;
  expect(held).toMatchObject({
    standing: 'inForce',
    chapter: 13,
    filed: '2026-02-20',
    discharged: null,
    reaffirmed: false,
    detailsGiven: true,
    details: null,
    reason: null,
  });
  expect(held.effects).toContainEqual({ area: 'autopay', effect: 'forbidden', basis: '11 USC 362(a)(6)' });
  expect((await data(`loans/${loanId}/holds?asOf=2026-02-19`)).items).toEqual([]);

  await done('release-hold', { loanId, holdId: 'BK-1', date: '2026-03-05', reason: 'Dismissed' });
  expect((await data(`loans/${loanId}/holds`)).items[0]).toMatchObject({
    standing: 'released',
    releasedOn: '2026-03-05',
    effects: [],
  });
  expect((await data(`loans/${loanId}/holds?asOf=2026-03-04`)).items[0]).toMatchObject({ standing: 'inForce' });
  await done('payment-reminders', { loanId });
});

test('details and reasons are shown with the scope and the key, and each look is entered', async () => {
  const loanId = await repaying();
  await on('2026-02-25');
  await done('place-hold', {
    loanId,
    kind: 'bankruptcy',
    from: '2026-02-20',
    details: DETAILS,
    reason: 'Letter of the court',
  });
  const { caseNumber, court, attorney } = DETAILS;
  const [shown] = (await data(`loans/${loanId}/holds`, true)).items;
  expect(shown).toMatchObject({ details: { caseNumber, court, attorney }, reason: 'Letter of the court' });
  const { items, reasons } = await data(`loans/${loanId}/disclosures`, true);
  expect(items.map(({ what }: { what: string }) => what)).toEqual(['disclosures', 'holds']);
  expect(reasons.map(({ reason }: { reason: string }) => reason)).toContain('Letter of the court');
  const facts = (await data(`loans/${loanId}/timeline`, true)).items;
  expect(facts.at(-1)).toMatchObject({ type: 'holdPlaced', reference: shown.holdId, reason: 'Letter of the court' });
  // Neither the ledger nor the log has them.
  const ledger = JSON.stringify(await data(`loans/${loanId}/transactions`));
  for (const text of [caseNumber, attorney, 'Letter of the court']) {
    expect(ledger).not.toContain(text);
    expect(service.logged.join('\n')).not.toContain(text);
  }
  // Two different representations: the one without details is not the other's copy.
  const etag = async (keyed: object) =>
    (await service.call('GET', `/v2/chain/loans/${loanId}/holds`, { token, ...keyed })).headers.get('etag');
  expect(await etag({})).not.toBe(await etag({ key: service.credentials.apiKey }));
});

test('repeated calls', async () => {
  const loanId = await repaying();
  const body = { loanId, kind: 'dispute', reason: 'Direct dispute' };
  const first = await done('place-hold', body, { 'idempotency-key': 'hold-once' });
  const second = await post('place-hold', body, { 'idempotency-key': 'hold-once' });
  expect(second.text).toBe(JSON.stringify(first));
  const { holdId } = first.data;
  expect(await done('place-hold', { ...body, holdId })).toMatchObject({ transactionHash: first.transactionHash });
  const other = await post('place-hold', { ...body, holdId: 'another' });
  expect(other).toMatchObject({ status: 409, body: { code: 'on_hold', holds: [{ holdId, kind: 'dispute' }] } });
  const released = await done('release-hold', { loanId, holdId, reason: 'Answered' });
  expect(await done('release-hold', { loanId, holdId, reason: 'Answered' })).toEqual(released);
  expect((await data(`loans/${loanId}/holds`)).items).toHaveLength(1);
});

test('what is wrong is named', async () => {
  const loanId = await repaying();
  const wrong = async (body: object, path = 'place-hold') => {
    const { status, body: problem } = await post(path, { loanId, reason: 'told', ...body });
    return `${status} ${problem.errors?.[0]?.pointer ?? ''}`;
  };
  expect(await wrong({ kind: 'bankrupt' })).toBe('422 /kind');
  expect(await wrong({ kind: 'fraud', reason: '' })).toBe('422 /reason');
  expect(await wrong({ kind: 'fraud', from: '2026-01-16' })).toBe('422 /from');
  expect(await wrong({ kind: 'fraud', from: '2026-02-30' })).toBe('422 /from');
  expect(await wrong({ kind: 'fraud', to: '2026-01-14' })).toBe('422 /to');
  expect(await wrong({ kind: 'fraud', holdId: '666-00-0001' })).toBe('422 /holdId');
  expect(await wrong({ kind: 'fraud', details: { chapter: 7 } })).toBe('422 /details');
  expect(await wrong({ kind: 'fraud', details: { note: 'x'.repeat(2_001) } })).toBe('422 /details/note');
  expect(await wrong({ kind: 'fraud', details: { person: 'A' } })).toBe('422 /details/person');
  expect(await wrong({ kind: 'bankruptcy' })).toBe('422 /details');
  expect(await wrong({ kind: 'bankruptcy', details: { filed: '2026-01-01' } })).toBe('422 /details/chapter');
  expect(await wrong({ kind: 'bankruptcy', details: { chapter: 9 } })).toBe('422 /details/chapter');
  expect(await wrong({ kind: 'bankruptcy', details: { chapter: 7, filed: 'soon' } })).toBe('422 /details/filed');
  expect(await wrong({ holdId: 'none' }, 'release-hold')).toBe('404 /holdId');
});

test('before funding only holds that stop it, which then do', async () => {
  const { loanId } = await done('loans', creation());
  expect(await post('place-hold', { loanId, kind: 'disaster', reason: 'Flood' })).toMatchObject({
    status: 409,
    body: { refusal: 'wrong_status' },
  });
  await done('place-hold', { loanId, kind: 'fraud', holdId: 'F-1', reason: 'Stolen identity' });
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true });
  for (const path of ['fund-loan', 'initiate-repayment']) {
    const refused = await post(path, { loanId });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'on_hold', holds: [{ holdId: 'F-1', kind: 'fraud' }] },
    });
  }
  await done('release-hold', { loanId, holdId: 'F-1', reason: 'Cleared' });
  await done('fund-loan', { loanId });
});

test('the table of effects', async () => {
  const { areas, effects, holds } = await data('holds/effects');
  expect(areas.map(({ area }: { area: string }) => area)).toEqual(Object.keys(HOLD_AREAS));
  expect(areas.find(({ area }: { area: string }) => area === 'notices').operations).toContain('payment-reminders');
  expect(holds).toHaveLength(HOLD_EFFECTS.length);
  const known = new Set(effects.map(({ effect }: { effect: string }) => effect));
  for (const hold of holds) for (const { effect } of hold.effects) expect(known).toContain(effect);
});

slowTest('the books tie on every day, and everything can be reproduced', async () => {
  const loanId = await repaying();
  const steps: [day: string, path: string, body: object][] = [
    [
      '2026-03-05',
      'place-hold',
      { kind: 'disaster', holdId: 'D', from: '2026-02-20', to: '2026-04-10', reason: 'Flood' },
    ],
    ['2026-05-02', 'place-hold', { kind: 'fraud', holdId: 'F', reason: 'Report' }],
    ['2026-06-20', 'release-hold', { holdId: 'F', date: '2026-05-20', reason: 'Not so' }],
  ];
  for (const [day, path, body] of steps) {
    await on(day);
    await service.loans.cycle.runCyclesThrough(service.organizationId, addDays(date(day), -1));
    await done(path, { loanId, ...body });
  }
  for (const day of ['2026-02-26', '2026-03-05', '2026-04-11', '2026-05-26', '2026-06-20']) {
    const { accounts } = await data(`ledger/tie-out?asOf=${day}`);
    for (const { difference } of accounts) expect(difference).toBe('0');
  }
  const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: '07'.repeat(32) }), masterKeyId);
  const { complaints } = await verifyBook({ db: service.db, masterKeys });
  expect(complaints).toEqual([]);
});
