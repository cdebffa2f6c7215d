/**
 * The allowance of a lender: what is expected to be lost of the principal of its loans, group by group, what the policy adds to it, and the
 * entries of a month that bring the books to it. Pure; the loss of a group comes from the model (`underwriting/expected-loss.ts`). Cents.
 */
import type { DelinquencyBucket } from '../core/delinquency.ts';
import type { Grade } from '../core/grade.ts';
import { type Cents, cents, mulDiv, split } from '../core/money.ts';
import type { AllowanceBucket, AllowanceOverlay, AllowancePolicy } from '../core/policy.ts';
import { monthsBetween } from './months.ts';

/** Loans of a lender that are alike, as the database adds them up. */
export type LoanGroup = {
  readonly lenderId: string;
  readonly grade: Grade | null;
  readonly bucket: AllowanceBucket;
  /** The month in which they began, `2026-10`; empty: unknown. */
  readonly vintage: string;
  readonly loans: number;
  /** Owed; of charged-off loans, kept for the collateral. */
  readonly principal: number;
  readonly original: number;
  /** Averages weighted by principal: percent a year, and installments that are left. */
  readonly rate: number;
  readonly remaining: number;
};

/** Loans of one pool (grade and bucket) and vintage. */
export type AllowanceCell = {
  readonly grade: Grade | null;
  readonly bucket: AllowanceBucket;
  readonly vintage: string;
  readonly loans: number;
  readonly principal: number;
  /** By the model; and with the overlays, which is what is required. */
  readonly modelled: number;
  readonly required: number;
};

export type OverlayCounted = Pick<AllowanceOverlay, 'name' | 'reason'> & { readonly amount: number };

/** The allowance that is required on a day. */
export type Estimate = {
  readonly loans: number;
  readonly principal: number;
  readonly modelled: number;
  /** They add up to what is required beyond `modelled`. */
  readonly overlays: readonly OverlayCounted[];
  readonly required: number;
  readonly cells: readonly AllowanceCell[];
  /** The part of `modelled` that is expected to be lost by the end of each month from the first on; the last entry is all of it. */
  readonly expected: readonly number[];
};

export type LossOf = (group: {
  readonly grade: Grade | null;
  readonly bucket: DelinquencyBucket;
  readonly age: number;
  readonly remaining: number;
  readonly rate: number;
  readonly principal: number;
  readonly original: number;
}) => { readonly millionths: number; readonly byMonth: readonly number[] };

/**
 * The part that is kept of a charged-off loan is the value of its collateral less the cost to sell: no further loss is expected of it (ASC 326-20-35-4)
 * unless an overlay says so. `date` is that of the groups.
 */
export function estimateOf(
  groups: readonly LoanGroup[],
  { method, overlays }: Pick<AllowancePolicy, 'method' | 'overlays'>,
  date: string,
  lossOf: LossOf,
): Estimate {
  const cells = new Map<string, { -readonly [name in keyof AllowanceCell]: AllowanceCell[name] }>();
  /** By month, the change of what is lost. */
  const changes: number[] = [];
  for (const group of groups) {
    const { grade, bucket, vintage, loans, principal } = group;
    let modelled = 0;
    if (method === 'model' && bucket !== 'chargedOff' && principal > 0) {
      const { millionths, byMonth } = lossOf({
        ...{ grade, bucket, rate: group.rate, remaining: group.remaining },
        age: vintage === '' ? 0 : monthsBetween(`${vintage}-01`, date),
        principal: principal / loans,
        original: group.original / loans,
      });
      modelled = mulDiv(principal, millionths, 1, 1e6, 'half-up');
      byMonth.forEach((share, i) => {
        changes[i] = (changes[i] ?? 0) + (share - (byMonth[i - 1] ?? 0)) * principal;
      });
    }
    const key = `${grade} ${bucket} ${vintage}`;
    const cell = cells.get(key) ?? { grade, bucket, vintage, loans: 0, principal: 0, modelled: 0, required: 0 };
    cell.loans += loans;
    cell.principal += principal;
    cell.modelled += modelled;
    cell.required += modelled;
    cells.set(key, cell);
  }
  const all = [...cells.values()].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  const counted = method === 'none' ? [] : overlays.map((overlay) => apply(overlay, all));
  const sum = (name: 'loans' | 'principal' | 'modelled' | 'required') => all.reduce((so, one) => so + one[name], 0);
  const modelled = sum('modelled');
  return {
    ...{ loans: sum('loans'), principal: sum('principal'), modelled, required: sum('required') },
    ...{ overlays: counted, cells: all, expected: expectedOf(changes, modelled) },
  };
}

const orderOf = ({ grade, bucket, vintage }: Pick<AllowanceCell, 'grade' | 'bucket' | 'vintage'>) =>
  `${grade ?? '~'} ${BUCKET_ORDER.indexOf(bucket)} ${vintage}`;

const BUCKET_ORDER: readonly AllowanceBucket[] = [
  ...(['current', '1-29', '30-59', '60-89', '90-119', '120+', 'chargedOff'] as const),
];

/** Changes the cells; a cell never requires less than nothing, or more than its principal. */
function apply(
  { name, reason, effect, percent, amount, grade, bucket }: AllowanceOverlay,
  cells: readonly { grade: Grade | null; bucket: AllowanceBucket; principal: number; required: number }[],
): OverlayCounted {
  const chosen = cells.filter(
    (cell) =>
      (grade === null || cell.grade === grade) && (bucket === null || cell.bucket === bucket) && cell.principal > 0,
  );
  const parts =
    chosen.length === 0
      ? []
      : percent !== null
        ? chosen.map(({ principal }) => mulDiv(principal, percent.digits, 1, 100 * 10 ** percent.scale, 'half-up'))
        : split(
            amount as Cents,
            chosen.map(({ principal }) => principal),
          );
  let counted = 0;
  chosen.forEach((cell, i) => {
    const before = cell.required;
    const moved = before + (effect === 'raise' ? 1 : -1) * (parts[i] as number);
    cell.required = Math.max(0, Math.min(cell.principal, moved));
    counted += cell.required - before;
  });
  return { name, reason, amount: counted };
}

/** Whole cents; the last is the sum as it was rounded group by group. */
function expectedOf(changes: readonly number[], modelled: number): number[] {
  let sum = 0;
  return changes.map((change, i) => {
    sum += change;
    return i === changes.length - 1 ? modelled : Math.round(sum) + 0;
  });
}

// ---- slices ----

export const ALLOWANCE_SLICES = ['pool', 'grade', 'vintage', 'bucket', 'lender'] as const;
export type AllowanceSlice = (typeof ALLOWANCE_SLICES)[number];

type Summed = Pick<AllowanceCell, 'loans' | 'principal' | 'modelled' | 'required'>;

/** Sums of cells by what divides them, in order; an unknown grade or vintage is empty. */
export function sliced(
  lenders: readonly { readonly lenderId: string; readonly cells: readonly AllowanceCell[] }[],
  by: AllowanceSlice,
): ReadonlyMap<string, Summed> {
  const sums = new Map<string, Summed & { order: string }>();
  for (const { lenderId, cells } of lenders) {
    for (const cell of cells) {
      const { slice, order } = sliceOf(lenderId, cell, by);
      const sum = sums.get(slice) ?? { order, loans: 0, principal: 0, modelled: 0, required: 0 };
      sums.set(slice, {
        order,
        loans: sum.loans + cell.loans,
        principal: sum.principal + cell.principal,
        modelled: sum.modelled + cell.modelled,
        required: sum.required + cell.required,
      });
    }
  }
  return new Map([...sums].sort(([, a], [, b]) => (a.order < b.order ? -1 : 1)));
}

function sliceOf(lenderId: string, cell: AllowanceCell, by: AllowanceSlice): { slice: string; order: string } {
  const grade = cell.grade ?? '';
  const bucket = String(BUCKET_ORDER.indexOf(cell.bucket));
  switch (by) {
    case 'pool':
      return { slice: `${grade === '' ? 'none' : grade}:${cell.bucket}`, order: `${grade || '~'} ${bucket}` };
    case 'grade':
      return { slice: grade, order: grade || '~' };
    case 'bucket':
      return { slice: cell.bucket, order: bucket };
    case 'vintage':
      return { slice: cell.vintage, order: cell.vintage || '~' };
    case 'lender':
      return { slice: lenderId, order: lenderId };
  }
}

// ---- the month ----

/** The accounts of a lender in a month, entry by entry; debits positive. */
export type MonthOfBooks = readonly {
  readonly account: string;
  readonly opening: number;
  readonly activity: readonly { readonly entry: string; readonly amount: number }[];
  readonly closing: number;
}[];

export type AllowanceEntry = {
  readonly entry: 'allowanceLoss' | 'allowanceRecovery' | 'provision';
  readonly account: 'allowance' | 'chargeOffExpense' | 'saleLoss' | 'recoveryIncome' | 'provisionExpense';
  readonly amount: Cents;
};

/** The allowance over a month, as it stands on the credit side: opening + other − chargedOff + recovered + provision = required. */
export type MonthOfAllowance = {
  readonly opening: number;
  /** Entries by hand. */
  readonly other: number;
  readonly chargedOff: number;
  readonly recovered: number;
  readonly provision: number;
  readonly lines: readonly AllowanceEntry[];
};

/** Entries that are of no loan: those of people, and what was posted by closing a year or booking an allowance. */
const BY_HAND: ReadonlySet<string> = new Set(['manual', 'manualReversal']);
const NOT_OF_THE_MONTH: ReadonlySet<string> = new Set(['yearEnd', 'allowanceLoss', 'allowanceRecovery', 'provision']);

/** The carrying amount of the loans: what is lost of it was provided for. */
const AMORTIZED_COST = ['loanPrincipal', 'deferredFees', 'deferredCosts', 'purchaseDiscount'] as const;

export function monthOfAllowance(books: MonthOfBooks, required: number): MonthOfAllowance {
  const of = (account: string) => books.find((one) => one.account === account);
  const activity = (account: string) =>
    (of(account)?.activity ?? []).filter(({ entry }) => !NOT_OF_THE_MONTH.has(entry));
  const whole = (account: string) => activity(account).reduce((sum, { amount }) => sum + amount, 0);
  const basis = new Map<string, number>();
  for (const account of AMORTIZED_COST) {
    for (const { entry, amount } of activity(account)) basis.set(entry, (basis.get(entry) ?? 0) + amount);
  }
  const losses = activity('chargeOffExpense').reduce(
    (sum, { entry, amount }) => sum + ofPrincipal(entry, amount, 0 - (basis.get(entry) ?? 0)),
    0,
  );
  const saleLoss = whole('saleLoss');
  const recovered = 0 - whole('recoveryIncome');
  const held = of('allowance');
  const [opening, before] = [0 - (held?.opening ?? 0), 0 - (held?.closing ?? 0)];
  const chargedOff = losses + saleLoss;
  const provision = required - (before - chargedOff + recovered);
  const lines: [AllowanceEntry['entry'], AllowanceEntry['account'], number][] = [
    ['allowanceLoss', 'allowance', chargedOff],
    ['allowanceLoss', 'chargeOffExpense', 0 - losses],
    ['allowanceLoss', 'saleLoss', 0 - saleLoss],
    ['allowanceRecovery', 'recoveryIncome', recovered],
    ['allowanceRecovery', 'allowance', 0 - recovered],
    ['provision', 'provisionExpense', provision],
    ['provision', 'allowance', 0 - provision],
  ];
  return {
    ...{ opening, other: before - opening, chargedOff, recovered, provision },
    lines: lines.flatMap(([entry, account, amount]) =>
      amount === 0 ? [] : [{ entry, account, amount: cents(amount) }],
    ),
  };
}

/**
 * The part of an expense that is principal, with what was deferred of it: as much as the same entry took off both. Interest and fees that an
 * opening brought are the rest. What people post, and what a rescission takes back, counts as it is.
 */
function ofPrincipal(entry: string, expense: number, principal: number): number {
  if (BY_HAND.has(entry) || entry === 'rescission') return expense;
  if (expense > 0 && principal > 0) return Math.min(expense, principal);
  return expense < 0 && principal < 0 ? Math.max(expense, principal) : 0;
}
