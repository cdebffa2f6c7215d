/**
 * The speed of deciding applications: facts, sixty deals with their forecasts, the CSV of their cash flows, and the texts of the record,
 * ready to be sealed. The limit is 40 complete decisions per second on one core; the result counts every second that any thread of the
 * process was busy, including garbage collection. Over 10,000 decisions the memory in use must not grow after the first thousand.
 * It ends by checking that the results are correct.
 *   npm run bench:underwrite            (BENCH_DECISIONS=10000)
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { isRefusal } from '../src/core/refusal.ts';
import { recordTexts, type UnderwritingInput, underwrite } from '../src/underwriting/underwrite.ts';
import { anyFigures, inputOf, ORDINARY } from '../test/support/underwriting/applicants.ts';
import { columnSum, digits, everyDeal, readCashflows } from '../test/support/underwriting/cashflows.ts';

const LIMIT = 40;
const MOST_GROWTH_MB = 20;
const decisions = Number(process.env.BENCH_DECISIONS ?? 10_000);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Ordinary and unusual applicants, as in the tests; mostly ordinary ones, as a lender would see. */
const inputs: UnderwritingInput[] = [
  ...Array.from({ length: 150 }, (_, i) =>
    inputOf({ ...ORDINARY, score: 560 + i, income: 3_500 + i * 40, ltv: 70 + (i % 60) }),
  ),
  ...fc.sample(anyFigures, { numRuns: 150, seed: 1 }).map(inputOf),
];

let bytes = 0;
for (let i = 0; i < 300; i++) decide(i);
bytes = 0;

const early = Math.min(1_000, decisions / 2);
const began = process.cpuUsage();
const since = performance.now();
let after = 0;
for (let i = 0; i < decisions; i++) {
  if (i === early) after = inUse();
  decide(i);
}
const seconds = (performance.now() - since) / 1e3;
const { user, system } = process.cpuUsage(began);
const busy = (user + system) / 1e6;
const grown = inUse() - after;

const perSecond = decisions / busy;
const verdict = perSecond >= LIMIT ? 'ok' : 'TOO SLOW';
console.log(`complete decisions a second on one core: ${perSecond.toFixed(1)}, limit ${LIMIT}: ${verdict}`);
console.log(
  `  ${decisions} decisions in ${seconds.toFixed(1)} s by the clock (${(decisions / seconds).toFixed(1)}/s), ${(bytes / decisions / 1e3).toFixed(0)} KB of record each`,
);
const flat = grown <= MOST_GROWTH_MB;
console.log(
  `memory from decision ${early} to ${decisions}: ${grown.toFixed(1)} MB more in use, limit ${MOST_GROWTH_MB} MB: ${flat ? 'ok' : 'GROWS'}`,
);
const checked = checkSome();
console.log(`${checked} deals of 20 applicants add up to the cent`);
process.exitCode = perSecond >= LIMIT && flat ? 0 : 1;

function decide(i: number): void {
  const found = underwrite(inputs[i % inputs.length] as UnderwritingInput);
  if (isRefusal(found)) throw new Error(found.detail);
  const { Response, Underwriting } = recordTexts(found);
  bytes += Response.length + Underwriting.length;
}

function inUse(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed / 1e6;
}

function checkSome(): number {
  let deals = 0;
  for (const input of inputs.slice(140, 160)) {
    const found = underwrite(input);
    if (isRefusal(found)) throw new Error(found.detail);
    const { UnderwritingInfo, DealTermsInfo } = found.underwriting;
    for (const [i, block] of readCashflows(everyDeal(found)).blocks.entries()) {
      const info = UnderwritingInfo[i] ?? {};
      const paid = columnSum(block, 'PrincipalPaid') + columnSum(block, 'ChargeoffAmount');
      const right =
        paid === digits(DealTermsInfo[i]?.TermsLoanAmount) &&
        columnSum(block, 'TotalPaidLessFees') === digits(info.ForecastTotalPaidLessFees) &&
        columnSum(block, 'FairValue') === digits(info.FairValuePrice);
      if (!right) throw new Error(`Deal ${i} does not add up.`);
      deals += 1;
    }
  }
  return deals;
}
