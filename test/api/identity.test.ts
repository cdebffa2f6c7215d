/** The masked identity: what is shown of the people and the vehicle of a loan without a purpose, and that nothing else is. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applicationBody } from '../../src/demo/application.ts';
import { eraseBorrower } from '../../src/loans/people/erase.ts';
import { personalValues } from '../../src/vault/fields.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { fullBody } from '../support/full-body.ts';
import { leaksIn } from '../support/leaks.ts';
import { signedIn } from '../support/people.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(() => service.close());

const key = () => service.credentials.apiKey;
const identity = (loanId: string, as: object = { token }) =>
  service.call('GET', `/v2/chain/loans/${loanId}/identity`, as);
const read = async (loanId: string, as?: object) => {
  const answer = await identity(loanId, as);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
};

async function create(body: object): Promise<string> {
  const answer = await service.call('POST', '/v2/chain/loans', { token, key: key(), body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.loanId;
}

type Application = { applicationId: string; Request: Record<string, Record<string, unknown>> };
const APPLICATION = applicationBody(3) as Application;
let applications = 0;
/** An application whose people have these members, and nothing else that would be shown. */
function lender(applicant: object, coApplicant: object = {}): object {
  applications += 1;
  const { Request } = APPLICATION;
  return {
    ...APPLICATION,
    applicationId: `IDENTITY-${applications}`,
    Request: { ...Request, ApplicantInfo: { ...applicant }, CoApplicantInfo: { ...coApplicant } },
  };
}
const NOTHING = { name: null, dateOfBirth: null, ssn: null, email: null, phone: null, workPhone: null };
const VEHICLE = APPLICATION.Request.VehicleInfo as Record<string, string>;

test('shows first name and initial, the last four of telephone numbers, and the vehicle', async () => {
  const applicant = {
    ...{ ApplicantFirstName: 'Robin', ApplicantLastName: 'Ellis', ApplicantDOB: '19800229' },
    ...{ ApplicantSSN: '666-12-3456', ApplicantEmail: 'robin.ellis@example.org', ApplicantState: 'OH' },
    ...{ HomePhone: '(614) 555-0173', EmploymentWorkPhone: '614-555-0188' },
  };
  const loanId = await create(lender(applicant, { CoApplicantSSN: '666-98-7654' }));
  expect(await read(loanId)).toEqual({
    loanId,
    erased: false,
    borrower: {
      ...{ name: 'Robin E.', dateOfBirth: '••••', ssn: '••••', email: 'r•••@•••' },
      ...{ phone: '•••• 0173', workPhone: '•••• 0188' },
    },
    coBorrower: { ...NOTHING, ssn: '••••' },
    vehicle: {
      description: `${VEHICLE.VehicleYear} ${VEHICLE.VehicleMake} ${VEHICLE.VehicleModel}`,
      vinLastFour: VEHICLE.VehicleVIN?.slice(-4),
    },
    state: 'OH',
  });
});

test.each([
  ['one letter', { ApplicantFirstName: 'R', ApplicantLastName: 'E' }, { name: 'R •' }],
  ['spaces', { ApplicantFirstName: '   ', ApplicantLastName: '\t ', ApplicantEmail: ' ' }, {}],
  ['nothing', { ApplicantFirstName: '', ApplicantLastName: '', HomePhone: '' }, {}],
  ['null', { ApplicantFirstName: null, ApplicantLastName: null, Email: null, ApplicantSSN: null }, {}],
  [
    'huge',
    { ApplicantFirstName: 'q'.repeat(200), ApplicantLastName: 'Z'.repeat(200) },
    { name: `${'q'.repeat(30)}… Z.` },
  ],
  ['emoji', { ApplicantFirstName: '🦊', ApplicantLastName: '🦊🐻🦁' }, { name: '🦊 •' }],
  ['right to left', { ApplicantFirstName: 'نور', ApplicantLastName: '\u202eالهاشمي' }, { name: 'نور ا.' }],
  ['the whole name', { ApplicantFirstName: 'Robin Q. Ellis' }, { name: 'Robin' }],
  ['a number', { ApplicantFirstName: '666-12-3456', ApplicantSSN: 666123456 }, { name: '••••', ssn: '••••' }],
  ['short numbers', { ApplicantSSN: '3456', HomePhone: '555-0173' }, { ssn: '••••', phone: '••••' }],
])('people whose name is %s', async (_, applicant, shown) => {
  const loanId = await create(lender(applicant));
  const answer = await identity(loanId);
  expect(answer.body.data.borrower).toEqual({ ...NOTHING, ...shown });
  expect(answer.body.data.coBorrower).toBeNull();
  for (const value of Object.values(applicant)) {
    const text = String(value ?? '').trim();
    const isShown = Object.values(shown).some((masked) => masked === text || masked.startsWith(`${text} `));
    if (text.length > 1 && !isShown) expect(leaksIn(answer.text, [text])).toEqual([]);
  }
});

test('no personal value of a complete record is in it, and no other read is needed for it', async () => {
  const loanId = await create(fullBody(7));
  const record = await service.call('GET', `/v2/chain/loans/${loanId}`, { token, key: key() });
  const firstName = record.body.data.Request.ApplicantInfo.ApplicantFirstName as string;
  const values = personalValues(record.body.data).filter((value) => value !== firstName);
  expect(values.length).toBeGreaterThan(100);
  const answer = await identity(loanId);
  expect(answer.body.data.borrower.name).toMatch(new RegExp(`^${firstName} [A-Z]\\.$`));
  expect(leaksIn(answer.text, values)).toEqual([]);
  const said = service.logged.filter((line) => line.includes('identity')).join();
  expect(said).not.toContain(firstName);
  // The record was read once, and that is the only disclosure.
  const { body } = await service.call('GET', `/v2/chain/loans/${loanId}/disclosures`, { token, key: key() });
  expect(body.data.items.filter(({ what }: { what: string }) => what !== 'disclosures')).toHaveLength(1);
});

test('a loan without an application or a vehicle has nothing to show', async () => {
  const loanId = await create(creation());
  expect(await read(loanId)).toEqual({
    ...{ loanId, erased: false, borrower: NOTHING, coBorrower: null, vehicle: null, state: null },
  });
});

test('it follows new contact data, and says when the borrower was erased', async () => {
  const applicant = { ApplicantFirstName: 'Robin', ApplicantLastName: 'Ellis', ApplicantSSN: '666-12-3456' };
  const loanId = await create(lender(applicant));
  const first = await identity(loanId);
  const changes = { lastName: 'Quill', phone: '614-555-0199' };
  const body = { loanId, party: 'applicant', changes, reason: 'Married' };
  expect((await service.call('POST', '/v2/chain/update-party', { token, key: key(), body })).status).toBe(200);
  expect((await read(loanId)).borrower).toMatchObject({ name: 'Robin Q.', phone: '•••• 0199' });
  const before = await identity(loanId);
  expect(before.headers.get('etag')).not.toBe(first.headers.get('etag'));
  expect(before.headers.get('cache-control')).toBe('no-store');

  const cancel = await service.call('POST', '/v2/chain/cancel', { token, key: key(), body: { loanId } });
  expect(cancel.status, cancel.text).toBe(200);
  const erased = await eraseBorrower(service.db, { loanId, retentionDays: 0, now: service.clock.now + 60_000 });
  expect(erased).toHaveProperty('erasedAt');
  const answer = await identity(loanId, { token, headers: { 'if-none-match': before.headers.get('etag') ?? '' } });
  expect(answer.status).toBe(200);
  expect(answer.body.data).toEqual({
    ...{ loanId, erased: true, borrower: null, coBorrower: null, vehicle: null, state: null },
  });
});

test('needs the scope of personal data, and neither key nor purpose; others find no loan', async () => {
  const loanId = await create(lender({ ApplicantFirstName: 'Robin', ApplicantLastName: 'Ellis' }));
  const refused = await identity(loanId, { token: await service.token(['loans:read', 'reports:read']) });
  expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
  expect(refused.text).not.toContain('Robin');
  expect((await read(loanId, { token: await service.token(['loans:read_pii']) })).borrower.name).toBe('Robin E.');
  const agent = await signedIn(service, ['agent']);
  expect((await read(loanId, { headers: agent.cookie })).borrower.name).toBe('Robin E.');
  const accountant = await signedIn(service, ['accountant']);
  expect((await identity(loanId, { headers: accountant.cookie })).status).toBe(403);

  const other = await service.access.createOrganization('Other');
  const stranger = await signedIn(service, ['agent'], other.organizationId);
  expect((await identity(loanId, { headers: stranger.cookie })).status).toBe(404);
  expect((await identity(`0x${'0'.repeat(64)}`)).status).toBe(404);
});
