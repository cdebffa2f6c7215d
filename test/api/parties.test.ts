/** New contact data of the people on a loan: what the records show, on which day, and what finds the loan. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { applicationBody } from '../../src/demo/application.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { eraseBorrower } from '../../src/loans/people/erase.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { type TestApp, testApp } from '../support/app.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
});
afterAll(() => service.close());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body, headers });
const get = (path: string) => service.call('GET', `/v2/chain/${path}`, { token, key: service.credentials.apiKey });
const on = async (day: string) => {
  service.clock.now = Date.parse(`${day}T17:00:00Z`);
  token = await service.token();
};

let loans = 0;
type Application = { Request: Record<string, Record<string, unknown>> };

async function loan(more: { coApplicantSsn?: string; own?: object; applicant?: object } = {}): Promise<string> {
  await on('2026-01-15');
  loans += 1;
  const body = applicationBody(3) as Application;
  const { Request } = body;
  const answer = await post('loans', {
    ...body,
    applicationId: `PARTY-${loans}`,
    ...more.own,
    Request: {
      ...Request,
      ApplicantInfo: { ...Request.ApplicantInfo, ...more.applicant },
      CoApplicantInfo: { CoApplicantSSN: more.coApplicantSsn ?? '' },
    },
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.loanId;
}

const update = (loanId: string, changes: object, more: object = {}, query = '') =>
  post(`update-party${query}`, { loanId, party: 'applicant', changes, reason: 'called in', ...more });
const applicant = async (loanId: string, query = '') =>
  (await get(`loans/${loanId}${query}`)).body.data.Request.ApplicantInfo;
const found = async (terms: object) =>
  ((await post('search-loans', terms)).body.data.items as { loanId: string }[]).map(({ loanId }) => loanId);

const ADDRESS = { street: '12 Oak St', city: 'Dayton', state: 'OH', zip: '45402' };

test('the full record shows the present values, as of a date those of that date, and as known at a time what was known', async () => {
  const loanId = await loan();
  const before = await applicant(loanId);
  await on('2026-02-01');
  const answer = await update(loanId, { address: ADDRESS, phone: '(614) 555-0173' });
  expect(answer.body).toMatchObject({ message: 'ok', data: { loanId, loanStatus: 'ApplicationSubmitted' } });
  await on('2026-03-01');
  expect((await update(loanId, { lastName: 'Married-Name', phone: '614-555-0174' })).status).toBe(200);
  // Learned late: between the two the telephone was another one.
  expect((await update(loanId, { phone: '614-555-0199', email: 'x@example.com' }, { date: '2026-02-10' })).status).toBe(
    200,
  );

  const after = await applicant(loanId);
  expect(after).toEqual({
    ...before,
    ...{ AddressFull: '12 Oak St, Dayton, OH 45402', ApplicantFullAddress: '12 Oak St, Dayton, OH 45402' },
    ...{ ApplicantAddress: '12 Oak St', ApplicantCity: 'Dayton', ApplicantState: 'OH', ApplicantZip: '45402' },
    ...{ County: '', StreetNumber: '12', UnitNumber: '', HomePhone: '614-555-0174' },
    ...{ ApplicantLastName: 'Married-Name', ApplicantEmail: 'x@example.com', Email: 'x@example.com' },
  });
  expect(await applicant(loanId, '?asOf=2026-01-31')).toEqual(before);
  expect((await applicant(loanId, '?asOf=2026-02-09')).HomePhone).toBe('(614) 555-0173');
  expect((await applicant(loanId, '?asOf=2026-02-10')).HomePhone).toBe('614-555-0199');
  expect((await applicant(loanId, '?asOf=2026-02-10&knownAt=2026-02-20T00:00:00Z')).HomePhone).toBe('(614) 555-0173');
  expect((await applicant(loanId, '?asOf=2026-02-10')).ApplicantLastName).toBe(before.ApplicantLastName);

  const timeline = (await get(`loans/${loanId}/timeline`)).body.data.items;
  expect(timeline.slice(1).map(({ type, date, reason }: Record<string, string>) => [type, date, reason])).toEqual([
    ['partyUpdated', '2026-02-01', 'called in'],
    ['partyUpdated', '2026-03-01', 'called in'],
    ['partyUpdated', '2026-02-10', 'called in'],
  ]);
});

test('a record of more than a megabyte is shown with its changes too', async () => {
  const loanId = await loan({ applicant: { own: 'ü'.repeat(700_000) } });
  expect((await update(loanId, { firstName: 'Zoë' })).status).toBe(200);
  const shown = await applicant(loanId);
  expect([shown.ApplicantFirstName, shown.own.length]).toEqual(['Zoë', 700_000]);
});

test('a search finds the loan by new and by former values', async () => {
  const loanId = await loan();
  const former = (await applicant(loanId)) as Record<string, string>;
  const [email, phone] = [`new-${loans}@example.com`, '937-555-0101'];
  expect((await update(loanId, { email, phone, workPhone: '937-555-0102', lastName: 'Married-Name' })).status).toBe(
    200,
  );
  const dateOfBirth = former.ApplicantDOB;
  for (const terms of [
    ...[{ email }, { phone }, { phone: '+1 (937) 555-0102' }, { lastName: 'MARRIED NAME', dateOfBirth }],
    ...[{ phone: former.HomePhone }, { lastName: former.ApplicantLastName, dateOfBirth }],
  ]) {
    expect(await found(terms), Object.keys(terms).join()).toContain(loanId);
  }
});

test('a co-applicant has contact data of its own; without one there is nothing to change', async () => {
  const loanId = await loan({ coApplicantSsn: '666-00-0002' });
  expect((await update(loanId, { phone: '937-555-0110', address: ADDRESS }, { party: 'coApplicant' })).status).toBe(
    200,
  );
  const { Request } = (await get(`loans/${loanId}`)).body.data;
  expect(Request.CoApplicantInfo).toMatchObject({
    CoApplicantSSN: '666-00-0002',
    HomePhone: '937-555-0110',
    CoApplicantCity: 'Dayton',
  });
  expect(Request.ApplicantInfo.HomePhone).not.toBe('937-555-0110');
  expect(await found({ phone: '937-555-0110' })).toEqual([loanId]);

  const alone = await update(await loan(), { phone: '937-555-0111' }, { party: 'coApplicant' });
  expect([alone.status, alone.body.detail]).toEqual([404, 'This loan has no co-applicant.']);
  expect(alone.body.errors).toMatchObject([{ pointer: '/party', code: 'unknown_reference' }]);
});

describe('what is refused', () => {
  test.each<[string, object, object, string]>([
    ['no change', {}, {}, '/changes'],
    ['a social security number', { ssn: '666-00-0001' }, {}, '/changes/ssn'],
    ['a date of birth', { dateOfBirth: '1980-01-02' }, {}, '/changes/dateOfBirth'],
    ['half an address', { address: { city: 'Dayton' } }, {}, '/changes/address/street'],
    ['an address in one line', { address: '12 Oak St, Dayton' }, {}, '/changes/address'],
    ['an unknown part of an address', { address: { ...ADDRESS, country: 'US' } }, {}, '/changes/address/country'],
    ['no state', { address: { ...ADDRESS, state: 'ZZ' } }, {}, '/changes/address/state'],
    ['a ZIP code with letters', { address: { ...ADDRESS, zip: '4540X' } }, {}, '/changes/address/zip'],
    ['a telephone number with letters', { phone: 'call me' }, {}, '/changes/phone'],
    ['an e-mail address without @', { email: 'planted.example.com' }, {}, '/changes/email'],
    ['a line break in a name', { lastName: 'Planted\nName' }, {}, '/changes/lastName'],
    ['a name of 61 characters', { lastName: 'x'.repeat(61) }, {}, '/changes/lastName'],
    ['an empty name', { firstName: '' }, {}, '/changes/firstName'],
    ['no name', { firstName: null }, {}, '/changes/firstName'],
    ['another party', { phone: '937-555-0111' }, { party: 'dealer' }, '/party'],
    ['no reason', { phone: '937-555-0111' }, { reason: undefined }, '/reason'],
    ['a date in the future', { phone: '937-555-0111' }, { date: '2026-01-16' }, '/date'],
    ['a date before the loan', { phone: '937-555-0111' }, { date: '2026-01-14' }, '/date'],
  ])('%s', async (_, changes, more, pointer) => {
    const loanId = await loan();
    const answer = await update(loanId, changes, more);
    expect(answer.status, answer.text).toBe(422);
    expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
    expect(answer.text).not.toContain('lanted');
  });
});

test('a retry under the same key changes nothing, a dry run stores nothing, and both show no value', async () => {
  const loanId = await loan();
  const body = { loanId, party: 'applicant', changes: { employer: 'Planted Works' }, reason: 'new job' };
  const key = { 'idempotency-key': `party-${loans}` };
  const dry = await post('update-party?dryRun=true', body);
  expect(dry.body.data).toMatchObject({
    dryRun: true,
    events: [{ type: 'partyUpdated', date: '2026-01-15' }],
    journal: [],
  });
  const first = await post('update-party', body, key);
  const again = await post('update-party', body, key);
  expect(again.text).toBe(first.text);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  const other = await post('update-party', { ...body, changes: { employer: 'Other Works' } }, key);
  expect(other.status).toBe(422);
  for (const { text } of [dry, first, again, other]) expect(text).not.toContain('Works');
  const rows = await service.db.query('SELECT 1 FROM party_changes WHERE loan_id = $1', [`\\x${loanId.slice(2)}`]);
  expect(rows).toHaveLength(1);
  expect((await applicant(loanId)).EmploymentCompany).toBe('Planted Works');
});

test('a client without servicing:write may not, and one without loans:read_pii may', async () => {
  const loanId = await loan();
  const body = { loanId, party: 'applicant', changes: { phone: '937-555-0120' }, reason: 'called in' };
  const as = async (scopes: Parameters<TestApp['token']>[0]) =>
    service.call('POST', '/v2/chain/update-party', { token: await service.token(scopes), body });
  expect((await as(['loans:read', 'loans:write', 'loans:read_pii'])).status).toBe(403);
  expect((await as(['servicing:write'])).status).toBe(200);
});

test('underwriting goes by the address of its day, and a notice is sent to the present one', async () => {
  // 16 % is the most that the sample policy allows in New York.
  const loanId = await loan({
    own: { interestRate: '17' },
    applicant: { ApplicantSSN: '666-00-0001', MonthlyGross: 9_000 },
  });
  const moved = { ...ADDRESS, street: '1 Former St', city: 'Albany', state: 'NY', zip: '12207' };
  expect((await update(loanId, { address: moved })).status).toBe(200);
  expect((await post('start-underwriting', { loanId })).status).toBe(200);
  const { Request, Underwriting } = (await get(`loans/${loanId}`)).body.data;
  expect(Request.ApplicantInfo.ApplicantState).toBe('NY');
  expect(Underwriting.UnderwritingInfo[0].DecisionReason).toContain('at most 16 %');

  await on('2026-01-20');
  expect(
    (await update(loanId, { address: { ...ADDRESS, street: '2 Present St' }, lastName: 'Married-Name' })).status,
  ).toBe(200);
  const party = (name: string) => ({ name, address: '1 Main Street', telephone: '555-0100' });
  const asked = { creditor: party('Harbor Auto Finance'), bureau: party('Example Bureau') };
  const written = await post('adverse-action-notice', { loanId, ...asked });
  expect(written.status, written.text).toBe(200);
  const { notice } = written.body.data;
  expect(notice).toContain('2 Present St');
  expect(notice).toContain('Married-Name');
  expect(notice).not.toContain('1 Former St');
});

test('the book verifies, and a change of what is stored is named', async () => {
  const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: '07'.repeat(32) }), masterKeyId);
  const loanId = await loan();
  const id = `\\x${loanId.slice(2)}`;
  for (const phone of ['937-555-0131', '937-555-0132']) expect((await update(loanId, { phone })).status).toBe(200);
  const complaints = async () => {
    while ((await service.loans.ledger.seal()) > 0);
    const report = await verifyBook({ db: service.db, masterKeys });
    return report.complaints.map(({ table, what }) => `${table}: ${what}`);
  };
  expect(await complaints()).toEqual([]);
  // Two changes of one loan exchanged.
  await service.db.query(
    `UPDATE party_changes a SET sealed = b.sealed FROM party_changes b
     WHERE a.volume = b.volume AND a.loan_id = $1 AND b.loan_id = $1 AND a.commitment <> b.commitment`,
    [id],
  );
  const broken = 'party_changes: sealed cannot be decrypted, or does not match its commitment';
  expect(await complaints()).toEqual([broken, broken]);
  expect((await get(`loans/${loanId}`)).status).toBe(500);
  await service.db.query('DELETE FROM party_changes WHERE loan_id = $1', [id]);
  expect(await complaints()).toEqual([
    'party_changes: their number does not match the events that commit to one',
    'party_changes: is missing',
    'party_changes: is missing',
  ]);
});

test('erasing the borrower erases the changes, and nothing can be changed afterwards', async () => {
  const loanId = await loan();
  const phone = '937-555-0140';
  expect((await update(loanId, { phone })).status).toBe(200);
  expect((await post('cancel', { loanId, reason: 'withdrawn' })).status).toBe(200);
  // Also of an application that has ended.
  expect((await update(loanId, { email: 'later@example.com' })).status).toBe(200);
  const erased = await eraseBorrower(service.db, { loanId, retentionDays: 0, now: service.clock.now + 60_000 });
  expect(erased).toHaveProperty('erasedAt');
  expect(await found({ phone })).toEqual([]);
  expect((await applicant(loanId)).HomePhone).toBe('');
  const rows = await service.db.query('SELECT 1 FROM party_changes WHERE loan_id = $1', [`\\x${loanId.slice(2)}`]);
  expect(rows).toEqual([]);
  const refused = await update(loanId, { phone });
  expect([refused.status, refused.body.refusal]).toEqual([422, 'not_supported']);
});
