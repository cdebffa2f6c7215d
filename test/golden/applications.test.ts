/**
 * Golden applications: each text file is an application, what the bureau and the applicant say above and what the engine decides below, for
 * a credit officer to read and check: the decision, how the rate is built up, what the deal costs and brings, the reasons, and what would
 * have been approved. After an intended change `GOLDEN=write npx vitest run test/golden` writes the files again: check every changed figure.
 *
 * The application: one fact per line; a line of the credit file is `account: card, 96 months, open, 8,000, 25 % used`, with `late 3 times` or
 * `past due` after it. What is not said is as in `ORDINARY`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { groupedText } from '../../src/core/decimal.ts';
import { formatCents } from '../../src/core/money.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { dealName } from '../../src/underwriting/counter-offers.ts';
import type { AssessedDeal } from '../../src/underwriting/deal.ts';
import { principalStatements } from '../../src/underwriting/reasons.ts';
import { type Assessment, underwrite } from '../../src/underwriting/underwrite.ts';
import { type Figures, inputOf, type Line, ORDINARY } from '../support/underwriting/applicants.ts';

const folder = new URL('applications/', import.meta.url);
const RULER = /^-{10,}$/m;

describe('golden applications', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));

  test('there are at least eight', () => expect(files.length).toBeGreaterThanOrEqual(8));

  for (const name of files) {
    test(name.replace('.txt', '').replaceAll('-', ' '), () => {
      const path = new URL(name, folder);
      const [application = '', golden = ''] = readFileSync(path, 'utf8').split(RULER);
      const found = underwrite(inputOf(readFigures(application)));
      if (isRefusal(found)) throw new Error(found.detail);
      const now = `\n${layOut(found)}`;
      if (process.env.GOLDEN === 'write') writeFileSync(path, `${application}${'-'.repeat(78)}${now}`);
      else expect(now, `${name}: the decision changed; GOLDEN=write accepts it after a check by hand`).toBe(golden);
    });
  }
});

// ---- the application ----

function readFigures(text: string): Figures {
  const lines: Line[] = [];
  const figures: Record<string, unknown> = {};
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^([a-zA-Z]+): (.+)$/.exec(line) ?? [];
    if (name === '') continue;
    if (name === 'account') lines.push(readLine(value));
    else if (name === 'joint') figures.joint = readJoint(value);
    else if (!Object.hasOwn(ORDINARY, name)) throw new Error(`No such fact: ${name}`);
    else figures[name] = name === 'rate' || name === 'state' ? value : value === 'none' ? null : number(value);
  }
  return { ...ORDINARY, ...figures, ...(lines.length > 0 && { lines }) };
}

function readLine(text: string): Line {
  const [kind, months, state, high, used, ...more] = text.split(', ');
  const late = more.find((part) => part.startsWith('late'));
  return {
    kind: kind as Line['kind'],
    months: number(months),
    open: state === 'open',
    high: number(high),
    used: number(used),
    late: late === undefined ? 0 : number(late),
    pastDue: more.includes('past due'),
  };
}

function readJoint(text: string): Figures['joint'] {
  const [score, income] = text.split(', ').map(number);
  return { score: score ?? null, income: income ?? null };
}

function number(text: string | undefined): number {
  const digits = (text ?? '').replace(/[^\d.]/g, '');
  if (digits === '') throw new Error(`No figure in "${text}"`);
  return Number(digits);
}

// ---- the decision ----

function layOut({ assessed, decision, reasons, warnings, stipulations, facts }: Assessment): string {
  const asked = assessed[0] as AssessedDeal;
  const { dealer, price, sheet, forecast, contract } = asked;
  const offers = assessed.flatMap((deal, i) => (i > 0 && deal.decision === 'APPROVED' ? [dealName(deal, i)] : []));
  const percent = (value: number) => `${value.toFixed(2)} %`;
  const share = (value: number) => percent(value * 100);
  const money = (amount: number) => groupedText(formatCents(amount as never), false);
  return [
    row('Decision', decision),
    row('Grade', `${asked.grade}, defaults with ${share(asked.standardDefaultProbability)} under the standard deal`),
    '',
    row('Debt to income', share(asked.ratios.dti)),
    row('Payment to income', share(asked.ratios.pti)),
    row('Loan to value', share(asked.ratios.ltv)),
    '',
    'The rate',
    row('  Cost of funds', percent(sheet.parts.funds)),
    row('  Expected loss', percent(sheet.parts.loss)),
    ...(sheet.parts.shortTerm > 0 ? [row('  Short term', percent(sheet.parts.shortTerm))] : []),
    row('  Servicing', percent(sheet.parts.servicing)),
    row('  Capital and target return', percent(sheet.parts.capital)),
    row('  Acquisition', percent(sheet.parts.acquisition)),
    ...(sheet.buyRate < sheet.uncappedRate ? [row('  Without a cap', percent(sheet.uncappedRate))] : []),
    row('  Buy rate', percent(sheet.buyRate)),
    row('  Highest offer', percent(sheet.highestOffer)),
    row('  Asked for', percent(asked.rate)),
    '',
    'The deal as asked for',
    row('  Defaults with', share(asked.defaultProbability)),
    row('  Lost of what defaults', share(asked.severity)),
    row('  Net loss of the loan', share(forecast.totals.netLoss / contract.amount)),
    row('  Expected life', `${asked.expectedLifeMonths} months`),
    row('  Fair value', money(price.fairValue)),
    row('  Price', ((price.fairValue / contract.amount) * 100).toFixed(2)),
    row('  Loan', money(contract.amount)),
    row('  Acquisition fee', money(-dealer.discountFee)),
    row('  Discount for a capped rate', money(-dealer.loanDiscount)),
    row('  Discount above the value', money(-dealer.dealerDiscount)),
    row('  Dealer’s flat fee', money(dealer.dealerFlat)),
    row('  Dealer’s participation', money(dealer.reserve)),
    row('  Cost of origination', money(asked.originationCost)),
    row('  Paid out', money(asked.paidOut)),
    row('  Net yield', `${percent(asked.netYieldPercent)}, at least ${percent(asked.hurdlePercent)}`),
    ...listed('Reasons', principalStatements(reasons)),
    ...listed('Warnings', warnings),
    ...listed('Stipulations', stipulations),
    '',
    `Other deals that can be offered: ${offers.length}`,
    ...offers.slice(0, 3).map((offer) => `  ${offer}`),
    ...(facts.coApplicant === null ? [] : [row('Score of the co-applicant', String(facts.coApplicant.score))]),
    '',
  ].join('\n');
}

function row(name: string, value: string): string {
  return `${name.padEnd(30)}${value}`;
}

function listed(name: string, entries: readonly string[]): string[] {
  return entries.length === 0 ? [] : ['', name, ...entries.map((entry) => `  ${entry}`)];
}
