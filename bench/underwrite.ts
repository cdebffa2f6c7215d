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
import { end, median, report, setting } from './measure.ts';

const LIMIT = 40;
const MOST_GROWTH_MB = 20;
const ROUNDS = 5;
const decisions = setting('BENCH_DECISIONS', 10_000);

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
const ordinary = decide(0);
bytes = 0;

const early = Math.min(1_000, decisions / 2);
const ratios: number[] = [];
let [busy, seconds, after] = [0, 0, 0];
for (let round = 0; round < ROUNDS; round++) {
  const [from, to] = [round, round + 1].map((n) => Math.round((decisions * n) / ROUNDS)) as [number, number];
  const since = performance.now();
  const ours = busyFor(() => {
    for (let i = from; i < to; i++) {
      if (i === early) after = inUse();
      decide(i);
    }
  });
  seconds += (performance.now() - since) / 1e3;
  busy += ours;
  ratios.push(busyFor(() => copyTexts(to - from)) / ours);
}
const grown = inUse() - after;

const perSecond = decisions / busy;
const verdict = perSecond >= LIMIT ? 'ok' : 'TOO SLOW';
console.log(`complete decisions a second on one core: ${perSecond.toFixed(1)}, limit ${LIMIT}: ${verdict}`);
console.log(
  `  ${decisions} decisions in ${seconds.toFixed(1)} s by the clock (${(decisions / seconds).toFixed(1)}/s), ${(bytes / decisions / 1e3).toFixed(0)} KB of record each; ` +
    `${median(ratios).toFixed(2)} of the rate at which such a record is only parsed and written`,
);
const flat = grown <= MOST_GROWTH_MB;
console.log(
  `memory from decision ${early} to ${decisions}: ${grown.toFixed(1)} MB more in use, limit ${MOST_GROWTH_MB} MB: ${flat ? 'ok' : 'GROWS'}`,
);
const checked = checkSome();
console.log(`${checked} deals of 20 applicants add up to the cent`);
report({ 'underwriting decisions': ratios });
end(perSecond >= LIMIT && flat);

function decide(i: number): ReturnType<typeof recordTexts> {
  const found = underwrite(inputs[i % inputs.length] as UnderwritingInput);
  if (isRefusal(found)) throw new Error(found.detail);
  const texts = recordTexts(found);
  bytes += texts.Response.length + texts.Underwriting.length;
  return texts;
}

/** The limit: the texts of an ordinary record, parsed and written as often. */
function copyTexts(times: number): void {
  const { Response, Underwriting } = ordinary;
  for (let i = 0; i < times; i++) for (const text of [Response, Underwriting]) JSON.stringify(JSON.parse(text));
}

/** Seconds that any thread of the process was busy meanwhile. */
function busyFor(work: () => void): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
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
