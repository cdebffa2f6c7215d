/**
 * A search for a way around the credit decision. Random applications are edited as somebody would who wants a better answer than the facts
 * give: facts are left out, stated otherwise or twice, the deal is restructured, dates are moved. No edit that takes information away or
 * adds risk may turn a decline into an approval or lower the rate, and one that says the same in another way changes nothing.
 *
 * `npm test` makes some edits, `TEST_LONG=1` 20,000; `EDITS` and `SEED` choose another number and another set.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { type Application, anyApplication, type Edit, edited, type Offered } from '../support/credit-edits.ts';
import { randomFrom } from '../support/fuzz/random.ts';
import { creation } from '../support/statuses.ts';
import { WHOLE } from '../support/whole.ts';

const EDITS = Number(process.env.EDITS ?? (process.env.TEST_LONG ? 20_000 : WHOLE ? 500 : 100));
const SEED = Number(process.env.SEED ?? 37);
/** Edits of one application, so that it is assessed once. */
const EACH = 10;
/** For one that is made into a loan. */
const OFFERS = 50;

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
}, 120_000);
afterAll(() => service.close(), 120_000);

const post = (path: string, body: object) =>
  service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body });

/** Null: it is refused, which is no better than a decline. */
async function offered(body: object): Promise<Offered | null> {
  const { status, body: answer, text } = await post('calculate-offer', body);
  expect([200, 409, 422], text).toContain(status);
  if (status !== 200) return null;
  const { decision, deals, grade, stipulations } = answer.data;
  return { decision, rate: Number(deals[0].pricing.buyRate), grade, deals, stipulations };
}

type Found = Map<string, { times: number; first: string }>;

/** Each edit that gave a better answer than the facts, with how often it did. */
function openFound() {
  const found: Found = new Map();
  return {
    note(wrong: string | null, edits: readonly Edit[], example: object): void {
      if (wrong === null) return;
      const what = `${wrong}: ${edits.map((edit) => edit.name).join(' + ')}`;
      const { times, first } = found.get(what) ?? { times: 0, first: JSON.stringify(example) };
      found.set(what, { times: times + 1, first });
    },
    expectNone(): void {
      const told = [...found].map(([what, { times }]) => `${what} (${times} times)`);
      expect(told, [...found.values()][0]?.first.slice(0, 6_000)).toEqual([]);
    },
  };
}

test('no edit gives a better answer than the facts', { timeout: 120_000 + EDITS * 100 }, async () => {
  const random = randomFrom(SEED);
  const found = openFound();
  const counts = { declined: 0, approved: 0 };
  for (let n = 0; n < EDITS; ) {
    const application = anyApplication(random);
    const before = await offered(application);
    if (before === null) throw new Error(`An application was refused: ${JSON.stringify(application)}`);
    for (let i = 0; i < EACH && n < EDITS; i += 1, n += 1) {
      const { body, edits } = edited(application, random);
      const after = await offered(body);
      counts[before.decision === 'APPROVED' ? 'approved' : 'declined'] += 1;
      found.note(better(before, after, edits), edits, { application, body });
    }
  }
  found.expectNone();
  expect(Math.min(counts.declined, counts.approved)).toBeGreaterThan(EDITS / 20);
});

/** The first of what `ssn` may be: people of the simulator. */
const PEOPLE = ['01', '02', '03', '04', '05', '06', '09', '10', '11', '15', '16', '19'];

/** The same application as a loan, as far as its completed decision. */
async function decided(application: Application, ssn: string, of: string): Promise<Offered | null> {
  const { asOf: _, report: __, coApplicantReport: ___, ...terms } = application;
  const stated = application.Request.ApplicantInfo?.ApplicantSSN;
  const ApplicantInfo = { ...application.Request.ApplicantInfo, ...(stated ? { ApplicantSSN: ssn } : {}) };
  const created = await post('loans', {
    ...creation({ applicationId: of }),
    ...terms,
    Request: { ...application.Request, ApplicantInfo },
  });
  expect([200, 409, 422], created.text).toContain(created.status);
  if (created.status !== 200) return null;
  const { loanId } = created.body;
  const begun = await post('start-underwriting', { loanId });
  if (begun.status !== 200) return null;
  const ended = await post('complete-underwriting', { loanId });
  if (ended.status !== 200) return null;
  const { body } = await service.call('GET', `/v2/chain/loans/${loanId}/deals`, { token });
  const [{ pricing }] = body.data.items;
  const record = await service.call('GET', `/v2/chain/loans/${loanId}`, { token, key: service.credentials.apiKey });
  // Others may follow from signs: the edited application is a duplicate of the first.
  const stipulations = record.body.data.Response.Stipulations.filter(isOfBirth);
  return {
    decision: ended.body.data.decision,
    rate: Number(pricing?.buyRate ?? 99),
    grade: '',
    deals: null,
    stipulations,
  };
}

test('nor for a loan, as far as its decision', { timeout: 120_000 + EDITS * 100 }, async () => {
  const random = randomFrom(SEED);
  const found = openFound();
  for (let n = 0; n < EDITS / OFFERS; n += 1) {
    const ssn = `666-00-00${random.pick(PEOPLE)}`;
    const application = anyApplication(random);
    if (application.coApplicantReport !== undefined) continue;
    const { body, edits } = edited(application, random);
    const before = await decided(application, ssn, `A-${n}`);
    if (before === null) throw new Error(`An application was refused: ${JSON.stringify(application)}`);
    found.note(better(before, await decided(body, ssn, `B-${n}`), edits), edits, { application, body });
  }
  found.expectNone();
});

const isOfBirth = (text: string) => text.includes('date of birth');

/** In a few words; null: it is no better. */
function better(before: Offered, after: Offered | null, edits: readonly Edit[]): string | null {
  if (after === null) return null;
  if (edits.every(({ kind }) => kind === 'same')) {
    return JSON.stringify(after) === JSON.stringify(before) ? null : 'another answer';
  }
  // Without a date of birth nobody is known to be a minor: proof of it is asked for.
  const asked = edits.some(({ name }) => name.endsWith('DOB left out')) && after.stipulations.some(isOfBirth);
  if (before.decision === 'DECLINED' && after.decision === 'APPROVED' && !asked) return 'approved';
  // A larger loan carries its fixed costs more easily: its rate may be lower, its decision not better.
  if (edits.every(({ ofRate = true }) => ofRate) && after.rate < before.rate) return 'a lower rate';
  if (after.grade < before.grade) return 'a better grade';
  return null;
}
