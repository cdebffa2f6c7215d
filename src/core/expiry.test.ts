import { expect, test } from 'vitest';
import { date } from './calendar.ts';
import { refuseApproval, refuseFunding } from './expiry.ts';
import type { OnFile } from './loan.ts';
import { DEFAULT_POLICY } from './policy.ts';

const NOTHING: OnFile = { decision: null, deals: [], opening: null };
const day = date('2026-01-15');
const [last, after] = [date('2026-02-14'), date('2026-02-15')];

test('an offer of a run stands for offerDays, the last of them included; the requested deal is none', () => {
  const policy = { ...DEFAULT_POLICY, reportDays: 366 };
  const onFile: OnFile = { ...NOTHING, assessedWith: { day, reportDate: day } };
  expect(refuseApproval({ policy }, onFile, { dealIndex: 3, today: last })).toBeNull();
  expect(refuseApproval({ policy }, onFile, { dealIndex: 3, today: after })).toMatchObject({
    refused: 'offer_expired',
    facts: { date: last },
    detail: expect.stringContaining('Start underwriting again'),
  });
  expect(refuseApproval({ policy }, onFile, { dealIndex: 0, today: after })).toBeNull();
  const longer = { ...policy, offerDays: 31 };
  expect(refuseApproval({ policy: longer }, onFile, { dealIndex: 3, today: after })).toBeNull();
});

test('a report counts from its own date, which may be long before the run', () => {
  const onFile: OnFile = { ...NOTHING, assessedWith: { day: after, reportDate: day } };
  const approval = (today: typeof day) => refuseApproval({ policy: DEFAULT_POLICY }, onFile, { dealIndex: 0, today });
  expect(approval(last)).toBeNull();
  expect(approval(after)).toMatchObject({ refused: 'report_expired', facts: { date: last } });
});

test('an approval of an application ends; one that was given elsewhere does not', () => {
  const by = {
    approved: true,
    by: 'officer',
    reasoned: true,
    overridden: false,
    reasonCode: null,
    dealIndex: 0,
  } as const;
  const loan = { policy: DEFAULT_POLICY, decision: { ...by, on: day, at: '' }, stage: 'CollateralApproved' } as const;
  const application: OnFile = { ...NOTHING, isApplication: true };
  expect(refuseFunding(loan, application, last)).toBeNull();
  expect(refuseFunding(loan, application, after)).toMatchObject({ refused: 'offer_expired', facts: { date: last } });
  expect(refuseFunding(loan, NOTHING, after)).toBeNull();
  expect(refuseFunding({ ...loan, stage: 'Funded' }, application, after)).toBeNull();
});
