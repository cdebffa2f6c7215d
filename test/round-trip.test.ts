/**
 * A record can be boarded as it is read: the answer of the full read is itself a body of POST /loans, and what is read of the new loan is
 * what was sent, member by member. Shown with every loan of the demonstration in
 * `npm run test:slow`, and always with a record that another service would write.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../src/access/scopes.ts';
import { type Answered, type TestApp, testApp } from './support/app.ts';
import { demoBook, everyLoan } from './support/demo-book.ts';
import { exampleRecord } from './support/interface-example.ts';
import { violationsOfPublicRecord, violationsOfRecord, violationText } from './support/interface-rules.ts';
import { compareRecords, type Exception } from './support/record-differences.ts';
import { WHOLE } from './support/whole.ts';

const PATIENT = 300_000;

/** All that may differ between a record and the record of the loan that was boarded with it, on the same day. */
const OURS: readonly Exception[] = [
  { at: '/data/loanDetails/startBlock', because: 'the block of the new loan’s first transaction in this ledger' },
  { at: '/data/loanDetails/createdAt', because: 'the time of the new loan’s first transaction in this ledger' },
];

describe('the comparison', () => {
  const record = { data: { loanDetails: { term: '12', loanPayments: [{ status: 'Returned' }], createdAt: '1' } } };
  const changed = (change: (copy: typeof record) => void) => {
    const copy = structuredClone(record);
    change(copy);
    return compareRecords(record, copy, OURS).differences;
  };

  test('finds nothing between equal records, whatever the order of their members', () => {
    expect(changed(() => {})).toEqual([]);
    expect(compareRecords({ a: 1, b: [null] }, { b: [null], a: 1 }, []).differences).toEqual([]);
  });

  test('names each member that differs, with both values', () => {
    expect(changed(({ data }) => Object.assign(data.loanDetails, { term: 12 }))).toEqual([
      '/data/loanDetails/term: "12" was sent, 12 is read',
    ]);
    expect(
      changed(({ data }) => Object.assign(data.loanDetails.loanPayments[0] ?? {}, { status: 'Submitted' })),
    ).toEqual(['/data/loanDetails/loanPayments/0/status: "Returned" was sent, "Submitted" is read']);
    expect(changed(({ data }) => data.loanDetails.loanPayments.pop())).toEqual([
      '/data/loanDetails/loanPayments/0: {"status":"Returned"} was sent, nothing is read',
    ]);
    expect(changed(({ data }) => Object.assign(data.loanDetails, { loanPayments: {} }))).toHaveLength(1);
    expect(changed(({ data }) => Object.assign(data, { Request: null }))).toEqual([
      '/data/Request: nothing was sent, null is read',
    ]);
  });

  test('leaves out what has a reason, and says which reasons were needed', () => {
    const later = { data: { loanDetails: { ...record.data.loanDetails, createdAt: '2' } } };
    const { differences, used } = compareRecords(record, later, OURS);
    expect([differences, [...used]]).toEqual([[], [OURS[1]]]);
    const anyPayment = [{ at: '/data/loanDetails/loanPayments/*/status', because: 'an example' }];
    const other = { data: { loanDetails: { ...record.data.loanDetails, loanPayments: [{ status: '' }] } } };
    expect(compareRecords(record, other, anyPayment).differences).toEqual([]);
    expect(compareRecords(record, other, OURS).differences).toHaveLength(1);
  });
});

describe('boarding', () => {
  let app: TestApp;
  let demo: Caller;
  /** An organization without any loan, and a client of it with every scope. */
  let fresh: Caller;
  beforeAll(async () => {
    app = WHOLE ? await demoBook() : await testApp();
    demo = await callerFor(app, app.credentials);
    fresh = await newOrganization('Round trip');
  }, PATIENT);
  afterAll(() => app.close());

  const newOrganization = async (name: string) => {
    const { organizationId } = await app.access.createOrganization(name);
    return callerFor(app, await app.access.createClient(organizationId, { name, scopes: [...SCOPES] }));
  };

  if (WHOLE) {
    test(
      'every loan of the demonstration reads the same in another organization as where it was read',
      async () => {
        const loans = await everyLoan(app);
        expect(loans.length).toBeGreaterThanOrEqual(95);
        const found: string[] = [];
        const needed = new Set<Exception>();
        for (const { loanId, applicationId, loanStatus } of loans) {
          const noted = (texts: readonly string[]) =>
            found.push(...texts.map((text) => `${applicationId} (${loanStatus}): ${text}`));
          const sent = await demo.get(`loans/${loanId}`);
          // The answer itself, byte for byte.
          const boarded = await fresh.post('loans', sent.text);
          if (boarded.status !== 200) {
            noted([`is refused: ${boarded.text}`]);
            continue;
          }
          expect(boarded.body.loanId).not.toBe(loanId);
          const read = await fresh.get(`loans/${boarded.body.loanId}`);
          const { differences, used } = compareRecords(sent.body, read.body, OURS);
          noted(differences);
          for (const one of used) needed.add(one);
          noted(violationsOfRecord(read.body, { assessed: 'elsewhere' }).map(violationText));
          const bureau = ({ body }: Answered) => JSON.stringify(body.data.Underwriting.PrimaryCreditInfo);
          if (bureau(sent) !== bureau(read)) noted(['the bureau’s members are in another order']);
          const shown = await fresh.get(`loan-data/${boarded.body.loanId}`);
          noted(violationsOfPublicRecord(shown.body, { assessed: 'elsewhere' }).map(violationText));
        }
        expect(found).toEqual([]);
        expect([...needed]).toEqual(expect.arrayContaining([...OURS]));
      },
      PATIENT,
    );

    test('a charged-off loan also has the payoff of its record when the interest that it owes stands beside it', async () => {
      const own = await newOrganization('Charged off');
      const loans = (await everyLoan(app)).filter(({ loanStatus }) => loanStatus === 'ChargedOff');
      expect(loans.length).toBeGreaterThan(0);
      for (const { loanId } of loans) {
        const sent = await demo.get(`loans/${loanId}`);
        const { interest: unpaidInterest, fees: unpaidFees } = (await demo.get(`loans/${loanId}/payoff`)).body.data;
        const boarded = await own.post('loans', { ...sent.body, opening: { unpaidInterest, unpaidFees } });
        expect(boarded.status, boarded.text).toBe(200);
        const read = await own.get(`loans/${boarded.body.loanId}`);
        expect(compareRecords(sent.body, read.body, OURS).differences).toEqual([]);
        const { payoff } = (await own.get(`loans/${boarded.body.loanId}/payoff`)).body.data;
        expect(payoff).toBe((await demo.get(`loans/${loanId}/payoff`)).body.data.payoff);
      }
    });

    test('the books of what was boarded tie, and loans that have ended are outside of them', async () => {
      const own = await newOrganization('Books');
      const loans = await everyLoan(app);
      for (const status of ['Current', 'Delinquent', 'Defaulted', 'ChargedOff', 'Closed', 'ClosedEarly']) {
        const one = loans.find(({ loanStatus }) => loanStatus === status);
        const boarded = await own.post('loans', (await demo.get(`loans/${one?.loanId}`)).text);
        expect(boarded.status, boarded.text).toBe(200);
        if (!status.startsWith('Closed')) continue;
        const paid = await own.post('loan-repay', { loanId: boarded.body.loanId, refId: 'LATE-1', amount: '10' });
        expect([paid.status, paid.body.refusal ?? paid.body.code]).toEqual([409, 'boarded_history']);
      }
      const tied = await own.get('ledger/tie-out?asOf=2026-06-15');
      expect(tied.status, tied.text).toBe(200);
      const uneven = tied.body.data.accounts.filter(({ difference }: { difference: string }) => difference !== '0');
      expect(uneven).toEqual([]);
    });
  }

  test('a record of the interface’s own shape, closed early and without its payments', async () => {
    const own = await newOrganization('By hand');
    const sent = { ...exampleRecord(), message: 'Loan found' };
    const boarded = await own.post('loans', sent);
    expect(boarded.status, boarded.text).toBe(200);
    const read = await own.get(`loans/${boarded.body.loanId}`);
    expect(compareRecords({ data: sent.data }, { data: read.body.data }, OURS).differences).toEqual([]);
    expect(read.body.data.loanDetails).toMatchObject({ loanStatus: 'ClosedEarly', loanPayments: [] });
    const again = await own.post('loans', sent);
    expect([again.status, again.body.code]).toEqual([409, 'application_exists']);
  });

  test('its four parts alone are the same body, and so is either on a dry run', async () => {
    const own = await newOrganization('Four parts');
    const sent = exampleRecord();
    for (const body of [sent, sent.data]) {
      const tried = await own.post('loans?dryRun=true', body);
      expect(tried.status, tried.text).toBe(200);
    }
    const boarded = await own.post('loans', sent.data);
    expect(boarded.status, boarded.text).toBe(200);
    const read = await own.get(`loans/${boarded.body.loanId}`);
    expect(compareRecords({ data: sent.data }, { data: read.body.data }, OURS).differences).toEqual([]);
  });

  test('members of a creation that the record does not have may stand beside it', async () => {
    const own = await newOrganization('Beside');
    const boarded = await own.post('loans', { ...exampleRecord(), dayCount: '30/360', published: true });
    expect(boarded.status, boarded.text).toBe(200);
    const market = await app.call('GET', `/v2/chain/loan-data/${boarded.body.loanId}`, { token: await app.token() });
    expect(market.status, market.text).toBe(200);
  });

  test.each([
    ['a term beside the answer', () => ({ ...exampleRecord(), loanAmount: '13,000' }), /loanAmount$/],
    ['the same term, said again', () => ({ ...exampleRecord(), loanAmount: '12,000' }), /loanAmount$/],
    ['a term beside the four parts', () => ({ ...exampleRecord().data, interestRate: '7' }), /interestRate$/],
    ['another application beside the answer', () => ({ ...exampleRecord(), Request: {} }), /Request$/],
    ['another payment list beside the answer', () => ({ ...exampleRecord(), loanPayments: [] }), /loanPayments$/],
  ])('%s is refused by name, and nothing is boarded', async (name, body, pointer) => {
    const own = await newOrganization(name);
    const answer = await own.post('loans', body());
    expect([answer.status, answer.body.errors?.map((one: { pointer: string }) => one.pointer)]).toEqual([
      422,
      [expect.stringMatching(pointer)],
    ]);
    expect((await own.get('loans')).body.data.items).toEqual([]);
  });
});

type Caller = { get(path: string): Promise<Answered>; post(path: string, body: unknown): Promise<Answered> };

/** With the key only where personal data is read. */
async function callerFor(
  app: TestApp,
  { clientId, clientSecret, apiKey }: { clientId: string; clientSecret: string; apiKey: string },
): Promise<Caller> {
  const { body } = await app.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  const { token } = body.data;
  return {
    get: (path) => app.call('GET', `/v2/chain/${path}`, { token, key: apiKey }),
    post: (path, sent) => app.call('POST', `/v2/chain/${path}`, { token, body: sent }),
  };
}
