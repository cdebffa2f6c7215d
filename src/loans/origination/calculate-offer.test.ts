/** The bureau that an offer asks: none but the simulator. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ACTOR, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import type { Bureau } from '../../bureau/bureau.ts';
import type { Offer } from './offer.ts';

let pulled = 0;
const real: Bureau = {
  name: 'real',
  async pull() {
    pulled += 1;
    return { failed: 'unavailable', detail: 'It is never asked.', retryable: false };
  },
};

const SANDBOX = 'org_sandbox';
let room: TestLoans;
beforeAll(async () => {
  room = await testLoans({ bureau: real });
  await room.db.query("INSERT INTO organizations VALUES ($1, 'Sandbox', now())", [SANDBOX]);
  await room.db.query("INSERT INTO test_clocks (organization_id, stands_on, set_at) VALUES ($1, '2027-03-01', $2)", [
    SANDBOX,
    new Date(room.clock.now),
  ]);
});
afterAll(() => room.close());
beforeEach(() => {
  pulled = 0;
});

const APPLICATION = {
  loanAmount: '18000',
  interestRate: '11.49',
  term: 60,
  Request: {
    ApplicantInfo: {
      ApplicantSSN: '666-00-0002',
      ApplicantState: 'OH',
      HousingMonthlyPayment: '900',
      MonthlyGross: 6_500,
    },
    VehicleInfo: { VehicleWholesaleValue: '19,500', VehicleYear: '2024', VehicleMileage: '21,000' },
  },
};

async function offer(body: object, organizationId = ACTOR.organizationId): Promise<Offer> {
  const outcome = await room.loans.origination.calculateOffer(
    { ...ACTOR, organizationId },
    { source: Buffer.from(JSON.stringify(body)) },
  );
  if (outcome.kind !== 'offered') throw new Error(JSON.stringify(outcome));
  return outcome.offer;
}

test('a real bureau is not asked, with a number or without', async () => {
  const { reportFrom, decision, deals, asOf } = await offer(APPLICATION);
  expect([reportFrom, decision, deals.length, asOf]).toEqual(['none', 'DECLINED', 60, '2026-01-01']);
  expect((await offer({ ...APPLICATION, report: { score: 760 } })).reportFrom).toBe('request');
  expect(pulled).toBe(0);
});

test('in a sandbox the simulated file is used, on the day of its clock', async () => {
  const { reportFrom, decision, asOf } = await offer(APPLICATION, SANDBOX);
  expect([reportFrom, decision, asOf]).toEqual(['simulator', 'APPROVED', '2027-03-01']);
  expect(pulled).toBe(0);
});

test('a joint application has both simulated files', async () => {
  const CoApplicantInfo = { CoApplicantSSN: '666-00-0001', MonthlyGross: 4_000 };
  const joint = await offer({ ...APPLICATION, Request: { ...APPLICATION.Request, CoApplicantInfo } }, SANDBOX);
  expect(joint.deals[0]?.pti).not.toBe((await offer(APPLICATION, SANDBOX)).deals[0]?.pti);
});
