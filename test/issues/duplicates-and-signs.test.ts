/** The same person and vehicle again, found by whoever owns the loans and told to nobody else. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { date } from '../../src/core/calendar.ts';
import { applicationBody } from '../../src/demo/application.ts';
import type { ShownSign } from '../../src/loans/origination/signs.ts';
import { eraseBorrower } from '../../src/loans/people/erase.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { granted } from '../support/granted.ts';
import { creation } from '../support/statuses.ts';

type Party = { organizationId: string; clientId: string; clientSecret: string; token: string; key: string };

let service: TestApp;
let own: Party;
beforeAll(async () => {
  service = await testApp();
  const { organizationId, credentials } = service;
  own = { organizationId, ...credentials, key: credentials.apiKey, token: await service.token() };
});
afterAll(() => service.close());

const call = (method: string, path: string, by: Party, body?: object) =>
  service.call(method, `/v2/chain/${path}`, { token: by.token, key: by.key, body });

async function post(path: string, body: object, by: Party = own) {
  const answer = await call('POST', path, by, body);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

const tokenOf = async ({ clientId, clientSecret }: Pick<Party, 'clientId' | 'clientSecret'>) =>
  (await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } })).body.data.token as string;

async function another(name: string): Promise<Party> {
  const { organizationId } = await service.access.createOrganization(name, 0);
  const scopes: Scope[] = ['loans:read', 'loans:write', 'loans:fund', 'servicing:write', 'underwriting:write'];
  const made = await service.access.createClient(organizationId, { name, scopes, rateLimitPerMinute: 0 });
  const { clientId, clientSecret, apiKey: key } = made;
  return { organizationId, clientId, clientSecret, key, token: await tokenOf(made) };
}

async function days(count: number, ...parties: Party[]): Promise<void> {
  service.clock.now += count * 86_400_000;
  own.token = await service.token();
  for (const one of parties) one.token = await tokenOf(one);
}

const ANN = {
  ...{ ApplicantSSN: '666-00-0001', HomePhone: '(555) 201-0143', ApplicantState: 'OH', ApplicantZip: '43215-1201' },
  ...{
    ApplicantAddress: '12 North Main Street, Apt. 4',
    ApplicantCity: 'Columbus',
    UnitNumber: '',
    MonthlyGross: 6_500,
  },
};
const BOB = {
  ...{ ...ANN, ApplicantSSN: '666-00-0002', ApplicantFirstName: 'Bob', HomePhone: '555-201-0777' },
  ...{ ApplicantAddress: '900 Elm Road', ApplicantZip: '44106' },
};
const HONDA = '1HGCV1F37JA000001';
const OTHER_CAR = '1HGCV1F39JA000002';

let applications = 0;
let firstOfThree = '';
let thirdOfThree = '';
type More = { applicant?: object; co?: object; vin?: string; own?: object };

async function apply({ applicant = {}, co = {}, vin = '', own: more = {} }: More, by: Party = own): Promise<string> {
  const { Request } = applicationBody(3) as { Request: Record<string, object> };
  applications += 1;
  const body = {
    ...creation({ applicationId: `DS-${applications}`, loanAmount: '9,000', interestRate: '11.49', term: 36, ...more }),
    ...(vin === '' ? {} : { loanInfo: { make: 'Honda', model: 'Accord', year: '2018', mileage: '88400', vin } }),
    Request: {
      ...Request,
      ApplicantInfo: { ...Request.ApplicantInfo, EmploymentWorkPhone: '', ...ANN, ...applicant },
      CoApplicantInfo: { CoApplicantSSN: '', ...co },
      VehicleInfo: {
        VehicleYear: '2018',
        VehicleMileage: '88400',
        VehicleRetailValue: '12,000',
        VehicleWholesaleValue: '10,500',
      },
    },
  };
  return (await post('loans', body, by)).loanId;
}

const start = async (loanId: string, by: Party = own): Promise<string> => {
  await post('start-underwriting', { loanId }, by);
  return loanId;
};

async function signs(loanId: string, by: Party = own): Promise<Pick<ShownSign, 'sign' | 'loans' | 'found'>[]> {
  const answer = await call('GET', `loans/${loanId}/signs`, by);
  expect(answer.status, answer.text).toBe(200);
  for (const value of ['666', '201', HONDA, 'Main', 'MAIN', '43215']) {
    const shown = answer.text.replaceAll(/0x[0-9a-f]{64}/g, '');
    expect(shown).not.toContain(value);
  }
  return answer.body.data.items.map(({ sign, loans, found }: ShownSign) => ({ sign, loans, found }));
}

const stipulations = async (loanId: string) =>
  (await call('GET', `loans/${loanId}`, own)).body.data.Response.Stipulations as string[];

test('a servicer is told of loans that it may see; after a sale each owner of its own', async () => {
  const person = (more: object = {}) => ({
    applicant: { ApplicantSSN: '666-00-0011', ApplicantAddress: '9 Pine Ct', HomePhone: '' },
    own: { primaryServicerId: 'SRV-1', ...more },
  });
  const hidden = await apply(person({ primaryServicerId: 'SRV-2' }));
  const sold = await start(await apply(person()));
  await post('complete-underwriting', {
    loanId: sold,
    approved: true,
    reason: 'Known to us',
    reasonCode: 'documentedError',
  });
  await post('fund-loan', { loanId: sold });
  const servicer = await another('Servicer');
  const input = { granteeOrganizationId: servicer.organizationId, access: 'read', servicerId: 'SRV-1' } as const;
  await granted(service.access, own.organizationId, input);
  expect(await signs(sold)).toEqual([{ sign: 'samePerson', loans: [hidden], found: 'run' }]);
  expect(await signs(sold, servicer)).toEqual([]);
  const shownToo = await apply(person());
  expect(await signs(sold, servicer)).toEqual([{ sign: 'samePerson', loans: [shownToo], found: 'since' }]);
  await post('cancel', { loanId: shownToo });

  const buyer = await another('Buyer');
  const theirs = await apply(person(), buyer);
  const to = { organizationId: buyer.organizationId, lenderId: 'L-9' };
  const day = new Date(service.clock.now + 86_400_000).toISOString().slice(0, 10);
  await post('transfer', { loanId: sold, what: 'owner', to, date: day, reason: 'Sale' });
  await post('accept-transfer', { loanId: sold }, buyer);
  await days(1, buyer);
  for (const { organizationId } of [own, buyer]) {
    await service.loans.cycle.runCyclesThrough(
      organizationId,
      date(new Date(service.clock.now - 86_400_000).toISOString().slice(0, 10)),
    );
  }
  await service.loans.transfers.carryOutDue();
  // The run was the former owner's, and its other loans are no business of the new one.
  expect(await signs(sold, buyer)).toEqual([{ sign: 'samePerson', loans: [theirs], found: 'since' }]);
  expect(await signs(theirs, buyer)).toEqual([{ sign: 'samePerson', loans: [sold], found: 'since' }]);
  expect(await signs(sold)).toEqual([{ sign: 'samePerson', loans: [hidden], found: 'run' }]);
  // An application since then counts, though it was cancelled; the loan that was sold is nobody's business here any more.
  expect(await signs(hidden)).toEqual([{ sign: 'samePerson', loans: [shownToo], found: 'since' }]);
});

test('the same person and vehicle three times: the third has both signs with the others’ ids, and velocity', async () => {
  const first = await start(await apply({ vin: HONDA }));
  firstOfThree = first;
  expect(await signs(first)).toEqual([]);
  await days(3);
  const second = await apply({ vin: HONDA });
  await days(5);
  const third = await start(await apply({ vin: HONDA, applicant: { ApplicantSSN: '666000001' } }));
  thirdOfThree = third;
  const others = [second, first];
  expect(await signs(third)).toEqual([
    { sign: 'samePerson', loans: others, found: 'run' },
    { sign: 'sameVin', loans: others, found: 'run' },
    { sign: 'velocity', loans: others, found: 'run' },
  ]);
  // Since the run of the first more has come up.
  expect(await signs(first)).toEqual([
    { sign: 'samePerson', loans: [third, second], found: 'since' },
    { sign: 'sameVin', loans: [third, second], found: 'since' },
    { sign: 'velocity', loans: [third, second], found: 'since' },
  ]);
  const asked = await stipulations(third);
  expect(asked).toContain('Other applications or open loans of the same person, to be explained');
  expect(asked).toContain('Title of the vehicle, free of another loan on it');
  expect(await stipulations(first)).not.toContain('Title of the vehicle, free of another loan on it');
  // Nothing of it is public, and nothing of it decides.
  const shown = await call('GET', `loan-data/${third}`, own);
  expect(shown.text).not.toMatch(/same(Person|Vin)|to be explained/);
  const { body } = await call('GET', `loans/${third}/deals`, own);
  const before = await call('GET', `loans/${first}/deals`, own);
  expect(body.data.items[0].decision).toBe(before.body.data.items[0].decision);

  // A choice of another deal repeats the run from its stored inputs, whatever has come up since.
  await post('complete-underwriting', {
    loanId: third,
    approved: true,
    dealIndex: 1,
    reason: 'The shorter one',
    reasonCode: 'documentedError',
  });
  expect((await signs(third)).filter(({ found }) => found === 'run')).toHaveLength(3);
  expect(await stipulations(third)).toEqual(asked);
});

test('another organization sees nothing of it, nor does a sandbox', async () => {
  const other = await another('Other');
  const theirs = await start(await apply({ vin: HONDA }, other), other);
  expect(await signs(theirs, other)).toEqual([]);
  const { data } = await post('sandboxes', { name: 'Rehearsal' });
  const sandbox = { ...data, key: data.apiKey, token: await tokenOf(data) } as Party;
  const rehearsed = await start(await apply({ vin: HONDA }, sandbox), sandbox);
  expect(await signs(rehearsed, sandbox)).toEqual([]);
  const mine = await apply({ vin: HONDA });
  expect((await signs(mine)).flatMap(({ loans }) => loans)).not.toContain(theirs);
  expect((await signs(mine)).flatMap(({ loans }) => loans)).not.toContain(rehearsed);
  expect((await call('GET', `loans/${mine}/signs`, other)).status).toBe(404);
});

test('home, telephone and account say something of other people alone, in every spelling', async () => {
  const account = { BankRoutingNumber: '021000021', BankAccountNumber: '000-8841-77' };
  const bob = await apply({ applicant: { ...BOB, ...account, ApplicantSSN: '666-00-0003' }, vin: OTHER_CAR });
  const spelt = {
    ...{ ApplicantSSN: '666-00-0004', HomePhone: '+1 555 201 0777', ...account, BankAccountNumber: '000884177' },
    ...{ ApplicantAddress: '900 ELM RD.', ApplicantZip: '44106' },
  };
  const carl = await start(await apply({ applicant: spelt }));
  expect(await signs(carl)).toEqual([
    { sign: 'samePhone', loans: [bob], found: 'run' },
    { sign: 'sameAddress', loans: [bob], found: 'run' },
    { sign: 'sameAccount', loans: [bob], found: 'run' },
  ]);
  expect((await stipulations(carl)).filter((text) => text.includes('explained'))).toHaveLength(1);
  // Bob again: the same home says nothing new of him.
  const again = await apply({ applicant: { ...BOB, ...account, ApplicantSSN: '666-00-0003' } });
  expect((await signs(again)).map(({ sign, loans }) => [sign, loans])).toContainEqual(['samePerson', [bob]]);
  expect((await signs(again)).find(({ sign }) => sign === 'samePhone')?.loans).toEqual([carl]);
  // A new address is looked for from then on.
  const moved = await apply({
    applicant: { ...BOB, ApplicantSSN: '666-00-0005', HomePhone: '', ApplicantAddress: '1 Oak Ln' },
  });
  const address = { street: '900 Elm Road', city: 'Cleveland', state: 'OH', zip: '44106' };
  expect(await signs(moved)).toEqual([]);
  await post('update-party', { loanId: moved, party: 'applicant', changes: { address }, reason: 'Moved' });
  expect((await signs(moved)).map(({ sign }) => sign)).toEqual(['sameAddress']);
});

test('a co-applicant is matched too, in either place, and two people of one number are a sign', async () => {
  const alone = await apply({
    applicant: { ...BOB, ApplicantSSN: '666-00-0015', ApplicantAddress: '5 Pine Ct', HomePhone: '' },
  });
  const joint = await apply({
    applicant: { ApplicantSSN: '666-00-0016', ApplicantAddress: '6 Pine Ct', HomePhone: '' },
    co: { CoApplicantSSN: '666-00-0015', MonthlyGross: 3_000 },
  });
  expect(await signs(joint)).toEqual([{ sign: 'samePerson', loans: [alone], found: 'since' }]);
  expect(await signs(alone)).toEqual([{ sign: 'samePerson', loans: [joint], found: 'since' }]);
  const twice = await start(
    await apply({
      applicant: { ApplicantSSN: '666-00-0019', ApplicantAddress: '7 Pine Ct', HomePhone: '' },
      co: { CoApplicantSSN: '666-00-0019', MonthlyGross: 3_000 },
    }),
  );
  expect(await signs(twice)).toEqual([{ sign: 'oneNumber', loans: [], found: 'run' }]);
});

test('an erased borrower is found no more, and those named before are named no more', async () => {
  const gone = { applicant: { ApplicantSSN: '666-00-0009', ApplicantAddress: '8 Pine Ct', HomePhone: '' } };
  const erased = await apply(gone);
  const kept = await start(await apply(gone));
  expect(await signs(kept)).toEqual([{ sign: 'samePerson', loans: [erased], found: 'run' }]);
  await post('cancel', { loanId: erased });
  const done = await eraseBorrower(service.db, { loanId: erased, retentionDays: 0, now: service.clock.now + 60_000 });
  expect(done).toHaveProperty('erasedAt');
  expect(await signs(kept)).toEqual([]);
  expect(await signs(erased)).toEqual([]);
});

test('applications count for half a year, and a loan as long as it is open', async () => {
  await days(200);
  expect(await signs(firstOfThree)).toEqual([
    { sign: 'samePerson', loans: [thirdOfThree], found: 'since' },
    { sign: 'sameVin', loans: [thirdOfThree], found: 'since' },
  ]);
});
