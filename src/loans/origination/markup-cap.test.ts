/** The cap of the lender's policy on the markup, as underwriting gets it: of the run's own day and moment, also when the run is done again. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ACTOR, PLAIN, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import { simulate } from '../../bureau/simulator/simulator.ts';
import { date } from '../../core/calendar.ts';
import { percent } from '../../core/rate.ts';
import { isMistakes } from '../../core/reader.ts';
import { isRefusal } from '../../core/refusal.ts';
import type { OpenLoans } from '../open.ts';
import type { LoanView } from '../reads/view.ts';

let room: TestLoans;
/** A change that happens while the bureau is asked. */
let meanwhile: (() => Promise<unknown>) | null;

beforeAll(async () => {
  room = await testLoans({
    bureau: {
      name: 'simulated',
      async pull(subject, asked) {
        await meanwhile?.();
        return simulate(subject, asked);
      },
    },
  });
});
beforeEach(() => {
  meanwhile = null;
  today += 1;
  room.clock.now = Date.UTC(2026, 1, today, 12);
});
afterAll(() => room.close());

/** Each test has a day and a lender of its own. */
let today = 0;
const lender = () => `L-${today}`;
const day = (after = 0) => date(new Date(Date.UTC(2026, 1, today + after)).toISOString().slice(0, 10));

async function cap(
  markupCap: string | null,
  { from = day(), lenderId = lender() as string | null, loans = room.loans as OpenLoans } = {},
) {
  const asked = { policyId: lenderId ?? 'all', lenderId, from, values: { markupCap } };
  const added = await loans.policies.add(ACTOR, asked);
  if (isRefusal(added) || isMistakes(added)) throw new Error(JSON.stringify(added));
}

let applications = 0;
async function application(): Promise<string> {
  applications += 1;
  const body = {
    applicationId: `CAP-${applications}`,
    ...{
      borrowerId: 'B-1',
      lenderId: lender(),
      loanType: 'AutoLoan',
      loanAmount: '18000',
      interestRate: '9.5',
      term: 60,
    },
    Request: {
      ApplicantInfo: {
        ApplicantSSN: '666-00-0001',
        ApplicantState: 'OH',
        MonthlyGross: 6500,
        HousingMonthlyPayment: '900',
      },
      VehicleInfo: { VehicleYear: '2024', VehicleMileage: '21000', VehicleWholesaleValue: '22000' },
    },
  };
  const outcome = await room.loans.origination.create(ACTOR, { source: JSON.stringify(body), answer: () => '' }, PLAIN);
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.change.loanId;
}

const start = (loanId: string) => room.done(loanId, { do: 'start-underwriting' });
const choose = (loanId: string, dealIndex: number) =>
  room.done(loanId, { do: 'complete-underwriting', approved: true, dealIndex, reason: 'An officer decided' });

async function fileOf(loanId: string): Promise<LoanView['file']> {
  const view = await room.loans.reads.read(ACTOR, loanId, { asOf: null, knownAt: null });
  if (view === null || view === 'before') throw new Error('No such loan.');
  return view.file;
}
const capOf = async (loanId: string) => (await fileOf(loanId)).assessedWith?.markupCap;

/** The digest of everything that a run has made, as it is stored and shown: the sixty deals, their cash flows; without what a choice changes. */
async function digestOf(loanId: string): Promise<string> {
  const reader = { ...ACTOR, scopes: new Set([...ACTOR.scopes, 'loans:read_pii']) };
  const full = await room.loans.reads.readFull(reader, loanId, { asOf: null, knownAt: null });
  if (full === null || full === 'before') throw new Error('No such loan.');
  const { deals, decision, assessedWith } = await fileOf(loanId);
  const { Request, Response, Underwriting } = JSON.parse(`{${Buffer.concat(full.record).toString()}}`);
  const { Decision: _, DecisionDate: __, DeclineReason: ___, ...response } = Response;
  const { CashflowsCsv: ____, UnderwritingInfo, ...underwriting } = Underwriting;
  const infos = UnderwritingInfo.map((info: object) => ({ ...info, DecisionStatus: '' }));
  const flows = await Promise.all(
    [0, 7].map(async (dealIndex) => {
      const found = await room.loans.origination.cashflows(ACTOR, loanId, dealIndex);
      if (found === null || found === 'none') throw new Error('No such deal.');
      return found.csv;
    }),
  );
  return createHash('sha256')
    .update(JSON.stringify([Request, response, underwriting, infos, flows]))
    .update(JSON.stringify([deals, decision, assessedWith]))
    .digest('hex');
}

test('is that of the policy in force on the day of the run, not of the loan’s creation', async () => {
  await cap('2.5', { from: day(1) });
  const loanId = await application();
  await start(loanId);
  expect(await capOf(loanId)).toBeNull();
  room.clock.now += 86_400_000;
  await start(loanId);
  expect(await capOf(loanId)).toEqual(percent('2.5'));
});

test('is that of the lender’s own policy, whatever the one for all others says', async () => {
  const own = await application();
  await cap('3', { lenderId: null });
  await start(own);
  expect(await capOf(own)).toEqual(percent('3'));
  await cap(null);
  await start(own);
  expect(await capOf(own)).toBeNull();
});

test.each([
  ['the same day', 0],
  ['a later day', 86_400_000],
])('stays that of the run when another version is recorded on %s and a deal is chosen', async (_, later) => {
  const loanId = await application();
  await cap('1.75');
  await start(loanId);
  const before = await digestOf(loanId);
  room.clock.now += later;
  await cap('0', { from: day(later === 0 ? 0 : 1) });
  await choose(loanId, 7);
  expect(await capOf(loanId)).toEqual(percent('1.75'));
  expect(await digestOf(loanId)).toBe(before);
  // A run that begins now is another matter.
  const next = await application();
  await start(next);
  expect(await capOf(next)).toEqual(percent('0'));
});

test('stays that of the run when another version is recorded at its very moment, while it is under way', async () => {
  const loanId = await application();
  await cap('1.75');
  const other = room.another();
  meanwhile = () => cap('0', { loans: other });
  await start(loanId);
  meanwhile = null;
  const before = await digestOf(loanId);
  expect(await capOf(loanId)).toEqual(percent('1.75'));
  await choose(loanId, 7);
  expect(await digestOf(loanId)).toBe(before);
});
