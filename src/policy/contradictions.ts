/** Values of a policy that contradict each other, although each may be valid alone. */
import { hasAmount, TRANSITIONS } from '../core/decide/decide.ts';
import { formatCents } from '../core/money.ts';
import { OVERRIDE } from '../core/overrides.ts';
import { DEFAULT_WATERFALL, type LateFeePolicy, type LenderPolicy } from '../core/policy.ts';
import { comparePercent, type Percent, percent } from '../core/rate.ts';
import type { Reader } from '../core/reader.ts';
import { STATES } from '../core/states.ts';
import { hasOrganizationAmount, isOrganizationOperation } from './approvals.ts';
import { aboveStateMaximum } from './state-late-fees.ts';

/** A higher fee for a returned payment is taken for a typing error. */
const HIGHEST_RETURN_FEE = 100_00;
/** A higher balance is not small: it is collected, settled or charged off. */
const HIGHEST_SMALL_BALANCE = 100_00;
const HIGHEST_DISCOUNT = percent('5');
const HIGHEST_MARKUP_CAP = percent('25');
/** Rates of deals are hundredths of a percent. */
const MARKUP_DECIMALS = 2;

export function noteContradictions(read: Reader, policy: LenderPolicy, at: string): void {
  const note = (member: string, detail: string) => read.note(`${at}/${member}`, { code: 'contradiction', detail });
  const tooHigh = (member: string, detail: string) => read.note(`${at}/${member}`, { code: 'range', detail });
  noteWaterfall();
  if (policy.lateFee !== null) noteLateFee(policy.lateFee, 'lateFee');
  for (const [state, rule] of Object.entries(policy.lateFeeByState)) {
    const member = `lateFee/byState/${state}`;
    if (!STATES.includes(state)) {
      const detail = 'Must be the two-letter code of a US state, such as CA.';
      read.note(`${at}/${member}`, { code: 'enum', detail });
      continue;
    }
    noteLateFee(rule, member);
    for (const { member: value, detail } of aboveStateMaximum(state, rule)) note(`${member}/${value}`, detail);
  }
  if (policy.returnFee > HIGHEST_RETURN_FEE) tooHigh('returnFee', 'Must be at most 100.00.');
  const { smallBalance } = policy;
  if (smallBalance !== null && (smallBalance < 1 || smallBalance > HIGHEST_SMALL_BALANCE)) {
    tooHigh('smallBalance', 'Must be from 0.01 to 100.00; null: none is written off.');
  }
  if (policy.autopayDiscount !== null && comparePercent(policy.autopayDiscount, HIGHEST_DISCOUNT) > 0) {
    tooHigh('autopayDiscount', 'Must be at most 5 percentage points.');
  }
  if (policy.markupCap !== null) noteMarkupCap(policy.markupCap);
  const { graceDays, defaultDays, chargeOffDays, nonAccrualDays, extension, reage } = policy;
  if (graceDays >= defaultDays) {
    note('graceDays', `${graceDays} was given; must be below defaultDays, which is ${defaultDays}.`);
  }
  if (chargeOffDays < defaultDays) {
    const detail = `${chargeOffDays} was given; must not be below defaultDays, which is ${defaultDays}.`;
    note('chargeOffDays', detail);
  }
  if (nonAccrualDays !== null && nonAccrualDays > chargeOffDays) {
    const detail = `${nonAccrualDays} was given; must not be above chargeOffDays, which is ${chargeOffDays}.`;
    note('nonAccrualDays', detail);
  }
  for (const [name, limits] of [['extension', extension] as const, ['reage', reage] as const]) {
    if (limits.perLife < limits.perTwelveMonths) {
      const detail = `${limits.perLife} was given; must not be below perTwelveMonths, which is ${limits.perTwelveMonths}.`;
      note(`${name}/perLife`, detail);
    }
  }
  if (extension.maximumDaysPastDue >= chargeOffDays) {
    const detail = `${extension.maximumDaysPastDue} was given; must be below chargeOffDays, which is ${chargeOffDays}.`;
    note('extension/maximumDaysPastDue', detail);
  }
  const { retentionDays, lienReleaseDays } = policy;
  if (retentionDays !== null && lienReleaseDays !== null && retentionDays < lienReleaseDays) {
    const detail = `${retentionDays} was given; personal data is needed until the lien is released (lienReleaseDays: ${lienReleaseDays}).`;
    note('retentionDays', detail);
  }
  for (const [operation, rule] of Object.entries(policy.approvals)) {
    if (operation === OVERRIDE) continue;
    if (!Object.hasOwn(TRANSITIONS, operation) && !isOrganizationOperation(operation)) {
      const detail = 'Unknown operation; use the name of its path, such as waive-fee.';
      read.note(`${at}/approvals/${operation}`, { code: 'enum', detail });
    } else if (rule !== true && !hasAmount(operation) && !hasOrganizationAmount(operation)) {
      note(`approvals/${operation}/above`, `${operation} has no amount; use true to require approval of every call.`);
    }
  }

  function noteWaterfall(): void {
    const { waterfall } = policy;
    const unknown = waterfall.findIndex((bucket) => !DEFAULT_WATERFALL.includes(bucket));
    if (unknown !== -1) {
      const detail = `Must be one of: ${DEFAULT_WATERFALL.join(', ')}.`;
      read.note(`${at}/waterfall/${unknown}`, { code: 'enum', detail });
      return;
    }
    const repeated = waterfall.findIndex((bucket, i) => waterfall.indexOf(bucket) !== i);
    const missing = DEFAULT_WATERFALL.filter((bucket) => !waterfall.includes(bucket));
    if (repeated !== -1)
      note('waterfall', `${waterfall[repeated]} is listed twice; list each of the twelve buckets once.`);
    else if (missing.length > 0)
      note('waterfall', `Missing: ${missing.join(', ')}. List each of the twelve buckets once.`);
  }

  function noteMarkupCap(cap: Percent): void {
    if (comparePercent(cap, HIGHEST_MARKUP_CAP) > 0) tooHigh('markupCap', 'Must be at most 25 percentage points.');
    else if (cap.scale > MARKUP_DECIMALS) {
      read.note(`${at}/markupCap`, { code: 'decimals', detail: 'Must have at most two decimals.' });
    }
  }

  function noteLateFee({ flat, percent: rate, floor, cap }: LateFeePolicy, member: string): void {
    if (flat !== null && rate !== null) {
      note(`${member}/percent`, 'A late fee is a flat amount or a percentage with floor and cap, not both.');
    }
    if (rate !== null && comparePercent(rate, percent('100')) > 0) tooHigh(`${member}/percent`, 'Must be at most 100.');
    if (floor !== null && cap !== null && floor > cap) {
      note(`${member}/floor`, `${formatCents(floor)} was given; the cap is ${formatCents(cap)}.`);
    }
  }
}
