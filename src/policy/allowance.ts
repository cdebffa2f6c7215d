/** The allowance in a policy: as it is given, and as it is shown. */
import { amountText } from '../core/decimal.ts';
import type { Grade } from '../core/grade.ts';
import {
  type AllowanceBucket,
  type AllowanceOverlay,
  type AllowancePolicy,
  DEFAULT_LENDER_POLICY,
} from '../core/policy.ts';
import { formatDecimal } from '../core/rate.ts';
import type { Reader } from '../core/reader.ts';

type Amount = string | number;

/** Its types were checked against the schema of the operation. */
export type GivenAllowance = {
  method?: AllowancePolicy['method'];
  horizon?: number;
  reversion?: number;
  macro?: readonly { fromMonth: number; unemployment: Amount; cpi: Amount }[];
  overlays?: readonly {
    name: string;
    reason: string;
    effect: AllowanceOverlay['effect'];
    percent?: Amount | null;
    amount?: Amount | null;
    grade?: Grade | null;
    bucket?: AllowanceBucket | null;
  }[];
};

/** Months: none to ten years ahead. */
const MONTHS = [0, 120] as const;
const PERCENT_AT_MOST = 100;

/** May be used only if `read` is clean afterwards. */
export function readAllowance(read: Reader, given: GivenAllowance | undefined, at: string): AllowancePolicy {
  const { allowance } = DEFAULT_LENDER_POLICY;
  if (given === undefined) return allowance;
  const months = (name: 'horizon' | 'reversion') =>
    given[name] === undefined ? allowance[name] : read.whole(given, name, at, MONTHS);
  const macro = (given.macro ?? []).map((row, i) => {
    const where = `${at}/macro/${i}`;
    const before = given.macro?.[i - 1];
    const isNext = before === undefined ? row.fromMonth === 1 : row.fromMonth > before.fromMonth;
    if (!isNext) {
      const detail = 'The first row begins with month 1, and each further row with a later month.';
      read.note(`${where}/fromMonth`, { code: 'contradiction', detail });
    }
    const figure = (name: 'unemployment' | 'cpi') => read.percent(row, name, where);
    return { fromMonth: row.fromMonth, unemployment: figure('unemployment'), cpi: figure('cpi') };
  });
  const overlays = (given.overlays ?? []).map((one, i) => readOverlay(read, one, `${at}/overlays/${i}`));
  const names = overlays.map(({ name }) => name);
  names.forEach((name, i) => {
    if (names.indexOf(name) < i) {
      read.note(`${at}/overlays/${i}/name`, { code: 'contradiction', detail: 'Each overlay needs a name of its own.' });
    }
  });
  return {
    ...{ method: given.method ?? allowance.method, horizon: months('horizon'), reversion: months('reversion') },
    ...{ macro, overlays },
  };
}

function readOverlay(read: Reader, one: NonNullable<GivenAllowance['overlays']>[number], at: string): AllowanceOverlay {
  const [hasPercent, hasAmount] = [(one.percent ?? null) !== null, (one.amount ?? null) !== null];
  if (hasPercent === hasAmount) {
    read.note(at, { code: 'contradiction', detail: 'An overlay has either percent or amount.' });
  }
  const percent = hasPercent ? read.percent(one, 'percent', at) : null;
  if (percent !== null && Number(formatDecimal(percent)) > PERCENT_AT_MOST) {
    read.note(`${at}/percent`, { code: 'range', detail: 'Must be at most 100 percent of the principal.' });
  }
  return {
    name: read.label(one, 'name', at),
    reason: read.label(one, 'reason', at),
    effect: one.effect,
    percent,
    amount: hasAmount ? read.positiveAmount(one, 'amount', at) : null,
    grade: one.grade ?? null,
    bucket: one.bucket ?? null,
  };
}

/** `plain`: amounts without thousands separators. */
export function shownAllowance({ macro, overlays, ...same }: AllowancePolicy, plain: boolean): object {
  return {
    ...same,
    macro: macro.map(({ fromMonth, unemployment, cpi }) => {
      return { fromMonth, unemployment: formatDecimal(unemployment), cpi: formatDecimal(cpi) };
    }),
    overlays: overlays.map(({ percent, amount, ...one }) => ({
      ...one,
      percent: percent === null ? null : formatDecimal(percent),
      amount: amount === null ? null : amountText(amount, plain),
    })),
  };
}
