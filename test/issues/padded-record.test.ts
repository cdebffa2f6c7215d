/** Every value read from `Request` has a length limit, and completing a record does not make it much larger than it was submitted. */
import { expect, test } from 'vitest';
import { readCreation } from '../../src/boarding/creation.ts';
import { DEFAULT_LENDER_POLICY } from '../../src/core/policy.ts';
import { type Answered, testApp } from '../support/app.ts';
import { MACRO } from '../support/creation.ts';
import { creation } from '../support/statuses.ts';

const today = '2026-01-15' as Parameters<typeof readCreation>[1]['today'];
const read = (parts: string) =>
  readCreation(`${JSON.stringify(creation({})).slice(0, -1)},${parts}}`, {
    policies: { lenders: new Map(), others: DEFAULT_LENDER_POLICY },
    today,
    macro: MACRO,
  });

test.each([
  ['ApplicantInfo', 'ApplicantFirstName', 200],
  ['ApplicantInfo', 'ApplicantLastName', 200],
  ['ApplicantInfo', 'ApplicantState', 200],
  ['ApplicantInfo', 'ApplicantFullAddress', 500],
  ['RequestedTermsInfo', 'RequestedLoanPTI', 200],
  ['CoApplicantInfo', 'CoApplicantSSN', 200],
  ['CoApplicantInfo', 'CoApplicantIncome', 200],
  ['VehicleInfo', 'VehicleVIN', 200],
])('a %s.%s of 20 KB is refused with its name', (object, member, longest) => {
  // With an assessment made elsewhere: a state that nobody has to read is taken as it is given.
  const given = (text: string) =>
    read(`"Response":{"Decision":"APPROVED"},"Request":${JSON.stringify({ [object]: { [member]: text } })}`);
  expect(given('A'.repeat(20_000))).toEqual({
    mistakes: [
      {
        pointer: `/Request/${object}/${member}`,
        code: 'length',
        detail: `Must have at most ${longest} characters.`,
      },
    ],
  });
  expect(given('\u0001'.repeat(longest))).not.toHaveProperty('mistakes');
});

test('so is a date of birth of 20 KB, which is none', () => {
  const made = read(
    `"Response":{"Decision":"APPROVED"},"Request":{"ApplicantInfo":{"ApplicantDOB":"${'1'.repeat(20_000)}"}}`,
  );
  expect(made).toMatchObject({ mistakes: [{ pointer: '/Request/ApplicantInfo/ApplicantDOB', code: 'format' }] });
});

test('a number of 20,000 digits is refused too, and a member that the service does not read is not', () => {
  expect(read(`"Request":{"ApplicantInfo":{"MonthlyGross":${'1'.repeat(20_000)}}}`)).toHaveProperty('mistakes');
  expect(read(`"Request":{"ApplicantInfo":{"Notes":"${'x'.repeat(20_000)}"}}`)).not.toHaveProperty('mistakes');
});

test('a list of empty entries, and a repeated name, do not multiply the members that complete a record', () => {
  for (const list of ['"Response":{"LoanTerms":[', '"Underwriting":{"DealTermsInfo":[']) {
    expect(read(`${list}${'{},'.repeat(50_000)}{}]}`)).toHaveProperty('mistakes');
  }
  const repeated = `"Request":{${'"ApplicantInfo":{},'.repeat(5_000)}"ApplicantInfo":{}}`;
  const made = read(repeated);
  if (!('personal' in made)) throw new Error('The loan was refused.');
  expect(made.personal.record.length).toBeLessThan(repeated.length + 10_000);
  expect(JSON.parse(`{${made.personal.record}}`).Request.ApplicantInfo).toHaveProperty('ApplicantSSN', '');
});

test('underwriting prints a report for the longest name and address that are taken', {
  timeout: 120_000,
}, async () => {
  const service = await testApp({ REQUEST_TIMEOUT: '600' });
  try {
    const [token, key] = [await service.token(), service.credentials.apiKey];
    const long = 'M'.repeat(200);
    const Request = {
      ApplicantInfo: {
        ApplicantSSN: '666-00-0001',
        MonthlyGross: 5_000,
        ApplicantFirstName: long,
        ApplicantLastName: '\u0628'.repeat(200),
        ApplicantDOB: '1985-04-12',
        ApplicantState: 'OH',
        ApplicantAddress: 'ﬃ'.repeat(500),
      },
      VehicleInfo: { VehicleRetailValue: '20,000', VehicleVIN: long },
    };
    const post = async (path: string, body: object): Promise<Answered> => {
      const answer = await service.call('POST', `/v2/chain/${path}`, { token, key, body });
      // On a machine that stalls, checking access or pulling reports may time out: 503, which has nothing to do with the record.
      return answer.status === 503 ? post(path, body) : answer;
    };
    const created = await post('loans', { ...creation({}), Request, Response: undefined, Underwriting: undefined });
    expect(created.status).toBe(200);
    expect((await post('start-underwriting', { loanId: created.body.loanId })).status).toBe(200);
    const refused = await post('loans', {
      ...creation({}),
      Request: { ApplicantInfo: { ...Request.ApplicantInfo, ApplicantFirstName: long.repeat(100) } },
    });
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([
      422,
      '/Request/ApplicantInfo/ApplicantFirstName',
    ]);
  } finally {
    await service.close();
  }
});
