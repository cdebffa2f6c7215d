/** The allowance that lenders require on a date, from one scan of their loans, by the policy of each; and the entries of a month. */
import type { PlainDate } from '../../core/calendar.ts';
import { isGrade } from '../../core/grade.ts';
import { type AllowancePolicy, DEFAULT_LENDER_POLICY } from '../../core/policy.ts';
import { formatDecimal } from '../../core/rate.ts';
import type { AllowanceLine } from '../../ledger/entry-book.ts';
import { versionOn } from '../../policy/versions.ts';
import {
  type AllowanceCell,
  type Estimate,
  estimateOf,
  type LoanGroup,
  type MonthOfAllowance,
  monthOfAllowance,
} from '../../portfolio/allowance.ts';
import { BUCKETS } from '../../portfolio/buckets.ts';
import { type GroupRow, readGroups } from '../../store/allowance/allowance.ts';
import { openLossEstimator } from '../../underwriting/expected-loss.ts';
import type { Look } from '../books/looks.ts';
import { rollForwardOf } from '../books/roll-forward.ts';
import type { Clock } from '../door/clocks.ts';

/** By which policy and model an estimate was made. */
export type EstimatedBy = {
  /** Null: the lender has none, or another was given for a dry run. */
  readonly policyId: string | null;
  readonly policyVersion: number;
  readonly method: AllowancePolicy['method'];
  readonly modelVersion: string;
  readonly horizon: number;
  readonly reversion: number;
  /** The economy over the horizon, as text. */
  readonly macro: readonly { readonly fromMonth: number; readonly unemployment: string; readonly cpi: string }[];
};

export type LenderEstimate = Estimate & EstimatedBy & { readonly lenderId: string };

/** As it is booked, and kept. */
export type LenderAllowance = LenderEstimate & MonthOfAllowance;

export type EstimateAsked = {
  readonly organizationId: string;
  readonly lenderId: string | null;
  readonly date: PlainDate;
  /** Null: the loans as they stand, and `date` is their owner's today. */
  readonly knownOn: PlainDate | null;
  /** In place of that of each lender. */
  readonly policy: AllowancePolicy | null;
};

/** The lenders that have loans, in their order. */
export async function estimatesOn(
  look: Look,
  { policies: { versions } }: Pick<Clock, 'policies'>,
  { policy: given, ...asked }: EstimateAsked,
): Promise<LenderEstimate[]> {
  const { date } = asked;
  const rows = await readGroups(look.tx, asked);
  const estimates: LenderEstimate[] = [];
  for (const [lenderId, own] of Map.groupBy(rows, (row) => row.lenderId)) {
    const version = given === null ? versionOn(versions, lenderId, date) : null;
    const policy = given ?? version?.values.allowance ?? DEFAULT_LENDER_POLICY.allowance;
    const estimator = openLossEstimator(date, policy);
    const groups = own.map(toGroup);
    const estimate = estimateOf(groups, policy, date, estimator.expectedLoss);
    estimates.push({
      lenderId,
      ...estimate,
      ...{ policyId: version?.policyId ?? null, policyVersion: version?.version ?? 0, method: policy.method },
      ...{ modelVersion: estimator.modelVersion, horizon: policy.horizon, reversion: policy.reversion },
      macro: policy.macro.length === 0 ? estimator.macro.map(plainRow) : policy.macro.map(givenRow),
    });
    await look.pause();
  }
  return estimates;
}

const plainRow = (row: { fromMonth: number; unemployment: number; cpi: number }) => ({
  ...{ fromMonth: row.fromMonth, unemployment: String(row.unemployment), cpi: String(row.cpi) },
});

const givenRow = ({ fromMonth, unemployment, cpi }: AllowancePolicy['macro'][number]) => ({
  ...{ fromMonth, unemployment: formatDecimal(unemployment), cpi: formatDecimal(cpi) },
});

function toGroup({ grade, place, ...row }: GroupRow): LoanGroup {
  return { ...row, grade: isGrade(grade) ? grade : null, bucket: BUCKETS[place] ?? 'chargedOff' };
}

/** With the month of each lender's books, also of one whose loans are gone and that has an allowance or a loss left. */
export async function proposalsOf(
  look: Look,
  clock: Pick<Clock, 'policies'>,
  asked: EstimateAsked,
  days: { readonly from: PlainDate; readonly through: PlainDate },
): Promise<LenderAllowance[]> {
  const estimates = new Map((await estimatesOn(look, clock, asked)).map((one) => [one.lenderId, one]));
  const { organizationId, lenderId: only } = asked;
  const books = await rollForwardOf(look, { organizationId, lenderId: only }, days);
  const lenders = new Map(books.map(({ lenderId, accounts }) => [lenderId, accounts]));
  const all = [...new Set([...estimates.keys(), ...lenders.keys()])].sort();
  return all.flatMap((lenderId): LenderAllowance[] => {
    const estimate = estimates.get(lenderId) ?? nothingOf(lenderId, clock, asked);
    const month = monthOfAllowance(lenders.get(lenderId) ?? [], estimate.required);
    const isEmpty = estimate.principal === 0 && month.lines.length === 0 && month.opening === 0;
    return isEmpty ? [] : [{ ...estimate, ...month }];
  });
}

/** A lender without loans requires nothing. */
function nothingOf(
  lenderId: string,
  { policies: { versions } }: Pick<Clock, 'policies'>,
  { date, policy: given }: Pick<EstimateAsked, 'date' | 'policy'>,
): LenderEstimate {
  const version = given === null ? versionOn(versions, lenderId, date) : null;
  const policy = given ?? version?.values.allowance ?? DEFAULT_LENDER_POLICY.allowance;
  const { modelVersion, macro } = openLossEstimator(date, policy);
  return {
    ...{ lenderId, loans: 0, principal: 0, modelled: 0, required: 0 },
    ...{ overlays: [], cells: [], expected: [] },
    ...{ policyId: version?.policyId ?? null, policyVersion: version?.version ?? 0, method: policy.method },
    ...{ modelVersion, horizon: policy.horizon, reversion: policy.reversion },
    macro: policy.macro.length === 0 ? macro.map(plainRow) : policy.macro.map(givenRow),
  };
}

/** The lines as the book of the lender has them. */
export const linesOf = ({ lines }: Pick<MonthOfAllowance, 'lines'>): readonly AllowanceLine[] => lines;

/** By pool: of one grade and bucket. */
export function poolsOf(cells: readonly AllowanceCell[]): Omit<AllowanceCell, 'vintage'>[] {
  return [...Map.groupBy(cells, ({ grade, bucket }) => `${grade} ${bucket}`).values()].map((some) => {
    const [{ grade, bucket }] = some as [AllowanceCell, ...AllowanceCell[]];
    const sum = (name: 'loans' | 'principal' | 'modelled' | 'required') => some.reduce((so, one) => so + one[name], 0);
    return {
      ...{ grade, bucket, loans: sum('loans'), principal: sum('principal') },
      ...{ modelled: sum('modelled'), required: sum('required') },
    };
  });
}
