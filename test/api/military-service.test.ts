/** Military service over HTTP: reported late, corrected, ended by itself; the books tie on every day. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  await on('2026-01-15');
});
afterAll(() => service.close());

async function on(day: string): Promise<void> {
  service.clock.now = Date.parse(`${day}T12:00:00Z`);
  token = await service.token();
}

const ask = (method: string, path: string, body?: object) =>
  service.call(method, `/v2/chain/${path}`, {
    ...{ token, key: service.credentials.apiKey },
    ...(body === undefined ? {} : { body }),
  });

async function done(path: string, body: object) {
  const answer = await ask('POST', path, body);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

async function data(path: string) {
  const answer = await ask('GET', path);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}

/** 12,000 at 9 % in twelve months from today on, with late fees. */
async function repaying(more: object = {}): Promise<string> {
  const { loanId } = await done('loans', creation({ lateFee: '25', ...more }));
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true });
  await done('initiate-repayment', { loanId });
  return loanId;
}

const report = { interestRate: '6', why: 'scra', reason: 'Orders' };

async function tied(day: string): Promise<void> {
  const { accounts } = await data(`ledger/tie-out?asOf=${day}`);
  const open = accounts.filter(({ difference }: { difference: string }) => difference !== '0');
  expect(open, day).toEqual([]);
}

describe('a loan whose borrower is called to service', () => {
  it('an end to come takes effect without a call, in the books too', async () => {
    const loanId = await repaying();
    await on('2026-01-19');
    await done('change-rate', { loanId, ...report, serviceFrom: '2026-01-18', serviceTo: '2026-01-22' });
    const perDiem = async (day: string) => (await data(`loans/${loanId}/payoff?date=${day}`)).perDiem;
    expect([await perDiem('2026-01-22'), await perDiem('2026-01-23')]).toEqual(['1.97', '2.96']);
    await on('2026-01-26');
    await tied('2026-01-23');
    await service.loans.cycle.runCyclesThrough(service.organizationId, date('2026-01-25'));
    for (const day of ['2026-01-22', '2026-01-23']) await tied(day);
    const { items } = await data(`loans/${loanId}/timeline`);
    expect(items.at(-1)).toMatchObject({ type: 'dayEnded', clientId: 'service' });
  });

  it('falls to 6 % from the first day, without fees, and returns to its rate the day after the last', async () => {
    const loanId = await repaying({ originationDate: '2026-01-15', firstPaymentDate: '2026-02-15' });
    const agreed = (await data(`loans/${loanId}/schedule`)).installments;
    await on('2026-03-30');
    expect((await data(`loans/${loanId}/explain/fees`)).amount).toBe('50');

    const preview = await done('change-rate?dryRun=true', {
      ...{ loanId, ...report, serviceFrom: '2026-02-15', serviceTo: null },
    });
    const first = await done('change-rate', { loanId, ...report, serviceFrom: '2026-02-15', serviceTo: null });
    expect(preview.data.changes).toEqual(first.data.changes);
    expect(first.data.changes).toEqual(
      expect.arrayContaining([
        { date: '2026-03-30', what: 'fees', before: '50', after: '0' },
        { date: '2026-02-26', what: 'lateFee', before: '25', after: '0' },
      ]),
    );
    expect(
      (await done('change-rate', { loanId, ...report, serviceFrom: '2026-02-15', serviceTo: null })).transactionHash,
    ).toBe(first.transactionHash);
    const fee = await ask('POST', 'assess-fee', { loanId, feeId: 'F', name: 'Copy', amount: '1' });
    expect(fee.status).toBe(409);
    expect(fee.body).toMatchObject({ refusal: 'scra_limit', room: '0' });

    // The end is reported after it has passed.
    await on('2026-06-20');
    await done('change-rate', { loanId, ...report, serviceFrom: '2026-02-15', serviceTo: '2026-05-31' });
    const { installments } = await data(`loans/${loanId}/schedule`);
    const amounts = (rows: { amount: string }[]) => rows.map(({ amount }) => amount);
    expect(amounts(installments).slice(6, 11)).toEqual(amounts(agreed).slice(6, 11));
    expect(amounts(installments)[0]).toBe(amounts(agreed)[0]);
    for (const n of [1, 2, 3, 4]) expect(amounts(installments)[n]).not.toBe(amounts(agreed)[n]);
    const summary = await data(`loans/${loanId}/summary`);
    expect(summary.militaryService).toEqual([
      {
        ...{ serviceFrom: '2026-02-15', serviceTo: '2026-05-31', interestRate: '6', inEffect: false },
        ...{ interestForgiven: '104.54', feesForgiven: '100' },
      },
    ]);
    expect((await data(`loans/${loanId}/summary?asOf=2026-05-31`)).militaryService[0].inEffect).toBe(true);
    const { rows } = await data(`loans/${loanId}/history`);
    const rates = rows.filter(({ kind }: { kind: string }) => kind === 'rate');
    expect(rates.map((row: { date: string; detail: string }) => [row.date, row.detail])).toEqual([
      ['2026-02-15', '6 % (SCRA)'],
      ['2026-06-01', '9 % (end of service)'],
    ]);
    for (const day of ['2026-06-01', '2026-06-20']) await tied(day);
  });

  it.each([
    ['no first day', { serviceTo: null }, '/serviceFrom'],
    ['no end and no null', { serviceFrom: '2026-07-05' }, '/serviceTo'],
    ['a date beside it', { serviceFrom: '2026-07-05', serviceTo: null, date: '2026-07-05' }, '/date'],
    ['the end before the beginning', { serviceFrom: '2026-07-05', serviceTo: '2026-07-04' }, '/serviceTo'],
    ['a first day to come', { serviceFrom: '2027-07-05', serviceTo: null }, '/serviceFrom'],
    ['no date', { serviceFrom: '2026-02-30', serviceTo: null }, '/serviceFrom'],
    ['more than 6', { interestRate: '7', serviceFrom: '2026-07-05', serviceTo: null }, '/interestRate'],
    ['a contract that came later', { serviceFrom: '2026-06-30', serviceTo: null }, '/serviceFrom'],
  ])('refuses %s', async (_, more, pointer) => {
    await on('2026-07-01');
    const loanId = await repaying();
    await on('2026-07-10');
    const { status, body, text } = await ask('POST', 'change-rate', { loanId, ...report, ...more });
    expect(status, text).toBe(422);
    expect(body.errors[0].pointer, text).toBe(pointer);
  });
});
