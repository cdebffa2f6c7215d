/** Checks a lending policy as a whole when it is loaded; an error lists every mistake. */
import { parseDate } from '../core/calendar.ts';
import { GRADES, type Grade } from '../core/grade.ts';
import { MAX_TERM } from '../core/loan.ts';
import { DEMAND_KINDS, WAIVERS } from './demand-kinds.ts';
import { DEAL_BOUNDS, isMacro, type LendingPolicy, MEASURES, type Rule, type StateLimit } from './policy.ts';
import { isReasonCode } from './reasons.ts';

/** Checks a policy and returns it; throws an error that lists every mistake. */
export function loadPolicy(policy: LendingPolicy): LendingPolicy {
  const mistakes: string[] = [];
  const expect = (holds: boolean, mistake: string) => {
    if (!holds) mistakes.push(mistake);
  };
  expect(/^[A-Za-z0-9.-]{1,40}$/.test(policy.version), 'version: must be 1 to 40 letters, digits, points and hyphens');
  expect(parseDate(policy.effectiveFrom) !== null, 'effectiveFrom: must be a valid date');
  const ids = policy.rules.map(({ id }) => id);
  expect(new Set(ids).size === ids.length, 'rules: ids must be unique');
  for (const rule of policy.rules) checkRule(rule, expect);
  const { terms } = policy;
  expect(terms.length >= 5, 'terms: at least five are required for sixty deals');
  expect(
    terms.every((term, i) => term % 12 === 0 && term > (terms[i - 1] ?? 0) && term <= MAX_TERM),
    `terms: must be whole years in months, up to ${MAX_TERM}, in ascending order`,
  );
  for (const [i, grade] of GRADES.entries()) checkPricing(policy, grade, GRADES[i - 1], expect);
  expect(policy.highestRate >= 5 && policy.highestRate <= 99, 'highestRate: must be from 5 to 99 percent');
  const { excessAdvancePercent } = policy;
  expect(excessAdvancePercent >= 0 && excessAdvancePercent <= 100, 'excessAdvancePercent: must be from 0 to 100');
  const { leastHousing } = policy;
  expect(
    Number.isInteger(leastHousing) && leastHousing >= 0 && leastHousing <= 5_000_00,
    'leastHousing: must be at most 5,000.00',
  );
  checkDemands(policy, expect);
  checkFunds(policy, expect);
  checkCosts(policy, expect);
  const { macro } = policy;
  expect(macro.length > 0, 'macro: at least one entry is required');
  macro.forEach((entry, i) => {
    const later = i === 0 || entry.from > (macro[i - 1]?.from ?? '');
    expect(parseDate(entry.from) !== null && later, `macro ${entry.from}: dates must be valid and in ascending order`);
    expect(isMacro(entry), `macro ${entry.from}: percentages must be from -50 to 100`);
    expect(entry.source.length > 0, `macro ${entry.from}: the source is missing`);
  });
  const { oldAfterDays } = policy;
  expect(
    Number.isInteger(oldAfterDays) && oldAfterDays >= 1 && oldAfterDays <= 366,
    'oldAfterDays: must be a whole number of days from 1 to 366',
  );
  if (mistakes.length > 0) throw new Error(`The policy ${policy.version} cannot be used. ${mistakes.join('; ')}.`);
  return policy;
}

function checkRule(rule: Rule, expect: Expect): void {
  const { id, measure, breaks, limit, outcome } = rule;
  expect(/^[a-z0-9-]{1,60}$/.test(id), `${id}: the id must be lower-case letters, digits and hyphens`);
  expect(Object.hasOwn(MEASURES, measure), `${id}: the measure must be one of ${Object.keys(MEASURES).join(', ')}`);
  expect(breaks === 'above' || breaks === 'below', `${id}: breaks must be above or below`);
  if (typeof limit === 'number') expect(Number.isFinite(limit), `${id}: the limit must be a number`);
  else if ('byGrade' in limit) {
    const missing = GRADES.filter((grade) => !Number.isFinite(limit.byGrade[grade]));
    expect(missing.length === 0, `${id}: the limit is missing for grade ${missing.join(', ')}`);
  } else if ('byVehicleAge' in limit) {
    const steps = limit.byVehicleAge;
    const rising = steps.every(({ upTo }, i) => upTo > (steps[i - 1]?.upTo ?? -1));
    expect(steps.length > 0 && rising, `${id}: vehicle ages must be in ascending order`);
    expect(
      steps.every((step) => Number.isFinite(step.limit)),
      `${id}: every limit must be a number`,
    );
  } else if ('ofDeal' in limit) {
    expect(DEAL_BOUNDS.includes(limit.ofDeal), `${id}: the limit must be one of ${DEAL_BOUNDS.join(', ')}`);
  } else checkStates(id, limit.byState, expect);
  if ('decline' in outcome) {
    const known = outcome.decline === 'score' || outcome.decline === 'model' || isReasonCode(outcome.decline);
    expect(known, `${id}: must decline for a known reason`);
  } else expect(('demand' in outcome ? outcome.demand.text : outcome.warning).length > 0, `${id}: the text is missing`);
  if ('demand' in outcome) checkKind(id, outcome.demand.kind, expect);
}

function checkDemands({ demands, beforeFunding, waivedBy }: LendingPolicy, expect: Expect): void {
  for (const { kind, text } of demands) {
    checkKind('demands', kind, expect);
    expect(text.length > 0, `demands ${kind}: the text is missing`);
  }
  for (const kind of beforeFunding) checkKind('beforeFunding', kind, expect);
  for (const [kind, by] of Object.entries(waivedBy)) {
    checkKind('waivedBy', kind, expect);
    expect(WAIVERS.includes(by), `waivedBy ${kind}: must be one of ${WAIVERS.join(', ')}`);
  }
}

function checkKind(where: string, kind: string, expect: Expect): void {
  expect((DEMAND_KINDS as string[]).includes(kind), `${where}: the kind must be one of ${DEMAND_KINDS.join(', ')}`);
}

function checkStates(id: string, limits: readonly StateLimit[], expect: Expect): void {
  for (const { state, from, until, limit, source, asOf, status } of limits) {
    expect(/^[A-Z]{2}$/.test(state), `${id}: ${state} is not a state code`);
    expect(
      parseDate(from) !== null && (until === null || parseDate(until) !== null),
      `${id}: the dates for ${state} are invalid`,
    );
    expect(until === null || from <= until, `${id}: ${state} ends before it begins`);
    expect(
      limit === null || (limit > 0 && limit <= 100),
      `${id}: the limit for ${state} must be from 0 to 100 percent, or null`,
    );
    expect(source.length > 0 && parseDate(asOf) !== null, `${id}: the source for ${state} is missing, or its day`);
    expect(status === 'unverified' || status === 'confirmed', `${id}: ${state} must be unverified or confirmed`);
  }
  limits.forEach((one, i) => {
    const clash = limits.slice(i + 1).find((other) => one.state === other.state && overlap(one, other));
    expect(clash === undefined, `${id}: ${one.state} has two limits at the same time`);
  });
}

function overlap(one: StateLimit, other: StateLimit): boolean {
  return one.from <= (other.until ?? '9999-12-31') && other.from <= (one.until ?? '9999-12-31');
}

type Expect = (holds: boolean, mistake: string) => void;

/** A worse grade costs at least as much: otherwise a lower score could lower the rate. */
function checkPricing(
  { pricing, targetReturnPoints, terms }: LendingPolicy,
  grade: Grade,
  better: Grade | undefined,
  expect: Expect,
): void {
  const own = pricing[grade];
  if (own === undefined) {
    expect(false, `pricing: grade ${grade} is missing`);
    return;
  }
  for (const name of ['servicingPercent', 'capitalPercent'] as const) {
    expect(own[name] >= 0 && own[name] <= 50, `pricing ${grade}: ${name} must be from 0 to 50`);
    const least = better === undefined ? 0 : (pricing[better]?.[name] ?? 0);
    expect(own[name] >= least, `pricing ${grade}: ${name} must not be less than that of a better grade`);
  }
  const { dealerFlat, hurdlePoints, shortestMonths } = own;
  // Otherwise a deal at the buy rate, which earns what capital must earn, would miss the hurdle.
  expect(
    hurdlePoints >= (better === undefined ? 0 : (pricing[better]?.hurdlePoints ?? 0)) &&
      hurdlePoints <= (own.capitalPercent * targetReturnPoints) / 100,
    `pricing ${grade}: hurdlePoints must be at most what the capital of such a loan earns above the cost of funds, and not less than that of a better grade`,
  );
  expect(
    shortestMonths >= (better === undefined ? 1 : (pricing[better]?.shortestMonths ?? 1)) &&
      shortestMonths <= (terms.at(-1) ?? 0),
    `pricing ${grade}: shortestMonths must be at most the longest term, and not less than that of a better grade`,
  );
  expect(
    Number.isInteger(dealerFlat) && dealerFlat >= 0 && dealerFlat <= 1_000_00,
    `pricing ${grade}: the dealer’s flat fee must be at most 1,000.00`,
  );
}

function checkFunds({ funds, averageLifeShare }: LendingPolicy, expect: Expect): void {
  expect(funds.length > 0, 'funds: at least one curve is required');
  funds.forEach(({ from, source, points }, i) => {
    expect(source.length > 0, `funds ${from}: the source is missing`);
    const later = i === 0 || from > (funds[i - 1]?.from ?? '');
    expect(parseDate(from) !== null && later, `funds ${from}: dates must be valid and in ascending order`);
    const rising = points.every(
      ({ months, percent }, at) => months > (points[at - 1]?.months ?? 0) && percent >= 0 && percent <= 50,
    );
    expect(points.length > 0 && rising, `funds ${from}: months must be ascending, with 0 to 50 percent each`);
  });
  expect(averageLifeShare > 0 && averageLifeShare <= 1, 'averageLifeShare: must be more than 0 and at most 1');
}

function checkCosts(policy: LendingPolicy, expect: Expect): void {
  const { acquisition, dealer, targetReturnPoints } = policy;
  for (const name of ['originationCost', 'maximumFee'] as const) {
    const amount = acquisition[name];
    expect(
      Number.isInteger(amount) && amount >= 0 && amount <= 5_000_00,
      `acquisition: ${name} must be at most 5,000.00`,
    );
  }
  for (const name of ['ratePercent', 'maximumDiscountPercent'] as const) {
    expect(acquisition[name] >= 0 && acquisition[name] <= 50, `acquisition: ${name} must be from 0 to 50`);
  }
  expect(dealer.sharePercent >= 0 && dealer.sharePercent <= 100, 'dealer: sharePercent must be from 0 to 100');
  expect(
    dealer.markup.length > 0 &&
      dealer.markup.every(
        ({ upToMonths, points }, i) =>
          points >= 0 && points <= 25 && upToMonths > (dealer.markup[i - 1]?.upToMonths ?? 0),
      ),
    'dealer: months must be ascending, with 0 to 25 points each',
  );
  expect(targetReturnPoints >= 0 && targetReturnPoints <= 50, 'targetReturnPoints: must be from 0 to 50');
}
