/**
 * No personal member (src/vault/fields.ts) leaves the service except in the full record: not through the public record, a list, a log, an
 * error, an event, the ledger, or a table that is not sealed. Every personal value of an application is replaced by a marked one, every
 * operation on the loan is called, and all answers, logs and tables are searched.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXPORTS } from '../../src/loans/exports/columns.ts';
import { personalValues } from '../../src/vault/fields.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { fullBody } from '../support/full-body.ts';
import { leaksIn } from '../support/leaks.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(() => service.close());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body, headers });
const get = (path: string, headers: Record<string, string> = {}) =>
  service.call('GET', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, headers });

/** Every string a full record holds, with the free text that callers send with writes. */
const REASON = 'asked for by Quentin Planted-Reason';
const PURPOSE = 'support call of Quentin Planted-Purpose';
const REQUEST_ID = 'Planted-Request';

/** Texts that may appear in the full record at most. */
const PLANTED = [
  ...['Planted-Reason', 'Planted-Purpose', REQUEST_ID, 'planted@make', 'SSN666', '666-00-0003', '666000004'],
  ...['planted-ltv', 'planted-probability', 'planted-cell'],
  ...['Planted-Street', 'Planted-City', '666-555-0007', 'planted-party@example.com', 'Planted-Party'],
  ...['Planted-Case', 'Planted-Court', 'Planted-Attorney', 'Planted-Note', 'Planted-Custom', 'planted_custom'],
];

/** Values that could occur anywhere by chance (a count, an amount, a word) become ones that could not. */
function planted(application: object): Record<string, unknown> {
  let n = 0;
  const mark = (name: string) => `planted-${name}-${++n}`;
  const copy = structuredClone(application) as Record<string, Record<string, Record<string, unknown>>>;
  const { Request, Response, Underwriting } = copy as Record<string, Record<string, Record<string, unknown>>>;
  // These keep their form, because they are searched by.
  const KEPT = /SSN|DOB|Email|Phone|LastName/;
  const applicant = Request?.ApplicantInfo as Record<string, unknown>;
  for (const name of Object.keys(applicant)) if (!KEPT.test(name)) applicant[name] = mark(name);
  // A number by its type, of which no other figure has the digits.
  applicant.MonthlyGross = 76543.2109;
  const bureau = Underwriting?.PrimaryCreditInfo as Record<string, unknown>;
  for (const name of Object.keys(bureau)) bureau[name] = mark(name);
  Object.assign(Response as object, {
    Comments: [mark('comment')],
    Stipulations: [mark('stipulation')],
    DeclineReason: mark('decline'),
  });
  const assessed = Underwriting?.UnderwritingInfo as unknown as Record<string, unknown>[];
  for (const one of assessed) {
    for (const name of ['AllWarnings', 'DecisionReason', 'DecisionReasonSimple']) one[name] = mark(name);
  }
  // Planted where figures and names belong: none of it may be in the public record.
  Object.assign(Request?.VehicleInfo as object, { VehicleMake: 'planted@make.example', VehicleModel: 'SSN666000002' });
  Object.assign(Underwriting?.DealTermsInfo?.[0] as object, { TermsLTV: mark('ltv'), TermsFrontEndLTV: '666-00-0003' });
  Object.assign(assessed[0] as object, { DefaultProb: mark('probability'), ForecastTotalPaid: '666000004' });
  const csv = Underwriting as unknown as { CashflowsCsv: string };
  csv.CashflowsCsv = `Borrower,${csv.CashflowsCsv.replace(/\n/g, `\n${mark('cell')},`)}`;
  const visions = ['lendingDecisionReason', 'applicantCreditVision', 'coApplicantCreditVision'];
  return { ...copy, ...Object.fromEntries(visions.map((name) => [name, mark(name)])) };
}

test('no personal value leaves except in the full record', { timeout: 60_000 }, async () => {
  const application = planted(fullBody(7));
  const created = await post('loans', { ...application, customData: { planted_custom: 'Planted-Custom' } });
  expect(created.status).toBe(200);
  const { loanId } = created.body;
  const said: [where: string, text: string][] = [['creation', created.text]];
  const say = async (where: string, answer: ReturnType<typeof post>) => {
    const { text, headers } = await answer;
    said.push([where, text + JSON.stringify([...headers])]);
  };

  // Operations with reasons, refusals, retries and dry runs.
  await say('start', post('start-underwriting', { loanId }));
  await say('complete', post('complete-underwriting', { loanId, approved: true, reason: REASON }));
  await say('initiate', post('initiate-repayment', { loanId }));
  const payment = { loanId, amount: '25.00', refId: 'P-1', reason: REASON };
  await say('repay', post('loan-repay', payment, { 'idempotency-key': 'once' }));
  await say('replay', post('loan-repay', payment, { 'idempotency-key': 'once' }));
  await say('dry run', post('loan-repay?dryRun=true', { ...payment, refId: 'P-2' }));
  await say('too much', post('loan-repay', { ...payment, refId: 'P-3', amount: '9,999,999' }));
  await say('return', post('return-repayment', { loanId, refId: 'P-1', reason: REASON }));
  const details = {
    caseNumber: 'Planted-Case',
    court: 'Planted-Court',
    attorney: 'Planted-Attorney',
    note: 'Planted-Note',
  };
  const hold = { loanId, kind: 'litigation', holdId: 'H-1', details, reason: REASON };
  await say('hold', post('place-hold', hold, { 'idempotency-key': 'held' }));
  await say('hold again', post('place-hold', hold, { 'idempotency-key': 'held' }));
  await say('second hold', post('place-hold', { ...hold, holdId: 'H-2' }));
  await say('under the hold', post('payment-reminders', { loanId }));
  await say('release', post('release-hold', { loanId, holdId: 'H-1', reason: REASON }));
  await say('twice', post('loans', application));
  const moved = {
    loanId,
    party: 'applicant',
    changes: {
      address: { street: '7 Planted-Street', city: 'Planted-City', state: 'OH', zip: '66600' },
      phone: '666-555-0007',
      email: 'planted-party@example.com',
      lastName: 'Planted-Party',
    },
    reason: REASON,
  };
  await say('update', post('update-party', moved, { 'idempotency-key': 'moved' }));
  await say('update again', post('update-party', moved, { 'idempotency-key': 'moved' }));
  await say('update dry', post('update-party?dryRun=true', moved));
  await say('update wrong', post('update-party', { ...moved, changes: { ...moved.changes, email: 'Planted-Party' } }));
  const custom = { loanId, customData: { planted_custom_too: 'Planted-Custom of Quentin' }, reason: REASON };
  await say('custom data', post('update-custom-data', custom, { 'idempotency-key': 'custom' }));
  await say('custom data again', post('update-custom-data', custom, { 'idempotency-key': 'custom' }));
  await say('custom data dry', post('update-custom-data?dryRun=true', custom));
  await say('custom data wrong', post('update-custom-data', { ...custom, customData: { 'planted custom': {} } }));
  await say('custom data of a stranger', get(`loans/${'0'.repeat(3)}/custom-data`));
  await say('found by custom data', post('search-loans', { customData: { planted_custom: 'Planted-Custom' } }));
  await say('publish', post('publish', { loanId, published: true }));
  const parts = [
    'schedule',
    'payoff',
    'history',
    'transactions',
    'journal',
    'explain/payoff',
    'summary',
    'identity',
    'payoff-quotes',
  ];
  for (const path of parts) await say(path, get(`loans/${loanId}/${path}`));
  // With the key they show reasons, which is a disclosure.
  for (const path of ['deals', 'timeline', 'holds']) {
    await say(path, service.call('GET', `/v2/chain/loans/${loanId}/${path}`, { token }));
  }
  await say('public record', get(`loan-data/${loanId}`));
  await say('list', get('loans'));
  for (const what of EXPORTS) {
    await say(`export of ${what}`, get(`exports/${what}`));
    await say(`export of ${what} as CSV`, get(`exports/${what}?format=csv`));
  }

  // The record itself, and requests of a careless client that put its values in the wrong place.
  const full = await get(`loans/${loanId}`, { purpose: PURPOSE, 'x-request-id': REQUEST_ID });
  expect(full.status).toBe(200);
  expect(full.headers.get('x-request-id')).toBe(REQUEST_ID);
  const values = personalValues(full.body.data);
  expect(full.text).toContain('planted-cell-');
  expect(values.length).toBeGreaterThan(1_300);
  const ssn = full.body.data.Request.ApplicantInfo.ApplicantSSN as string;
  expect(values).toContain(ssn);
  const email = full.body.data.Request.ApplicantInfo.ApplicantEmail as string;
  await say('in the address', get(`loans/${encodeURIComponent(email)}`));
  await say('as a query', get(`loans?q=${encodeURIComponent(ssn)}`));
  await say('as an unknown member', post('loan-repay', { ...payment, [ssn]: 1 }));
  await say('as a reference', post('loan-repay', { ...payment, refId: ssn }));
  await say('as an id', post('loans', { ...application, borrowerId: ssn }));
  await say('as a kind', post('loans', { ...application, loanType: email }));
  await say('as a search of the wrong type', post('search-loans', { ssn: { value: ssn }, email }));
  await say('as broken JSON', post('search-loans', `{"ssn": "${ssn}",}`));
  await say(
    'as a header',
    get(`loans/${loanId}`, { 'if-match': ssn, prefer: email, 'idempotency-key': ssn }).then(hideBody),
  );
  await say('search', post('search-loans', { ssn }));
  await service.loans.ledger.seal();

  await tellTables(said);
  said.push(['log', service.logged.join('\n')]);
  // The borrower's reference is in its owner's own lists and tables; the public record must not have it.
  const borrowerId = full.body.data.loanDetails.borrowerId as string;
  const leaks = said.flatMap(([where, text]) =>
    leaksIn(text, [...values, ...PLANTED, service.credentials.apiKey, service.credentials.clientSecret])
      .filter((value) => value !== borrowerId || where === 'public record')
      .map((value) => `${where}: ${value}`),
  );
  expect(leaks).toEqual([]);
});

test('nor does the record that the engine itself makes of an application', { timeout: 60_000 }, async () => {
  const { Response: _, Underwriting: __, ...application } = fullBody(11) as Record<string, unknown>;
  const { loanId } = (await post('loans', { ...application, published: true })).body;
  expect((await post('start-underwriting', { loanId })).status).toBe(200);
  const said: [where: string, text: string][] = [];
  for (const path of [`loan-data/${loanId}`, 'loans', `loans/${loanId}/transactions`, `loans/${loanId}/schedule`]) {
    said.push([path.replace(loanId, ''), (await get(path)).text]);
  }
  await tellTables(said);
  said.push(['log', service.logged.join('\n')]);
  const { data } = (await get(`loans/${loanId}`, { purpose: PURPOSE })).body;
  const { borrowerId } = data.loanDetails;
  const values = personalValues(data).filter((value) => value !== borrowerId && value.length > 5);
  expect(values.length).toBeGreaterThan(200);
  const leaks = said.flatMap(([where, text]) =>
    values
      // A figure of a report may be a month's interest in a forecast by chance, and its time is that of the run.
      .filter((value) => !/^[\d.,:TZ-]+$/.test(value) && text.includes(value))
      .map((value) => `${where}: ${value}`),
  );
  expect(leaks).toEqual([]);
});

async function tellTables(said: [where: string, text: string][]): Promise<void> {
  const tables = await service.db.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name`,
  );
  for (const { name } of tables) {
    const rows = await service.db.query(`SELECT * FROM ${name}`);
    const values = rows.flatMap((row) => Object.values(row as object));
    said.push([name, values.filter((value) => !(value instanceof Uint8Array)).join(' | ')]);
    // Bytes are megabytes of sealed parts. One that was not sealed would be compressed, or contain a name of the interface.
    for (const bytes of values.filter((value) => value instanceof Uint8Array)) {
      const text = Buffer.from(bytes).toString('latin1');
      expect([name, /planted|ApplicantInfo|CashflowsCsv|^\x28\xb5\x2f\xfd/i.exec(text)?.[0]]).toEqual([
        name,
        undefined,
      ]);
    }
  }
}

/** The answer without its body: only the headers of a full record are searched. */
function hideBody<T extends { text: string }>(answer: T): T {
  return { ...answer, text: '' };
}
