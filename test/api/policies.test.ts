/** Servicing policies over HTTP: recording versions, reading them as of a date, and what new and existing loans take from them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;

async function on(day: string): Promise<void> {
  service.clock.now = Date.parse(`${day}T12:00:00Z`);
  token = await service.token();
}

const ask = (method: string, path: string, more: { body?: object; headers?: Record<string, string> } = {}) =>
  service.call(method, `/v2/chain/${path}`, { token, key: service.credentials.apiKey, ...more });

async function done(path: string, body: object) {
  const answer = await ask('POST', path, { body });
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

async function data(path: string) {
  const answer = await ask('GET', path);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}

const policy = (from: string, values: object, more: object = {}) => ({
  policyId: 'standard',
  lenderId: null,
  from,
  values,
  ...more,
});

beforeAll(async () => {
  service = await testApp();
  await on('2026-01-15');
});
afterAll(() => service.close());

describe('policies', () => {
  it('are versions, each in force from its date on', async () => {
    const before = (await done('loans', creation())).loanId;
    expect(await data(`loans/${before}/policy`)).toMatchObject({ policyId: null, version: 0, from: null });
    const headers = { 'idempotency-key': 'policy-1' };
    const body = policy('2026-01-15', { payoffDays: 5, lateFee: { percent: 5, cap: '1,050.00' } });
    const first = await ask('POST', 'policies', { body, headers });
    expect(first.body.data).toMatchObject({
      policyId: 'standard',
      lenderId: null,
      version: 1,
      from: '2026-01-15',
      figuresFrom: '2026-01-16',
      values: { payoffDays: 5, lateFee: { flat: null, percent: '5', cap: '1,050', byState: {} }, satisfiedPercent: 90 },
    });
    const again = await ask('POST', 'policies', { body, headers });
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
    await done('policies', policy('2026-02-01', { payoffDays: 6 }));
    const { items, nextCursor } = await data('policies?limit=1');
    expect(items).toMatchObject([{ version: 2, from: '2026-02-01' }]);
    expect(await data(`policies?limit=1&cursor=${nextCursor}`)).toMatchObject({
      items: [{ version: 1 }],
      nextCursor: null,
    });
    expect(await data('policies/standard')).toMatchObject({ version: 1 });
    expect(await data('policies/standard?asOf=2026-02-01')).toMatchObject({ version: 2, values: { lateFee: null } });
    expect((await ask('GET', 'policies/standard?asOf=2026-01-14')).status).toBe(404);
    expect((await ask('GET', 'policies/none')).status).toBe(404);

    const after = (await done('loans', creation())).loanId;
    expect(await data(`loans/${before}/policy`)).toMatchObject({
      version: 1,
      values: { payoffDays: 5, lateFee: null },
    });
    expect(await data(`loans/${after}/policy?asOf=2026-02-01`)).toMatchObject({
      policyId: 'standard',
      version: 2,
      values: { payoffDays: 6, lateFee: { percent: '5', cap: '1,050' } },
    });
  });

  it('name every contradiction, and need the scope admin', async () => {
    const values = {
      lateFee: { flat: '10', percent: '5', byState: { PA: { percent: '5' } } },
      nonAccrualDays: 121,
      waterfall: ['due.fee'],
      approvals: { 'make-coffee': true },
    };
    const refused = await ask('POST', 'policies', { body: policy('2026-03-01', values) });
    expect(refused.status).toBe(422);
    expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
      '/values/approvals/make-coffee',
      '/values/lateFee/byState/PA/percent',
      '/values/lateFee/percent',
      '/values/nonAccrualDays',
      '/values/waterfall',
    ]);
    expect((await ask('POST', 'policies', { body: policy('2026-01-14', {}) })).body.errors).toMatchObject([
      { pointer: '/from' },
    ]);
    const another = await ask('POST', 'policies', { body: policy('2026-03-01', {}, { policyId: 'another' }) });
    expect([another.status, another.body.refusal]).toEqual([409, 'reference_conflict']);
    expect((await ask('POST', 'policies', { body: policy('2026-03-01', { graceDay: 5 }) })).status).toBe(422);
    const reader = await service.token(['loans:read']);
    const denied = await service.call('POST', '/v2/chain/policies', {
      token: reader,
      body: policy('2026-03-01', {}),
    });
    expect(denied.status).toBe(403);
    expect((await service.call('GET', '/v2/chain/policies', { token: reader })).status).toBe(200);
  });

  it('have a dry run over the whole book', async () => {
    const answer = await ask('POST', 'policies?dryRun=true', { body: policy('2026-03-01', { nonAccrualDays: 30 }) });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toMatchObject({
      dryRun: true,
      version: 3,
      impact: {
        through: '2026-03-31',
        complete: true,
        total: 0,
        loansChanged: 0,
        amountChanged: '0',
        values: { figures: ['nonAccrualDays'], newLoansOnly: [], limitsOnly: ['payoffDays'] },
      },
    });
    expect((await data('policies?limit=1')).items).toMatchObject([{ version: 2 }]);
    const mistaken = await ask('POST', 'policies?through=2026-04-01', { body: policy('2026-03-01', {}) });
    expect(mistaken.status).toBe(422);
  });

  it('decide what a new loan takes: by state, by lender, rounding, publication', async () => {
    await done(
      'policies',
      policy(
        '2026-01-15',
        {
          rounding: 'half-even',
          publish: true,
          documentsRequired: true,
          graceDays: 12,
          lateFee: { flat: '20', byState: { TX: { percent: '4', cap: '15', graceDays: 15 } } },
        },
        { policyId: 'texan', lenderId: 'L-TX' },
      ),
    );
    const made = async (state: string, more: object = {}) => {
      const Request = { ApplicantInfo: { ApplicantState: state } };
      const { loanId } = await done('loans', { ...creation({ lenderId: 'L-TX', Request }), ...more });
      const { values } = await data(`loans/${loanId}/policy`);
      return { loanId, values };
    };
    const { loanId, values } = await made('tx');
    expect(values).toMatchObject({ rounding: 'half-even', graceDays: 12, lateFee: { percent: '4', cap: '15' } });
    expect((await made('CA')).values.lateFee).toMatchObject({ flat: '20', byState: {} });
    expect((await made('TX', { lateFee: '7' })).values.lateFee).toMatchObject({ flat: '7' });
    expect((await made('TX', { lateFee: '0' })).values.lateFee).toBeNull();
    expect((await data(`loans/${loanId}/summary`)).published).toBe(true);
    const hidden = await made('TX', { published: false });
    expect((await data(`loans/${hidden.loanId}/summary`)).published).toBe(false);
    const started = await ask('POST', 'start-underwriting', { body: { loanId } });
    expect([started.status, started.body.refusal]).toEqual([409, 'documents_required']);
    // Nothing of the borrower's state is kept with the loan.
    const { items } = await data(`loans/${loanId}/transactions`);
    expect(items[0].body).not.toMatch(/TX"|follows|lateFeeByState/);
  });

  it('can cap the markup of a rate, in hundredths from 0 to 25 percentage points', async () => {
    const sent = (markupCap: unknown) =>
      ask('POST', 'policies', { body: policy('2026-05-01', { markupCap }, { policyId: 'capped', lenderId: 'L-CAP' }) });
    for (const wrong of [true, [], {}, '', 'two', '2,5', '2.505', 2.505, '25.01', 26, -1, '-0.01', '1e1']) {
      const { status, body } = await sent(wrong);
      expect([wrong, status, body.errors]).toMatchObject([wrong, 422, [{ pointer: '/values/markupCap' }]]);
    }
    for (const [given, shown] of [
      ['2.50', '2.5'],
      [0, '0'],
      [25, '25'],
      [1.75, '1.75'],
      [null, null],
    ] as const) {
      const { status, body } = await sent(given);
      expect([given, status, body.data?.values.markupCap]).toEqual([given, 200, shown]);
    }
    const { loanId } = await done('loans', creation({ lenderId: 'L-CAP' }));
    await sent('1.00');
    expect((await data(`loans/${loanId}/policy?asOf=2026-04-30`)).values.markupCap).toBeNull();
    expect((await data(`loans/${loanId}/policy?asOf=2026-05-01`)).values.markupCap).toBe('1');
    const { body } = await ask('POST', 'policies?dryRun=true', {
      body: policy('2026-05-01', { markupCap: '2' }, { policyId: 'capped', lenderId: 'L-CAP' }),
    });
    expect(body.data.impact).toMatchObject({
      loansChanged: 0,
      values: { figures: [], newLoansOnly: [], limitsOnly: ['markupCap'] },
    });
  });
});
