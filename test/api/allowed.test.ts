/**
 * The operations allowed on a loan: each in every status, under every hold and at every limit of the policy. The expected answers follow
 * from the tables that the service publishes (`GET /transitions`, `GET /holds/effects`) and from the policy's limits; each cell is decided
 * by the engine, and a sample of them over HTTP.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { type Command, decide, type Operation, refusedNow } from '../../src/core/decide/decide.ts';
import type { LoanEvent } from '../../src/core/event.ts';
import { fold, foldAll } from '../../src/core/fold.ts';
import { type LoanStatus, STATUSES } from '../../src/core/loan.ts';
import { cents } from '../../src/core/money.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/core/policy.ts';
import { isRefusal, type Refusal } from '../../src/core/refusal.ts';
import { statusOf } from '../../src/core/status.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { granted } from '../support/granted.ts';
import { contractOf, type Life, live } from '../support/life.ts';
import { rowOf } from '../support/operations.ts';
import { loanIn } from '../support/statuses.ts';

type HoldRow = { kind: string; stage: string | null; effects: { area: string; effect: string }[] };
type Tables = {
  transitions: { operation: Operation; from: LoanStatus[] }[];
  areas: { area: string; operations: Operation[] }[];
  effects: { effect: string; about: string }[];
  holds: HoldRow[];
};

let service: TestApp;
let token: string;
let tables: Tables;
const loans = new Map<LoanStatus, string>();
const SAMPLE: readonly LoanStatus[] = ['Approved', 'Current', 'Delinquent', 'ChargedOff', 'ClosedEarly', 'Cancelled'];

beforeAll(async () => {
  service = await testApp();
  token = await service.token();
  const { holds, areas, effects } = (await get('holds/effects')).body.data;
  tables = { transitions: (await get('transitions')).body.data.operations, areas, effects, holds };
  const payoffOf = async (loanId: string) => (await get(`loans/${loanId}/payoff`)).body.data.payoff;
  for (const status of SAMPLE) loans.set(status, await loanIn(status, post, payoffOf));
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: object, as = token) =>
  service.call(method, `/v2/chain/${path}`, { token: as, key: service.credentials.apiKey, body });
const post = (path: string, body: object) => call('POST', path, body);
const get = (path: string) => call('GET', path);

// ---- what the tables say ----

/** The words of the published effect: what is forbidden, or allowed only on a ground that an ordinary request does not have. */
const forbids = (effect: string) =>
  /^(Forbidden|Only|Nothing)\b/.test(tables.effects.find((one) => one.effect === effect)?.about ?? '');

const NOT_YET_FUNDED: readonly LoanStatus[] = ['Approved', 'CollateralApproved'];

/** The refusal that the tables alone lead to; null: they let it through. */
function expected(operation: Operation, status: LoanStatus, hold: HoldRow | null): 'wrong_status' | 'on_hold' | null {
  const from = tables.transitions.find((one) => one.operation === operation)?.from ?? [];
  if (!from.includes(status)) return 'wrong_status';
  const area = tables.areas.find(({ operations }) => operations.includes(operation))?.area;
  const effect = hold?.effects.find((one) => one.area === area)?.effect;
  if (effect === undefined || !forbids(effect)) return null;
  // A loan that is funded has nothing left to fund.
  return area === 'funding' && !NOT_YET_FUNDED.includes(status) ? null : 'on_hold';
}

// ---- the engine ----

const TODAY = '2026-08-01';

/** A loan in each status, under a policy. */
function inStatus(status: LoanStatus, policy: Partial<Policy>): Life {
  const start: Command = { do: 'start-underwriting' };
  const decided = (approved: boolean): Command => ({
    do: 'complete-underwriting',
    approved,
    dealIndex: 0,
    reason: 'as assessed',
  });
  const day = '2026-01-01';
  const fresh = () => live(contractOf(), policy);
  const then = (life: Life, ...commands: Command[]) => {
    for (const command of commands) life.take(status === 'ChargedOff' ? '2026-07-31' : day, command);
    return life;
  };
  const oneMonth = (paid: string) => {
    const life = live(contractOf({ count: 1 }), policy)
      .fund()
      .pay(paid, '10100', 'P');
    life.take('2026-02-02', { do: 'acknowledge-repayment', refId: 'P' });
    return life;
  };
  const today = () => live(contractOf({ contractDate: date(TODAY), firstPaymentDate: null }), policy).fund(TODAY);
  const late = () => fresh().fund().pay('2026-02-01', '10', 'P');
  const makers: Record<LoanStatus, () => Life> = {
    ApplicationSubmitted: () => fresh().create(day),
    DocumentsRequested: () => then(fresh().create(day), { do: 'request-documents' }),
    DocumentsVerified: () =>
      then(fresh().create(day), { do: 'request-documents' }, { do: 'verify-documents', complete: true }),
    UnderwritingStarted: () => then(fresh().create(day), start),
    Approved: () => fresh().approve(day),
    Rejected: () => then(fresh().create(day), start, decided(false)),
    CollateralRequested: () => then(fresh().approve(day), { do: 'request-collateral' }),
    CollateralApproved: () => then(fresh().approve(day), { do: 'approve-collateral', value: cents(900_000) }),
    Funded: today,
    Current: () => today().pay(TODAY, '10', 'P'),
    Delinquent: late,
    Defaulted: () => {
      const life = late();
      life.take(TODAY, rowOf('default').smallest(life.loan(TODAY)));
      return life;
    },
    ChargedOff: () => then(late(), { do: 'charge-off', date: null, reason: 'policy', collateral: cents(0) }),
    Closed: () => oneMonth('2026-02-01'),
    ClosedEarly: () => oneMonth('2026-01-31'),
    Cancelled: () => then(fresh().approve(day), { do: 'cancel', reason: 'withdrawn' }),
  };
  return makers[status]();
}

const GENEROUS: Pick<Policy, 'extension' | 'reage'> = {
  extension: { perTwelveMonths: 99, perLife: 99, minimumPaid: 0, maximumDaysPastDue: 9_999 },
  reage: { perTwelveMonths: 99, perLife: 99, minimumPaid: 0 },
};
/** Each limit of the policy at a value that every loan exceeds, by its path. */
const LIMITS: readonly (readonly [operation: Operation, path: string, policy: Partial<Policy>])[] = (
  ['extension', 'reage'] as const
).flatMap((group) =>
  Object.keys(DEFAULT_POLICY[group]).map((name) => {
    const value = name === 'minimumPaid' ? 1_000 : name === 'maximumDaysPastDue' ? -1 : 0;
    const policy = { ...GENEROUS, [group]: { ...GENEROUS[group], [name]: value } };
    return [group === 'extension' ? 'extend' : 'reage', `${group}.${name}`, policy] as const;
  }),
);

function withHold(events: readonly LoanEvent[], hold: HoldRow | null): readonly LoanEvent[] {
  if (hold === null) return events;
  const { kind, stage } = hold;
  const bankruptcy = {
    chapter: 7 as const,
    filed: null,
    discharged: stage === 'stay' ? null : date(TODAY),
    reaffirmed: stage === 'reaffirmed',
  };
  const placed: LoanEvent = {
    type: 'holdPlaced',
    holdId: 'H',
    kind: kind as never,
    to: null,
    ...(stage === null ? {} : { bankruptcy }),
    detailed: false,
    date: date(TODAY),
    recordedOn: date(TODAY),
    recordedAt: `${TODAY}T13:00:00.000Z`,
  };
  return [...events, placed];
}

type Standing = ReturnType<typeof standing>;

function standing(events: readonly LoanEvent[]) {
  const loan = fold(events, date(TODAY));
  const when = { today: date(TODAY), at: `${TODAY}T14:00:00.000Z` };
  const onFile = { decision: null, deals: [], opening: null };
  return { history: { folding: foldAll(events), events }, loan, status: statusOf(loan), when, onFile };
}

/** The answer to the smallest command of an operation, and the refusal that is reported beforehand. */
function asked(situation: Standing, operation: Operation): { answer: Refusal | null; said: Refusal | null } {
  const { history, loan, when, onFile } = situation;
  const answer = decide(history, rowOf(operation).smallest(loan), when, onFile);
  const said = refusedNow(operation, situation);
  if (answer === 'needs_events' || said === 'needs_events') throw new Error('The events were given.');
  const repeated = !isRefusal(answer) && answer.repeated;
  return { answer: isRefusal(answer) ? answer : null, said: repeated ? null : said };
}

describe('every operation in every status, under every hold, at every limit', () => {
  test.each(STATUSES)('%s', (status) => {
    const plain = inStatus(status, GENEROUS).events;
    const free = standing(plain);
    expect(free.status).toBe(status);
    const limited = LIMITS.map(
      ([operation, path, policy]) => [operation, path, inStatus(status, policy).events] as const,
    );
    for (const hold of [null, ...tables.holds]) {
      const held = standing(withHold(plain, hold));
      const atLimits = limited.map(([of, limit, events]) => ({ of, limit, there: standing(withHold(events, hold)) }));
      for (const { operation } of tables.transitions) {
        const cell = `${operation}, ${status}, ${hold?.kind ?? 'no hold'} ${hold?.stage ?? ''}`;
        const { answer, said } = asked(held, operation);
        checkCell({ operation, status, hold, cell, answer, free });
        if (said !== null) expect(answer?.refused, cell).toBe(said.refused);
        for (const { of, limit, there } of atLimits) {
          const limitedTo = asked(there, operation);
          // Other refusals of the command come before the limit, which concerns one operation alone.
          const exceeded = of === operation && answer === null;
          const codes = [limitedTo.answer?.refused, limitedTo.said?.refused];
          const code = exceeded ? ['policy_limit', 'policy_limit'] : [answer?.refused, said?.refused];
          if (codes.join() !== code.join()) expect(codes, `${cell}, ${limit}`).toEqual(code);
          if (exceeded) expect(limitedTo.answer?.facts, cell).toMatchObject({ limit });
        }
      }
    }
  });
});

type Cell = {
  operation: Operation;
  status: LoanStatus;
  hold: HoldRow | null;
  cell: string;
  answer: Refusal | null;
  free: Standing;
};

function checkCell({ operation, status, hold, cell, answer, free }: Cell): void {
  const byTables = expected(operation, status, hold);
  if (byTables === 'on_hold') {
    expect(answer, cell).toMatchObject({ refused: 'on_hold', facts: { holds: [{ holdId: 'H', kind: hold?.kind }] } });
  } else if (byTables === 'wrong_status') {
    // Otherwise it is the same call again, which succeeds in any status.
    if (answer !== null) expect(answer, cell).toMatchObject({ refused: 'wrong_status', facts: { loanStatus: status } });
  } else if (operation !== 'place-hold' && operation !== 'release-hold') {
    // Without a hold it is answered the same: neither more nor less is refused than the table says.
    expect(answer?.refused, cell).toBe(asked(free, operation).answer?.refused);
  }
}

// ---- over HTTP ----

const BODIES: Partial<Record<Operation, object>> = {
  'fund-loan': {},
  'initiate-repayment': {},
  'loan-repay': { amount: '0.01', refId: 'SMALLEST', acceptOverpayment: true },
  'waive-fee': { feeId: 'F-1', reason: 'Goodwill' },
  extend: { periods: 1, reason: 'Hardship' },
  'change-due-date': { to: '2026-01-20', reason: 'Payday' },
  reage: { reason: 'Back at work' },
  delinquent: {},
  'payment-reminders': {},
  'charge-off': { reason: 'Policy' },
  'write-down': { amount: '0.01', reason: 'Auction' },
  'refund-credit': { amount: '0.01', refId: 'SMALLEST' },
  close: {},
  cancel: { reason: 'Withdrawn' },
  'update-party': { party: 'applicant', changes: { phone: '614-555-0173' }, reason: 'Called in' },
};
const WHATEVER_IT_SAYS = ['wrong_status', 'on_hold', 'policy_limit'];

type Item = { operation: Operation; reason: { code: string; refusal: string | null; detail: string } & object };

async function compareWithSummary(loanId: string): Promise<Item[]> {
  const { allowed, notAllowed } = (await get(`loans/${loanId}/summary`)).body.data as {
    allowed: Operation[];
    notAllowed: Item[];
  };
  expect([...allowed, ...notAllowed.map(({ operation }) => operation)].sort()).toEqual(
    tables.transitions.map(({ operation }) => operation).sort(),
  );
  for (const [operation, body] of Object.entries(BODIES)) {
    const answer = await post(`${operation}?dryRun=true`, { loanId, ...body });
    const item = notAllowed.find((one) => one.operation === operation);
    if (item === undefined) expect(WHATEVER_IT_SAYS, answer.text).not.toContain(answer.body.refusal);
    else if (answer.status !== 200) {
      const { detail, ...reason } = item.reason;
      expect(answer.body, operation).toMatchObject(reason);
      expect(answer.body.detail.startsWith(detail.slice(0, -1)), `${operation}: ${detail}`).toBe(true);
    } else expect(answer.body.data.events, operation).toEqual([]);
  }
  return notAllowed;
}

test.each(SAMPLE)(
  'the summary of a loan that is %s says what its operations answer',
  { timeout: 20_000 },
  async (status) => {
    const loanId = loans.get(status) as string;
    await compareWithSummary(loanId);
    if (status === 'Cancelled') return;
    for (const kind of status === 'Approved' ? ['fraud'] : ['dispute', 'deceased']) {
      expect((await post('place-hold', { loanId, kind, holdId: `H-${kind}`, reason: 'Reported' })).status).toBe(200);
    }
    const items = await compareWithSummary(loanId);
    const held = items.filter(({ reason }) => reason.code === 'on_hold');
    if (status === 'Approved')
      expect(held.map(({ operation }) => operation)).toEqual(['fund-loan', 'initiate-repayment']);
    if (status === 'Current') {
      expect(held).toMatchObject([
        {
          operation: 'payment-reminders',
          reason: {
            refusal: 'on_hold',
            holds: [
              { holdId: 'H-dispute', kind: 'dispute' },
              { holdId: 'H-deceased', kind: 'deceased' },
            ],
          },
        },
      ]);
    }
  },
);

test('a dry run is refused as the write is, and with an override it names the limits', async () => {
  const loanId = loans.get('Delinquent') as string;
  const extend = { loanId, periods: 1, reason: 'Hardship' };
  const { requestId: _, instance: __, ...write } = (await post('extend', extend)).body;
  const dry = await post('extend?dryRun=true', extend);
  expect(dry.body).toMatchObject(write);
  expect(dry.body).toMatchObject({ code: 'policy_limit', limit: 'extension.minimumPaid', limitValue: 3, figure: 0 });
  const overridden = await post('extend?dryRun=true', { ...extend, override: true });
  expect(overridden.body.data.overrode).toEqual(['extension.minimumPaid']);
  const without = await service.call('POST', '/v2/chain/extend?dryRun=true', {
    token: await service.token(['servicing:write']),
    body: { ...extend, override: true },
  });
  expect([without.status, without.body.scope]).toEqual([403, 'servicing:override']);
  expect((await post('payoff-quotes?dryRun=true', { loanId })).body.data.overrode).toEqual([]);
});

test('to a servicer, what only the owner may do is shown as not granted', async () => {
  const { access } = service;
  const loanId = loans.get('Current') as string;
  const { organizationId } = await access.createOrganization('Servicer');
  const grant = { granteeOrganizationId: organizationId, access: 'servicing' as const };
  await granted(access, service.organizationId, grant);
  const client = await access.createClient(organizationId, { name: 'desk', scopes: ['loans:read', 'loans:write'] });
  const { clientId, clientSecret } = client;
  const as = (await call('POST', 'auth-token', { clientId, clientSecret })).body.data.token;
  const { allowed, notAllowed } = (await service.call('GET', `/v2/chain/loans/${loanId}/summary`, { token: as })).body
    .data;
  expect(allowed).not.toContain('publish');
  const item = notAllowed.find((one: Item) => one.operation === 'publish');
  expect(item.reason).toMatchObject({ code: 'not_granted', refusal: null });
  const body = { loanId, published: true };
  const answer = await service.call('POST', '/v2/chain/publish', { token: as, body });
  expect([answer.body.code, answer.body.detail]).toEqual([item.reason.code, item.reason.detail]);
});
