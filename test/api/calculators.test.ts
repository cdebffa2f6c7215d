/** The calculators from outside: the documented examples, exact numbers, every refusal, and no request that causes a 500. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { WHOLE } from '../support/whole.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token(['loans:read']);
});
afterAll(() => service.close());

const post = (path: string, body: unknown): Promise<Answered> =>
  service.call('POST', `/v2/chain/${path}`, { token, body });

/** The pointers and codes of a 422. */
function mistakes({ status, body }: Answered): string[] {
  expect(status, JSON.stringify(body)).toBe(422);
  expect(body.code).toBe('invalid_request');
  return (body.errors ?? []).map((error: { pointer: string; code: string }) => `${error.pointer} ${error.code}`);
}

const terms = {
  disbursements: [{ date: '2026-01-15', amount: '1200.00' }],
  annualRatePercent: '12',
  firstPaymentDate: '2026-02-15',
  count: 4,
  paymentFrequency: 'Monthly',
};
const run = { firstDate: '2026-02-15', count: 12, amount: '100.00', every: { unit: 'month', multiple: 1 } };
const advance = { date: '2026-01-15', amount: '1100.00' };
const flows = { cashflows: ['-100', '60', '60'], periodsPerYear: 12 };

type Media = { schema: { $ref: string }; example?: unknown; examples?: Record<string, { value: unknown }> };
type Documented = {
  tags: string[];
  requestBody: { content: { 'application/json': Media } };
  responses: { 200: { content: { 'application/json': Media } } };
};
const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')) as {
  paths: Record<string, { post?: Documented }>;
  components: { schemas: Record<string, { examples: unknown[] }> };
};
const documented = Object.entries(document.paths).flatMap(([path, { post: one }]) => {
  if (!one?.tags.includes('Calculators')) return [];
  const { example, examples } = one.requestBody.content['application/json'];
  const requests = examples === undefined ? [example] : Object.values(examples).map(({ value }) => value);
  const { $ref } = one.responses[200].content['application/json'].schema;
  const answers = document.components.schemas[$ref.split('/').at(-1) as string]?.examples ?? [];
  return { path, requests, answers };
});

describe('openapi.json', () => {
  it('has the calculators, each with examples', () => {
    expect(documented.map(({ path }) => path)).toEqual([
      '/v2/chain/calculate-apr',
      '/v2/chain/calculate-schedule',
      '/v2/chain/simulate-loan',
      '/v2/chain/calculate-irr',
      '/v2/chain/calculate-offer',
    ]);
    for (const { requests, answers } of documented) expect(requests).toHaveLength(answers.length);
  });

  it('every example gets exactly the documented answer', async () => {
    for (const { path, requests, answers } of documented) {
      for (const [i, body] of requests.entries()) {
        const answer = await service.call('POST', path, { token, body });
        expect(answer.status, `${path} ${answer.text}`).toBe(200);
        // An offer has sixty deals: the document shows one of them (`offer.test.ts` has what they are).
        if (path.endsWith('-offer')) expect(answer.body.data.deals).toHaveLength(60);
        else expect(answer.body).toEqual(answers[i]);
      }
    }
  });
});

describe('access', () => {
  it.each(['calculate-apr', 'calculate-schedule', 'simulate-loan', 'calculate-irr', 'calculate-offer'])(
    '%s needs the scope loans:read',
    async (path) => {
      const path2 = `/v2/chain/${path}`;
      expect((await service.call('POST', path2, { body: {} })).status).toBe(401);
      const other = await service.token(['payments:write']);
      const denied = await service.call('POST', path2, { token: other, body: {} });
      expect([denied.status, denied.body.code, denied.body.scope]).toEqual([403, 'insufficient_scope', 'loans:read']);
    },
  );
});

describe('numbers are read from their text', () => {
  const amountOf = async (text: string) => {
    const body = JSON.stringify({ ...terms, count: 1, annualRatePercent: 0, disbursements: [advance] });
    return post('calculate-schedule', body.replace('"1100.00"', text));
  };
  it.each([
    ['1234.10', '1234.10'],
    ['0.1', '0.10'],
    ['0.29', '0.29'],
    ['1.15', '1.15'],
    ['9999999999999.99', '9999999999999.99'],
    ['5', '5.00'],
    ['1e5', 'exponent'],
    ['1E-2', 'exponent'],
    ['1e400', 'exponent'],
    ['-1', 'negative'],
    ['-0', 'negative'],
    ['1.005', 'decimals'],
    ['1.000', 'decimals'],
    ['12345678901234.56', 'too_many_digits'],
    ['123456789012345678', 'too_many_digits'],
    ['0', 'amount_zero'],
    ['"1,234.10"', '1234.10'],
    ['"1234.1"', '1234.10'],
    ['"9,999,999,999,999.99"', '9999999999999.99'],
    ['"1,23.00"', 'format'],
    ['"12,345.001"', 'decimals'],
    ['"-5"', 'negative'],
    ['"1e5"', 'exponent'],
    ['"NaN"', 'format'],
    ['"Infinity"', 'format'],
    ['"0x10"', 'format'],
    ['" 5"', 'format'],
    ['"5."', 'format'],
    ['".5"', 'format'],
    ['""', 'format'],
    ['"١٢"', 'format'],
    ['"+5"', 'format'],
    [`"${'9'.repeat(64)}"`, 'too_many_digits'],
    [`"${'9'.repeat(65)}"`, 'too_long'],
    ['null', 'type'],
    ['true', 'type'],
    ['{}', 'type'],
    ['["5"]', 'type'],
  ])('an amount of %s: %s', async (text, expected) => {
    const answer = await amountOf(text);
    if (/^\d/.test(expected)) expect(answer.body.data?.amountFinanced, answer.text).toBe(expected);
    else expect(mistakes(answer)).toEqual([`/disbursements/0/amount ${expected}`]);
  });

  it('NaN and other text that is not JSON is a 400', async () => {
    for (const text of ['NaN', 'Infinity', '01', '1.', '.5', '+1', '0x1']) {
      expect((await amountOf(text)).body.code).toBe('invalid_json');
    }
  });

  it('of two members with the same name the last counts, with its own text', async () => {
    const answer = await post(
      'calculate-irr',
      '{"cashflows":[-100,110.000000000000000001],"periodsPerYear":2,"periodsPerYear":1}',
    );
    expect(answer.body.data.irrPercent).toBe('10.0000000000');
    const body = JSON.stringify({ ...terms, count: 1 }).replace('"12"', '12.50,"annualRatePercent":0.00');
    expect((await post('calculate-schedule', body)).body.data.totals.interest).toBe('0.00');
  });

  it('rates: eight decimals, no sign, no exponent', async () => {
    const rated = (annualRatePercent: unknown) => post('calculate-schedule', { ...terms, annualRatePercent });
    expect((await rated('7.12345678')).status).toBe(200);
    for (const [rate, code] of [
      ['7.123456789', 'format'],
      ['-1', 'negative'],
      ['10000', 'format'],
      ['1e1', 'exponent'],
      ['seven', 'format'],
    ]) {
      expect(mistakes(await rated(rate))).toEqual([`/annualRatePercent ${code}`]);
    }
  });

  it('whole numbers stay whole numbers', async () => {
    for (const count of ['4', 4.5, '"4"', -1, 0, 1e9]) {
      expect(mistakes(await post('calculate-schedule', { ...terms, count }))[0]).toMatch(/^\/count (type|range)$/);
    }
  });
});

describe('calculate-apr', () => {
  const ask = (more: object) => post('calculate-apr', { advances: [advance], payments: [run], ...more });
  it('answers with the regulation’s figures', async () => {
    const { body } = await ask({ unitPeriod: { unit: 'month' } });
    expect(body.data).toMatchObject({
      amountFinanced: '1100.00',
      financeCharge: '100.00',
      totalOfPayments: '1200.00',
      unitPeriod: { unit: 'month', multiple: 1 },
      firstPaymentUnitPeriods: { full: 1, fraction: '0.0000000000' },
    });
    expect(body.data.aprPercent).toMatch(/^\d+\.\d{10}$/);
  });

  it('no solution is a 422 of its own', async () => {
    const { status, body } = await ask({ payments: [{ ...run, count: 1 }] });
    expect([status, body.code]).toEqual([422, 'no_solution']);
  });

  it.each([
    [{ advances: [] }, '/advances too_few'],
    [{ payments: [] }, '/payments too_few'],
    [{ advances: [{ ...advance, date: '2026-02-30' }] }, '/advances/0/date format'],
    [{ advances: [{ ...advance, amount: 0 }] }, '/advances/0/amount amount_zero'],
    [{ payments: [run, { ...run, amount: '-1' }] }, '/payments/1/amount negative'],
    [{ payments: [{ ...run, every: undefined }] }, '/payments/0/every required'],
    [{ payments: [{ ...run, every: { unit: 'fortnight' } }] }, '/payments/0/every/unit enum'],
    [{ payments: [{ ...run, count: 12_001 }] }, '/payments/0/count range'],
    [{ payments: [{ ...run, firstDate: '2199-01-01' }] }, '/payments/0 invalid_value'],
    [{ unitPeriod: { unit: 'month', multiple: 13 } }, '/unitPeriod invalid_value'],
    [{ advance: 1 }, '/advance unknown_member'],
  ])('refuses %j', async (more, expected) => {
    expect(mistakes(await ask(more))).toEqual([expected]);
  });

  it('reports every mistake at once', async () => {
    expect(
      mistakes(
        await ask({
          advances: [
            { date: 'x', amount: '1.234' },
            { date: '1899-12-31', amount: '-1' },
          ],
        }),
      ),
    ).toEqual([
      '/advances/0/date format',
      '/advances/0/amount decimals',
      '/advances/1/date format',
      '/advances/1/amount negative',
    ]);
  });
});

describe('calculate-schedule', () => {
  const ask = (more: object) => post('calculate-schedule', { ...terms, ...more });

  it('accepts every day count, frequency, amortization and rounding', async () => {
    for (const dayCount of ['actual/365', 'actual/360', 'actual/364', '30/360', 'actual/actual', '30E/360']) {
      expect((await ask({ dayCount })).status).toBe(200);
    }
    for (const paymentFrequency of [
      'Monthly',
      'SemiMonthly',
      'BiWeekly',
      'Weekly',
      'Quarterly',
      'SemiAnnual',
      'Annual',
    ]) {
      const { body } = await ask({ paymentFrequency });
      expect(body.data.rows).toHaveLength(4);
      expect(body.data.rows[3].balance).toBe('0.00');
    }
    expect((await ask({ amortizationType: 'InterestOnly' })).body.data.levelPayment).toBeNull();
    expect((await ask({ balloonAmount: 500 })).body.data.rows[3].balance).toBe('0.00');
    expect((await ask({ rounding: 'half-even', skip: [2], interestOnlyCount: 1 })).body.data.rows[1].payment).toBe(
      '0.00',
    );
  });

  it('takes charges off the first advance, then the next', async () => {
    const disbursements = [
      { date: '2026-01-15', amount: '100.00' },
      { date: '2026-01-20', amount: '1100.00' },
    ];
    const { body } = await ask({ disbursements, prepaidFinanceCharges: '60.00', financedFees: '50.00' });
    expect(body.data.amountFinanced).toBe('1090.00');
    expect(Number(body.data.financeCharge)).toBeCloseTo(Number(body.data.totals.payment) - 1090, 6);
  });

  it.each([
    [
      { dueDates: ['2026-02-15'] },
      ['/firstPaymentDate contradiction', '/count contradiction', '/paymentFrequency contradiction'],
    ],
    [{ firstPaymentDate: undefined }, ['/firstPaymentDate required']],
    [{ count: undefined, paymentFrequency: undefined }, ['/count required', '/paymentFrequency required']],
    [{ firstPaymentDate: '2026-01-15' }, ['/firstPaymentDate invalid_value']],
    [{ firstPaymentDate: '2199-01-01', count: 13 }, ['/count range']],
    [{ disbursements: [] }, ['/disbursements too_few']],
    [{ disbursements: [{ date: '2026-06-01', amount: 1 }] }, ['/firstPaymentDate invalid_value']],
    [{ interestStart: '2026-03-01' }, ['/interestStart invalid_value']],
    [{ skip: [4] }, ['/skip invalid_value']],
    [{ skip: [0] }, ['/skip/0 range']],
    [{ interestOnlyCount: 4 }, ['/interestOnlyCount invalid_value']],
    [{ amortizationType: 'Balloon' }, ['/balloonAmount required']],
    [{ amortizationType: 'FullAmortization', balloonAmount: 5 }, ['/balloonAmount contradiction']],
    [{ balloonAmount: 1201 }, ['/balloonAmount invalid_value']],
    [{ payment: 0 }, ['/payment amount_zero']],
    [{ dayCount: 'actual/366' }, ['/dayCount enum']],
    [{ rounding: 'up' }, ['/rounding enum']],
    [{ prepaidFinanceCharges: '1200.00' }, ['/prepaidFinanceCharges invalid_value']],
    [{ financedFees: '5000.00' }, ['/financedFees invalid_value']],
    [
      {
        rateChanges: [
          { date: '2026-03-01', annualRatePercent: 5 },
          { date: '2026-02-01', annualRatePercent: 5 },
        ],
      },
      ['/rateChanges invalid_value'],
    ],
    [{ rateChanges: [{ date: '2026-03-01' }] }, ['/rateChanges/0/annualRatePercent required']],
  ])('refuses %j', async (more, expected) => {
    expect(mistakes(await ask(more))).toEqual(expected);
  });

  it('amounts beyond what is exact are refused, not computed in floating point', async () => {
    const absurd = { disbursements: [{ date: '2026-01-15', amount: '9999999999999.99' }], annualRatePercent: '9999' };
    expect(mistakes(await ask({ ...absurd, count: 170, paymentFrequency: 'Annual', skip: [1, 2, 3] }))).toEqual([]);
  });
});

describe('simulate-loan', () => {
  const ask = (more: object, on: object = {}) => post('simulate-loan', { terms: { ...terms, ...on }, ...more });
  const pay = { type: 'payment', date: '2026-02-15', amount: '307.43' };

  it('a loan that is paid to the end is closed', async () => {
    const events = ['02', '03', '04'].map((month) => ({ ...pay, date: `2026-${month}-15` }));
    const { body } = await ask({ events: [...events, { ...pay, date: '2026-05-15', amount: '307.44' }].reverse() });
    expect(body.data).toMatchObject({
      status: 'Closed',
      principal: '0.00',
      payoff: '0.00',
      nextDueDate: null,
      asOf: '2026-05-15',
    });
    expect(body.data.events.map(({ date }: { date: string }) => date)).toEqual([
      '2026-02-15',
      '2026-03-15',
      '2026-04-15',
      '2026-05-15',
    ]);
    expect(body.data.events[3].balance).toBe('0.00');
  });

  it('without events it shows the loan as funded', async () => {
    const { body } = await ask({});
    expect(body.data).toMatchObject({
      asOf: '2026-01-15',
      payoff: '1200.00',
      status: 'Current',
      nextDueDate: '2026-02-15',
    });
  });

  it('events after asOf have not happened', async () => {
    const { body } = await ask({ events: [pay, { ...pay, date: '2026-03-15' }], asOf: '2026-03-01' });
    expect(body.data.events).toHaveLength(1);
    expect(body.data.principal).toBe('904.80');
  });

  it('a waterfall may be partial; fees first', async () => {
    const events = [{ type: 'fee', date: '2026-02-01', amount: 20 }, pay];
    const fees = async (waterfall: string[]) => (await ask({ events, waterfall })).body.data.events[1].allocation.fees;
    expect(await fees(['pastDue.fee'])).toBe('20.00');
    expect(await fees([])).toBe('0.00');
  });

  it.each([
    [{ waterfall: ['pastDue.interest', 'pastDue.interest'] }, ['/waterfall duplicate']],
    [{ waterfall: ['interest'] }, ['/waterfall/0 enum']],
    [{ lateFee: '-1' }, ['/lateFee negative']],
    [{ lateFee: 5, lateFeePolicy: { flat: 5 } }, ['/lateFeePolicy/flat contradiction']],
    [{ lateFee: 5, lateFeePolicy: { percent: 5 } }, ['/lateFeePolicy/percent contradiction']],
    [{ lateFeePolicy: { percent: 101 } }, ['/lateFeePolicy/percent range']],
    [{ lateFeePolicy: { percent: 5, floor: 9, cap: 8 } }, ['/lateFeePolicy/floor contradiction']],
    [{ lateFeePolicy: { floor: 9 } }, ['/lateFeePolicy/floor contradiction']],
    [{ lateFeePolicy: { graceDays: 1.5 } }, ['/lateFeePolicy/graceDays type']],
    [{ asOf: '2026-01-14' }, ['/asOf date_before_contract']],
    [{ asOf: 'today' }, ['/asOf format']],
    [{ events: [{ ...pay, date: '2026-01-14' }] }, ['/events/0/date date_before_contract']],
    [{ events: [{ ...pay, amount: 0 }] }, ['/events/0/amount amount_zero']],
    [{ events: [{ ...pay, amount: undefined }] }, ['/events/0/amount required']],
    [{ events: [{ ...pay, type: 'gift' }] }, ['/events/0/type enum']],
    [{ events: [{ ...pay, feeId: 'x' }] }, ['/events/0/feeId unknown_member']],
    [{ events: [{ ...pay, refId: 'a b' }] }, ['/events/0/refId format']],
    [
      {
        events: [
          { ...pay, refId: 'a' },
          { ...pay, refId: 'a' },
        ],
      },
      ['/events/1/refId contradiction'],
    ],
    [{ events: [{ type: 'return', date: '2026-02-15' }] }, ['/events/0/type contradiction']],
    [{ events: [pay, { type: 'return', date: '2026-02-15', refId: 'none' }] }, ['/events/1/refId contradiction']],
    [{ events: [pay, { type: 'return', date: '2026-02-14', refId: 'payment-1' }] }, ['/events/1/date contradiction']],
    [
      { events: [pay, { type: 'return', date: '2026-02-16', refId: 'payment-1', amount: 1 }] },
      ['/events/1/amount contradiction'],
    ],
    [
      { events: [pay, ...[1, 2].map(() => ({ type: 'return', date: '2026-02-16', refId: 'payment-1' }))] },
      ['/events/2/refId contradiction'],
    ],
    [{ events: [{ type: 'waiver', date: '2026-02-16', feeId: 'late-1' }] }, ['/events/0/feeId invalid_value']],
    [{ events: [{ type: 'waiver', date: '2026-02-16' }] }, ['/events/0/feeId required']],
    [{ events: [{ type: 'fee', date: '2026-02-16', amount: 5, feeId: 'late-1' }] }, ['/events/0/feeId contradiction']],
    [{ events: [{ type: 'rateChange', date: '2026-02-16' }] }, ['/events/0/annualRatePercent required']],
    [{ events: [{ type: 'extension', date: '2026-02-16', periods: 13 }] }, ['/events/0/periods range']],
    [{ events: [{ type: 'dueDateChange', date: '2026-02-01', to: '2026-04-01' }] }, ['/events/0/to invalid_value']],
    [{ events: [{ type: 'dueDateChange', date: '2026-02-01', to: '2026-02-01' }] }, ['/events/0/to invalid_value']],
    [{ events: [1, 2].map(() => ({ type: 'chargeOff', date: '2026-04-01' })) }, ['/events/1/type contradiction']],
    [{ events: [{ type: 'recovery', date: '2026-04-01', amount: 5 }] }, ['/events/0/date contradiction']],
    [{ events: [{ type: 'refund', date: '2026-04-01', amount: 5 }] }, ['/events/0/amount amount_exceeds_balance']],
  ])('refuses %j', async (more, expected) => {
    expect(mistakes(await ask(more))).toEqual(expected);
  });

  it('has bounds: events, extensions, and work', async () => {
    expect(mistakes(await ask({ events: Array.from({ length: 2_001 }, () => pay) }))).toEqual(['/events too_many']);
    const extensions = Array.from({ length: 11 }, () => ({ type: 'extension', date: '2026-02-16', periods: 12 }));
    expect(mistakes(await ask({ events: extensions }))).toEqual(['/events/10/periods invalid_value']);
    const long = { count: 5_300, paymentFrequency: 'Weekly' };
    const events = Array.from({ length: 2_000 }, () => ({ type: 'reamortize', date: '2026-02-16' }));
    expect(mistakes(await ask({ events }, long))).toEqual(['/events invalid_value']);
  });

  it('two hundred payments that are all returned leave the loan as it was', async () => {
    const returns = Array.from({ length: 200 }, () => ({ type: 'return', date: '2026-02-16' }));
    const { body } = await ask({ events: [...Array.from({ length: 200 }, () => pay), ...returns] });
    expect(body.data).toMatchObject({ principal: '1200.00', credits: '0.00', asOf: '2026-02-16' });
    expect(body.data.events).toHaveLength(400);
  });

  it('refusals of the terms point into them', async () => {
    expect(mistakes(await ask({}, { skip: [9] }))).toEqual(['/terms/skip invalid_value']);
    expect(mistakes(await ask({}, { firstPaymentDate: '2026-01-01' }))).toEqual([
      '/terms/firstPaymentDate invalid_value',
    ]);
    expect(mistakes(await ask({}, { count: undefined }))).toEqual(['/terms/count required']);
    expect(mistakes(await ask({ terms: undefined }))).toEqual(['/terms required']);
  });
});

describe('calculate-irr', () => {
  it('amounts may be negative and have many decimals', async () => {
    const { body } = await post('calculate-irr', {
      cashflows: ['-1,000.000000001', 505.25, '0505.25'],
      periodsPerYear: 1,
    });
    expect(body.data.irrPercent).toMatch(/^0\.69\d{8}$/);
  });
  it.each([
    [{ cashflows: flows.cashflows }, ['/periodsPerYear required']],
    [{ ...flows, periodsPerYear: 0 }, ['/periodsPerYear range']],
    [{ ...flows, periodsPerYear: 12.5 }, ['/periodsPerYear type']],
    [{ ...flows, cashflows: [] }, ['/cashflows too_few']],
    [{ ...flows, cashflows: ['-1', 'x'] }, ['/cashflows/1 format']],
    [{ ...flows, cashflows: ['-1', '1e3'] }, ['/cashflows/1 exponent']],
    [{ ...flows, cashflows: ['-1', null] }, ['/cashflows/1 type']],
    [{ ...flows, cashflows: ['-1', { date: '2026-01-01', amount: 1 }] }, ['/cashflows contradiction']],
    [{ cashflows: [{ date: '2026-01-01', amount: -1 }, { amount: 1 }] }, ['/cashflows/1/date required']],
    [
      {
        cashflows: [
          { date: '2026-01-01', amount: -1 },
          { date: '2026-13-01', amount: 1 },
        ],
        periodsPerYear: 1,
      },
      ['/periodsPerYear contradiction', '/cashflows/1/date format'],
    ],
  ])('refuses %j', async (body, expected) => {
    expect(mistakes(await post('calculate-irr', body))).toEqual(expected);
  });
  it.each([[['1', '2']], [['-1', '-2']], [['0', '0']]])('no rate for %j', async (cashflows) => {
    const { status, body } = await post('calculate-irr', { cashflows, periodsPerYear: 1 });
    expect([status, body.code]).toEqual([422, 'no_solution']);
  });
});

describe('no request causes a 500', () => {
  const bodies: Record<string, object> = {
    'calculate-apr': { advances: [advance], payments: [run], unitPeriod: { unit: 'month', multiple: 1 } },
    'calculate-schedule': {
      ...terms,
      interestStart: '2026-01-15',
      balloonAmount: 100,
      amortizationType: 'Balloon',
      interestOnlyCount: 1,
      skip: [2],
      payment: '100.00',
      rounding: 'half-up',
      dayCount: '30/360',
      rateChanges: [{ date: '2026-03-01', annualRatePercent: 6 }],
      prepaidFinanceCharges: 1,
      financedFees: 1,
    },
    'simulate-loan': {
      terms,
      waterfall: ['pastDue.fee'],
      lateFeePolicy: { percent: 5, floor: 1, cap: 10, graceDays: 5 },
      asOf: '2026-06-01',
      events: [
        { type: 'payment', date: '2026-02-15', amount: '300.00', refId: 'a', principalOnly: true },
        { type: 'return', date: '2026-02-16', refId: 'a', amount: 300 },
        { type: 'fee', date: '2026-02-17', amount: 5, feeId: 'f', name: 'fee', kind: 'penalty' },
        { type: 'waiver', date: '2026-02-18', feeId: 'f', amount: 5 },
        { type: 'rateChange', date: '2026-02-19', annualRatePercent: 6, why: 'scra' },
        { type: 'extension', date: '2026-02-20', periods: 1 },
        { type: 'dueDateChange', date: '2026-02-21', to: '2026-03-20' },
        { type: 'reamortize', date: '2026-02-22' },
        { type: 'reage', date: '2026-02-23' },
        { type: 'disbursement', date: '2026-02-24', amount: 10 },
        { type: 'payment', date: '2026-02-25', amount: 5000 },
        { type: 'refund', date: '2026-02-26', amount: 10 },
        { type: 'chargeOff', date: '2026-02-27', collateral: 1 },
        { type: 'recovery', date: '2026-02-28', amount: 1 },
      ],
    },
    'calculate-irr': flows,
    'calculate-offer': {
      loanAmount: '9000',
      interestRate: '9',
      term: 48,
      balloonAmount: 500,
      originationDate: '2026-01-15',
      asOf: '2026-01-15',
      Request: {
        ApplicantInfo: { MonthlyGross: 5000 },
        VehicleInfo: { VehicleRetailValue: 12_000, VehicleYear: '2023', VehicleMileage: 9_000 },
      },
      report: { hit: true, score: 700, inFileSince: '2010-01-01', tradeLines: [{ balance: 10, '90dpd': 1 }] },
    },
  };
  const WRONG = [
    null,
    true,
    -1,
    0,
    1,
    1.5,
    1e300,
    2 ** 53,
    '',
    'x',
    '-1',
    '0',
    '1e9',
    'NaN',
    '2026-02-30',
    '1900-01-01',
    '2199-12-31',
    '0001-01-01',
    '9'.repeat(16),
    '9999999999999.99',
    '9999.99999999',
    [],
    [[]],
    {},
    { date: '2026-01-01' },
    '__proto__',
    ['1'],
  ];

  /** Every place of a body, as a path of names. */
  function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
    if (typeof value !== 'object' || value === null) return [path];
    const inner = Object.entries(value).flatMap(([key, member]) => places(member, [...path, key]));
    return path.length > 0 ? [path, ...inner] : inner;
  }
  function changed(body: object, path: (string | number)[], value: unknown): object {
    const copy = structuredClone(body) as Record<string | number, unknown>;
    let at = copy;
    for (const key of path.slice(0, -1)) at = at[key] as typeof at;
    if (value === undefined) delete at[path.at(-1) as string];
    else at[path.at(-1) as string] = value;
    return copy;
  }

  test.each(Object.keys(bodies))(
    '%s with every member missing or replaced',
    async (path) => {
      const body = bodies[path] as object;
      expect((await post(path, body)).status).toBe(200);
      const unlimited = await service.token();
      for (const place of places(body).filter((_, n) => WHOLE || n % 12 === 0)) {
        const answers = await Promise.all(
          [undefined, ...WRONG].map(async (value) => {
            const sent = changed(body, place, value);
            return { sent, answer: await service.call('POST', `/v2/chain/${path}`, { token: unlimited, body: sent }) };
          }),
        );
        for (const { sent, answer } of answers) {
          expect([200, 422], `${JSON.stringify(sent)} ${answer.text}`).toContain(answer.status);
          if (answer.status === 200) expect(answer.text).not.toMatch(/[^"]NaN|Infinity|undefined|"-0\.00"/);
        }
      }
    },
    120_000,
  );

  it('bodies that are too large, too deep or no object are refused', async () => {
    const large = `{"cashflows":[${'1,'.repeat(5_000_000)}1]}`;
    expect((await post('calculate-irr', large)).status).toBe(413);
    const long = JSON.stringify({ cashflows: Array.from({ length: 40_000 }, () => 1), periodsPerYear: 1 });
    expect(mistakes(await post('calculate-irr', long))).toEqual(['/cashflows too_many']);
    expect((await post('calculate-irr', '['.repeat(200_000) + ']'.repeat(200_000))).status).toBe(400);
    for (const body of ['[]', '1', '"x"', 'null', 'true']) {
      expect((await post('calculate-irr', body)).status).toBe(422);
    }
  });
});

describe('where a figure comes from', () => {
  it('simulate-loan explains the requested figures: steps that add up, and sentences', async () => {
    const body = {
      terms,
      events: [{ type: 'payment', date: '2026-02-15', amount: '307.61', refId: 'first' }],
      asOf: '2026-03-01',
      explain: ['interest', 'payoff', 'payment:first'],
    };
    const { data } = (await post('simulate-loan', body)).body;
    const [interest, payoff, payment] = data.explanations;
    // 31 days of 12 % on 1,200.00 are 12.23 (12.2301…); then 14 days on 904.62 are 4.16 (4.1637…).
    expect(interest.steps).toEqual([
      {
        what: 'interest from 2026-01-15 to 2026-02-15',
        how: '1200.00 × 0.12 × 31 days ÷ 365, rounded to the cent',
        amount: '12.23',
      },
      {
        what: 'interest from 2026-02-15 to 2026-03-01',
        how: '904.62 × 0.12 × 14 days ÷ 365, rounded to the cent',
        amount: '4.16',
      },
      { what: 'paid', how: 'interest paid by payments', amount: '-12.23' },
    ]);
    expect(interest.amount).toBe(data.accruedInterest);
    expect(payoff.amount).toBe(data.payoff);
    expect(payoff.sentences[0]).toContain('904.62 × 12/36500, rounded to the cent');
    expect(payment).toMatchObject({ figure: 'payment:first', amount: '307.61' });
    expect(mistakes(await post('simulate-loan', { ...body, explain: ['payoff', 'weather'] }))).toEqual([
      '/explain/1 unknown_figure',
    ]);
  });

  it('calculate-apr explains its rate', async () => {
    const { data } = (await post('calculate-apr', { advances: [advance], payments: [run], explain: true })).body;
    expect(data.explanation[1]).toBe(
      'The unit-period is one month, of which a year has 12. The first payment is 1 full unit-periods and a fraction of 0.0000000000 after the start.',
    );
    expect(data.explanation.at(-1)).toContain(`× 12 = ${data.aprPercent} %`);
  });
});

describe('what one calculator refuses the other refuses too', () => {
  it('a reference that looks like a social security number', async () => {
    const events = [{ type: 'payment', date: '2026-02-15', amount: '1', refId: '123-45-6789' }];
    expect(mistakes(await post('simulate-loan', { terms, events }))).toEqual(['/events/0/refId personal']);
  });
  it('finance charges larger than the loan', async () => {
    const charged = { ...terms, prepaidFinanceCharges: '5000' };
    expect(mistakes(await post('calculate-schedule', charged))).toEqual(['/prepaidFinanceCharges invalid_value']);
    expect(mistakes(await post('simulate-loan', { terms: charged }))).toEqual([
      '/terms/prepaidFinanceCharges invalid_value',
    ]);
  });
  it('a payment amount with interest-only terms', async () => {
    const body = { ...terms, amortizationType: 'InterestOnly', payment: '50' };
    expect(mistakes(await post('calculate-schedule', body))).toEqual(['/payment contradiction']);
  });
});

describe('a loan that is paid off', () => {
  it('has a last installment that is satisfied, and nothing to move or charge off', async () => {
    const events = [
      { type: 'payment', date: '2026-02-15', amount: '2000.00' },
      { type: 'extension', date: '2026-02-16' },
      { type: 'chargeOff', date: '2026-02-17' },
    ];
    const { data } = (await post('simulate-loan', { terms, events })).body;
    expect(data.status).toBe('ClosedEarly');
    expect(data.installments.at(-1)).toMatchObject({ dueDate: '2026-05-15', open: '0.00', satisfiedOn: '2026-02-15' });
    expect(data.credits).toBe('787.77');
  });
});
