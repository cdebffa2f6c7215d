/**
 * Random lives of loans, each boarded with the record it shows at its end: what is then read is what was boarded. The interest that is owed
 * beside the principal is not in a record, so how many installments are left, and what is due with the last ones, may differ by it.
 */
import { expect, test } from 'vitest';
import { creationOf } from '../../test/support/creation.ts';
import { addDays, date, type PlainDate } from '../core/calendar.ts';
import { type Command, decide, decideCreation } from '../core/decide/decide.ts';
import type { LoanEvent } from '../core/event.ts';
import { fold } from '../core/fold.ts';
import type { LoanStatus } from '../core/loan.ts';
import { cents } from '../core/money.ts';
import { percent } from '../core/rate.ts';
import { isRefusal } from '../core/refusal.ts';
import { statusOf } from '../core/status.ts';
import { fullRecordHead } from '../http/reads/record-text.ts';
import { Problem } from '../http/shared/problems.ts';
import type { Creation } from './creation.ts';

const LIVES = process.env.TEST_LONG === undefined ? 80 : 4_000;

/** Always the same numbers. */
function numbers(seed: number): () => number {
  let now = seed;
  return () => {
    now = (now * 1_103_515_245 + 12_345) % 2_147_483_648;
    return now / 2_147_483_648;
  };
}

test('a record at any moment of a life is boarded, and reads the same', () => {
  const statuses = new Set<LoanStatus>();
  const found = new Map<string, number>();
  let equal = 0;
  let boarded = 0;
  for (let n = 1; n <= LIVES; n++) {
    const { creation, events, day } = lived(n);
    const before = detailsOf(creation, events, day);
    statuses.add(before.loanStatus as LoanStatus);
    const again = boardedOrNull(before, day);
    if (again === null) continue;
    const when = { today: day, at: `${day}T13:00:00.000Z` };
    const made = decideCreation(again.contract, again.policy, when, again.boarded?.facts);
    if (isRefusal(made)) throw new Error(`life ${n}: ${made.detail}`);
    boarded += 1;
    const differing = differences(before, detailsOf(again, made.events, day));
    for (const member of differing) found.set(member, (found.get(member) ?? 0) + 1);
    if (differing.length === 0) equal += 1;
  }
  // A record in which several due dates were moved one after the other may not say how many are left.
  expect(boarded / LIVES).toBeGreaterThan(0.99);
  const other = [...found.keys()].filter((one) => !/\.(remainingTerm|currentPaymentDue|scheduledPayment)$/.test(one));
  expect(other).toEqual([]);
  // With one installment left, the payment is that of the one before, which may have been moved behind it.
  expect((found.get('metadata.scheduledPayment') ?? 0) / boarded).toBeLessThan(0.005);
  expect(equal / boarded).toBeGreaterThan(0.85);
  expect([...statuses]).toEqual(
    expect.arrayContaining(['ChargedOff', 'ClosedEarly', 'Closed', 'Current', 'Defaulted', 'Delinquent']),
  );
});

function boardedOrNull(loanDetails: Details, day: PlainDate): Creation | null {
  try {
    return creationOf({ loanDetails }, day);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** A loan with payments on time, in part, ahead and returned, extensions, other due dates, rates and payments, default and charge-off. */
function lived(seed: number): { creation: Creation; events: readonly LoanEvent[]; day: PlainDate } {
  const random = numbers(seed * 7_919);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  let day = date(`2024-01-${String(1 + Math.floor(random() * 28)).padStart(2, '0')}`);
  const creation = creationOf(
    {
      applicationId: `A-${seed}`,
      borrowerId: 'B',
      lenderId: 'L',
      loanType: one(['AutoLoan', 'PersonalLoan']),
      loanAmount: 5_000 + Math.floor(random() * 30_000),
      interestRate: (Math.floor(random() * 2_000) / 100).toFixed(2),
      term: one([12, 24, 36, 60]),
      paymentFrequency: one(['Monthly', 'Monthly', 'SemiMonthly', 'Weekly', 'Quarterly']),
      originationDate: day,
      lateFee: one(['0', '25']),
      ...(random() < 0.1 ? { amortizationType: 'Balloon', balloonAmount: '2000' } : {}),
    },
    day,
  );
  let moment = 0;
  const when = () => {
    moment += 1;
    return { today: day, at: `${day}T12:00:00.${String(moment).padStart(3, '0')}Z` };
  };
  const made = decideCreation(creation.contract, creation.policy, when());
  if (isRefusal(made)) throw new Error(made.detail);
  let events: readonly LoanEvent[] = made.events;
  const take = (command: Command): boolean => {
    const decided = decide(events, command, when(), creation.file);
    if (isRefusal(decided)) return false;
    events = [...events, ...decided.events];
    return true;
  };
  take({ do: 'start-underwriting' });
  take({ do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
  take({ do: 'initiate-repayment', date: null, opening: null });
  const how = { date: null, reason: 'agreed', override: true };
  for (let step = Math.floor(random() * 40); step > 0 && day < '2026-09-01'; step--) {
    day = addDays(day, 1 + Math.floor(random() * 40));
    const level = fold(events, day).installments[0]?.amount ?? 0;
    const kind = random();
    if (kind < 0.78) pay(cents(Math.ceil(level * one([1, 1, 1, 1, random(), 2, 0.95, 1.2]))), `P-${moment}`);
    else if (kind < 0.82) take({ do: 'extend', periods: 1, ...how });
    else if (kind < 0.86)
      take({ do: 'change-due-date', to: addDays(day, 5 + Math.floor(random() * 20)), ...how } as Command);
    else if (kind < 0.9) take({ do: 'reamortize', ...how } as Command);
    else if (kind < 0.92) take({ do: 'change-rate', rate: percent('5'), why: 'modification', ...how } as Command);
    else if (kind < 0.95) take({ do: 'default', ground: 'other', reason: 'fraud' });
    else if (kind < 0.97) take({ do: 'accelerate', reason: 'fraud' });
    else if (kind < 0.98) take({ do: 'charge-off', date: null, reason: 'loss', collateral: cents(100_000) });
  }
  return { creation, events, day: addDays(day, Math.floor(random() * 30)) };

  function pay(amount: ReturnType<typeof cents>, refId: string): void {
    const payment = { refId, amount, date: null, acceptOverpayment: random() < 0.5, reason: null } as const;
    if (!take({ do: 'loan-repay', ...payment })) return;
    if (random() < 0.9) take({ do: 'acknowledge-repayment', refId });
    else take({ do: 'return-repayment', refId, date: null, reason: 'NSF' });
  }
}

type Details = Readonly<Record<string, unknown>>;

function detailsOf({ file, personal }: Creation, events: readonly LoanEvent[], day: PlainDate): Details {
  const loan = fold(events, day);
  const ids = { loanId: '0x', organizationId: 'O', createdAt: 0, startBlock: 1, version: 1, paymentHashes: new Map() };
  const head = fullRecordHead({ ...ids, file, loan, status: statusOf(loan) }, personal, { plain: false });
  return JSON.parse(`${head.slice(0, -1)}}}`).data.loanDetails;
}

/** The members that differ, those of `metadata` by their own names. */
function differences(before: Details, after: Details): string[] {
  const flat = ({ metadata, ...details }: Details) => ({
    ...details,
    ...Object.fromEntries(
      Object.values(metadata as object).flatMap((one) =>
        Object.entries(one as object).map(([name, text]) => [`metadata.${name}`, text]),
      ),
    ),
  });
  const [one, other] = [flat(before), flat(after)] as [Details, Details];
  return Object.keys(one).filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}
