/**
 * Golden statements: each text file here is the history of a loan, the scenario above and the statement below, for a loan officer to read
 * and check. The scenario is replayed through the decisions and the fold; the statement must match exactly. After an intended change,
 * `GOLDEN=write npx vitest run test/golden` writes the files again: check every changed figure by hand.
 *
 * The scenario: terms first, one per line; then the events, each line beginning with the day on which it was recorded. A line that
 * ends in `refused: <code>` must be refused with that code. The last line says for which day the statement is; `statement with journal`
 * has what each row posted below it, and what the books show of the loan on that day. `*` marks lines of an earlier month than they are
 * posted in. `with installments`, or `with journal and installments`, lists the installments too, beside those of the contract.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bookFiguresAsOf } from '../../src/core/books.ts';
import { addDays, DAY_COUNTS, date, FREQUENCIES, type PlainDate } from '../../src/core/calendar.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import { delinquency, openInstallments } from '../../src/core/delinquency.ts';
import { KINDS, type LoanEvent } from '../../src/core/event.ts';
import { fold } from '../../src/core/fold.ts';
import { type Contract, DEFAULT_GROUNDS, PURPOSES } from '../../src/core/loan.ts';
import { type Cents, cents, formatCents, ZERO } from '../../src/core/money.ts';
import { payoff } from '../../src/core/payoff.ts';
import { DEFAULT_POLICY, type LateFeePolicy, type Policy } from '../../src/core/policy.ts';
import { percent } from '../../src/core/rate.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { type StatementRow, statement } from '../../src/core/statement.ts';
import { closedBy, statusOf } from '../../src/core/status.ts';
import { besideRows, unwrittenLines } from '../../src/ledger/beside-rows.ts';
import { type DatedLine, isPriorPeriod, journalOf } from '../../src/ledger/journal.ts';
import { contractOf, type Life, live, money, payment } from '../support/life.ts';

const folder = new URL('.', import.meta.url);
const RULER = /^-{10,}$/m;

describe('golden statements', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));

  test('there are at least twelve histories', () => expect(files.length).toBeGreaterThanOrEqual(12));

  for (const name of files) {
    test(name.replace('.txt', '').replaceAll('-', ' '), () => {
      const path = new URL(name, folder);
      const [scenario = '', golden = ''] = readFileSync(path, 'utf8').split(RULER);
      const { life, until, journal, installments } = replay(scenario);
      const now =
        layOut(life.events, until, { journal }) +
        (installments ? layOutInstallments(life.events, until) : '') +
        (journal ? layOutBooks(life.events, until) : '');
      if (process.env.GOLDEN === 'write') writeFileSync(path, `${scenario}${'-'.repeat(117)}${now}`);
      else expect(now, `${name}: the statement changed; GOLDEN=write accepts it after a check by hand`).toBe(golden);
    });
  }
});

// ---- the scenario ----

function replay(scenario: string): { life: Life; until: PlainDate; journal: boolean; installments: boolean } {
  let terms: Terms = { contract: contractOf({ dayCount: 'actual/365' }), policy: DEFAULT_POLICY };
  let life: Life | null = null;
  let until: PlainDate | null = null;
  let journal = false;
  let installments = false;

  for (const text of scenario.split('\n')) {
    // Lines that begin with # are for the reader.
    if (text === '' || text.startsWith('#')) continue;
    const [, day, what = '', refused] = /^(\d{4}-\d{2}-\d{2}) (.*?)(?: refused: (\w+))?$/.exec(text) ?? [];
    if (day === undefined) {
      terms = { ...terms, ...understand(TERMS, text)(terms) };
    } else if (/^statement( with (journal|installments|journal and installments))?$/.test(what)) {
      until = date(day);
      journal = what.includes('journal');
      installments = what.includes('installments');
    } else {
      life ??= live(terms.contract, terms.policy).approve(day);
      for (const command of understand(EVENTS, what)(date(day))) {
        const decision = life.ask(day, command);
        expect(isRefusal(decision) ? decision.refused : undefined, text).toBe(refused);
        if (!isRefusal(decision)) life.take(day, command);
      }
    }
  }
  if (life === null || until === null) throw new Error('The scenario has no statement line.');
  return { life, until, journal, installments };
}

type Terms = { contract: Contract; policy: Policy };

/** A form of line, and its meaning computed from the captured words. */
type Line<T> = [pattern: RegExp, meaning: (...words: string[]) => T];

function understand<T>(lines: readonly Line<T>[], text: string): T {
  for (const [pattern, meaning] of lines) {
    const found = pattern.exec(text);
    if (found !== null) return meaning(...found.slice(1));
  }
  throw new Error(`Not understood: ${text}`);
}

const contract =
  (more: Partial<Contract>) =>
  (terms: Terms): Partial<Terms> => ({ contract: { ...terms.contract, ...more } });

const lateFee =
  (fee: Partial<LateFeePolicy>, days: string) =>
  ({ policy }: Terms): Partial<Terms> => ({
    policy: {
      ...policy,
      lateFee: {
        flat: null,
        percent: null,
        floor: null,
        cap: null,
        judge: 'currentFirst',
        ...fee,
        graceDays: Number(days),
      },
    },
  });

const TERMS: Line<(terms: Terms) => Partial<Terms>>[] = [
  [
    /^loan ([\d,.]+) at ([\d.]+) % in (\d+) (\w+) payments$/,
    (amount: string, rate: string, count: string, frequency: string) =>
      contract({
        amount: money(amount),
        rate: percent(rate),
        count: Number(count),
        frequency: oneOf(FREQUENCIES, frequency),
      }),
  ],
  [
    /^contract date (\S+), first payment (\S+)$/,
    (start: string, first: string) => contract({ contractDate: date(start), firstPaymentDate: date(first) }),
  ],
  [/^day count (\S+)$/, (name: string) => contract({ dayCount: oneOf(DAY_COUNTS, name) })],
  [/^balloon ([\d,.]+)$/, (amount: string) => contract({ amortization: 'Balloon', balloon: money(amount) })],
  [/^interest only for the first (\d+)$/, (count: string) => contract({ interestOnlyCount: Number(count) })],
  [/^prepayment penalty ([\d,.]+)$/, (amount: string) => contract({ prepaymentPenalty: money(amount) })],
  [/^late fee ([\d,.]+) after (\d+) days$/, (flat: string, days: string) => lateFee({ flat: money(flat) }, days)],
  [
    /^late fees judged by the oldest installment first$/,
    () =>
      ({ policy }) => ({
        policy: { ...policy, lateFee: policy.lateFee && { ...policy.lateFee, judge: 'oldestFirst' } },
      }),
  ],
  [
    /^return fee ([\d,.]+)$/,
    (amount: string) =>
      ({ policy }) => ({ policy: { ...policy, returnFee: money(amount) } }),
  ],
  [
    /^non-accrual at (\d+) days$/,
    (days: string) =>
      ({ policy }) => ({ policy: { ...policy, nonAccrualDays: Number(days) } }),
  ],
  [
    /^late fee ([\d.]+) % from ([\d,.]+) to ([\d,.]+) after (\d+) days$/,
    (share: string, floor: string, cap: string, days: string) =>
      lateFee({ percent: percent(share), floor: money(floor), cap: money(cap) }, days),
  ],
];

const EVENTS: Line<(today: PlainDate) => Command[]>[] = [
  [/^fund$/, () => () => [{ do: 'fund-loan', date: null, opening: null }]],
  [
    /^fund, boarded on (\S+) with principal (\S+), interest (\S+), fees (\S+), paid through (\S+)$/,
    (day: string, principal: string, interest: string, fees: string, through: string) => () => [
      {
        do: 'fund-loan',
        date: null,
        opening: {
          date: date(day),
          principal: money(principal),
          interest: money(interest),
          fees: money(fees),
          paidThrough: date(through),
        },
      },
    ],
  ],
  [
    /^pay ([\d,.]+) as (\S+?)( principal only| insurance| sale| productRefund)?( accepting overpayment)?(?: dated ([\d-]+))?(?:: (.+))?$/,
    (amount: string, refId: string, only?: string, accepting?: string, dated?: string, reason?: string) => () => [
      {
        ...payment(amount, refId),
        date: dated === undefined ? null : date(dated),
        purpose: only === undefined ? 'installment' : (PURPOSES.find((one) => only.includes(one)) ?? 'installment'),
        acceptOverpayment: accepting !== undefined,
        reason: reason ?? null,
      },
    ],
  ],
  [
    /^acknowledge (.+)$/,
    (refIds: string) => () => refIds.split(', ').map((refId) => ({ do: 'acknowledge-repayment', refId })),
  ],
  [
    /^return (\S+): (.+)$/,
    (refId: string, reason: string) => () => [{ do: 'return-repayment', refId, date: null, reason }],
  ],
  [/^reverse (\S+): (.+)$/, (refId: string, reason: string) => () => [{ do: 'reverse-repayment', refId, reason }]],
  [
    /^fee ([\d,.]+) as (\S+): (.+)$/,
    (amount: string, feeId: string, name: string) => () => [
      { do: 'assess-fee', feeId, kind: 'fee', name, amount: money(amount), date: null },
    ],
  ],
  [/^waive (\S+): (.+)$/, (feeId: string, reason: string) => () => [{ do: 'waive-fee', feeId, amount: null, reason }]],
  [
    /^rate ([\d.]+) % from (\S+): (.+)$/,
    (rate: string, from: string, reason: string) => () => [
      { do: 'change-rate', rate: percent(rate), date: date(from), why: null, reason },
    ],
  ],
  [
    /^military service from (\S+)(?: to (\S+))? at ([\d.]+) %: (.+)$/,
    (from: string, to: string | undefined, rate: string, reason: string) => () => [
      {
        do: 'change-rate',
        rate: percent(rate),
        date: null,
        why: 'scra',
        service: { from: date(from), to: to === undefined ? null : date(to) },
        reason,
      },
    ],
  ],
  [
    /^extend by (\d+)( with override)?: (.+)$/,
    (periods: string, override: string | undefined, reason: string) => () => [
      { do: 'extend', periods: Number(periods), date: null, reason, override: override !== undefined },
    ],
  ],
  [
    /^move the next due date to (\S+)$/,
    (to: string) => () => [{ do: 'change-due-date', to: date(to), date: null, reason: 'payday' }],
  ],
  [/^re-amortize$/, () => () => [{ do: 'reamortize', date: null, reason: 'asked for' }]],
  [
    /^re-age( with override)?: (.+)$/,
    (override: string | undefined, reason: string) => () => [
      { do: 'reage', date: null, reason, override: override !== undefined },
    ],
  ],
  [
    /^quote (\S+) good for (\d+) days$/,
    (quoteId: string, days: string) => (today) => [
      { do: 'payoff-quotes', quoteId, date: today, goodThrough: addDays(today, Number(days)) },
    ],
  ],
  [
    /^settle (\S+) for ([\d,.]+) good for (\d+) days: (.+)$/,
    (quoteId: string, amount: string, days: string, reason: string) => (today) => [
      { do: 'settle', quoteId, amount: money(amount), goodThrough: addDays(today, Number(days)), reason },
    ],
  ],
  [
    /^default(?: for (\w+))?: (.+)$/,
    (ground: string | undefined, reason: string) => () => [
      { do: 'default', ground: oneOf(DEFAULT_GROUNDS, ground ?? 'pastDue'), reason },
    ],
  ],
  [/^accelerate: (.+)$/, (reason: string) => () => [{ do: 'accelerate', reason }]],
  [
    /^charge off(?: keeping ([\d,.]+))?: (.+)$/,
    (kept: string | undefined, reason: string) => () => [
      { do: 'charge-off', date: null, reason, collateral: kept === undefined ? ZERO : money(kept) },
    ],
  ],
  [
    /^write down ([\d,.]+): (.+)$/,
    (amount: string, reason: string) => () => [{ do: 'write-down', amount: money(amount), reason }],
  ],
  [
    /^recover ([\d,.]+) as (\S+)$/,
    (amount: string, refId: string) => () => [{ do: 'record-recovery', amount: money(amount), refId, date: null }],
  ],
  [
    /^refund ([\d,.]+) as (\S+)$/,
    (amount: string, refId: string) => () => [{ do: 'refund-credit', amount: money(amount), refId }],
  ],
];

function oneOf<T extends string>(names: readonly T[], name: string): T {
  const found = names.find((one) => one === name);
  if (found === undefined) throw new Error(`Not one of ${names.join(', ')}: ${name}`);
  return found;
}

// ---- the statement, laid out ----

function show(amount: Cents): string {
  const [whole = '', decimals = ''] = formatCents(amount).split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${decimals}`;
}

function line(columns: readonly string[]): string {
  const [day = '', what = '', ...amounts] = columns;
  return `${day.padEnd(12)}${what.padEnd(43)}${amounts.map((text) => text.padStart(10)).join('')}`.trimEnd();
}

const WORDS: Record<StatementRow['kind'], string> = {
  funded: 'funded',
  takenOver: 'boarded',
  disbursed: 'disbursed',
  payment: 'payment',
  returned: 'return of',
  reversed: 'reversal of',
  smallBalance: 'small balance',
  givenUp: 'waived under',
  fee: 'fee',
  waived: 'waived',
  rate: 'rate',
  moved: 'due dates',
  reamortized: 'payment recomputed',
  quoted: 'quote',
  refunded: 'refund',
  defaulted: 'defaulted',
  accelerated: 'accelerated',
  rescinded: 'rescinded',
  chargedOff: 'charged off',
  writtenDown: 'written down',
};

function layOut(events: readonly LoanEvent[], until: PlainDate, { journal }: { journal: boolean }): string {
  const { loan, rows } = statement(events, until);
  const { byRow, others } = besideRows(rows, events, journal ? placedLines(events, until) : []);
  const text = [
    '',
    `Statement of ${loan.on}`,
    '',
    line(['date', 'what', 'amount', 'fees', 'interest', 'principal', 'credit', 'balance']),
  ];
  if (journal) text.push(journalLine(['posted', 'effective', 'entry', 'account', 'debit', 'credit']));
  rows.forEach(({ date: day, kind, reference, detail, amount, allocation, balance }, i) => {
    const more = detail === '' || kind === 'rate' || kind === 'moved' ? detail : `(${detail})`;
    const what = [WORDS[kind], reference, more].filter(Boolean).join(' ');
    const parts = [allocation.fees, allocation.interest, allocation.principal, allocation.credit];
    const shown = parts.map((part) => (part === 0 ? '' : show(part)));
    text.push(line([day, what, amount === 0 ? '' : show(amount), ...shown, show(balance)]));
    text.push(...(byRow[i] ?? []).map(posted));
  });
  if (others.length > 0) text.push('', 'Beside no row', '', ...others.map(posted));
  const owed = payoff(loan);
  const late = delinquency(loan);
  const fact = (name: string, value: string) => `${name.padEnd(20)}${value}`.trimEnd();
  text.push(
    '',
    fact(
      'payoff',
      `${show(owed.payoff)} = principal ${show(owed.principal)} + interest ${show(owed.interest)} + fees ${show(owed.fees)}` +
        `${owed.prepaymentPenalty > 0 ? ` + prepayment penalty ${show(owed.prepaymentPenalty)}` : ''}` +
        `${owed.credits > 0 ? ` - credit ${show(owed.credits)}` : ''}`,
    ),
    fact('per-diem', show(owed.perDiem)),
    fact('past due', `${show(late.pastDueAmount)}, ${late.daysPastDue} days (${late.bucket})`),
    fact('next due', late.nextDueDate === null ? 'nothing' : `${late.nextDueDate}, ${show(late.nextDueAmount)}`),
    fact(
      'paid so far',
      `${show(loan.totals.received)} of which fees ${show(loan.totals.feesPaid)}, interest ${show(loan.totals.interestPaid)}, principal ${show(loan.totals.principalPaid)}`,
    ),
    fact('last due date', loan.installments.at(-1)?.dueDate ?? ''),
    fact('status', [statusOf(loan), closedBy(loan)].filter((word) => word !== null).join(' by ')),
  );
  if (loan.chargeOff !== null) text.push(fact('recovered', show(cents(loan.chargeOff.recovered))));
  return `${text.join('\n')}\n`;
}

/** Each installment as it is and as the contract has it. */
function layOutInstallments(events: readonly LoanEvent[], until: PlainDate): string {
  const funded = events.filter(({ type }) => KINDS[type].early || type === 'funded');
  const agreed = fold(funded, until).installments;
  const row = (columns: readonly string[]) =>
    columns.map((text, i) => (i < 2 ? text.padEnd(i === 0 ? 4 : 12) : text.padStart(11))).join('');
  const text = ['', `Installments on ${until}`, ''];
  text.push(row(['n', 'due', 'contract', 'less', 'amount', 'principal', 'interest', 'paid', 'open']));
  openInstallments(fold(events, until)).forEach(({ installment, open }, i) => {
    const { n, dueDate, amount, principal, interest, paid } = installment;
    const contract = agreed[i]?.amount ?? ZERO;
    const less = cents(contract - amount);
    const shown = [contract, less, amount, principal, interest, paid, open].map((one) => (one === 0 ? '' : show(one)));
    text.push(row([String(n), dueDate, ...shown]).trimEnd());
  });
  return `${text.join('\n')}\n`;
}

/** The lines posted by the end of a day. */
function placedLines(events: readonly LoanEvent[], until: PlainDate) {
  const written = journalOf(events).lines.flatMap((lines, at) => lines.map((one) => ({ line: one, at })));
  return [...written, ...unwrittenLines(events, until).map((one) => ({ line: one, at: null }))];
}

function posted(line: DatedLine): string {
  const { datePosted, dateEffective, entry, account, amount } = line;
  const columns = amount > 0 ? [show(amount), ''] : ['', show(cents(-amount))];
  const effective = dateEffective === datePosted ? '' : `${dateEffective}${isPriorPeriod(line) ? ' *' : ''}`;
  return journalLine([datePosted, effective, entry, account, ...columns]);
}

function journalLine(columns: readonly string[]): string {
  const [day = '', effective = '', entry = '', account = '', debit = '', credit = ''] = columns;
  const names = `${' '.repeat(14)}${day.padEnd(12)}${effective.padEnd(14)}${entry.padEnd(14)}${account.padEnd(20)}`;
  return `${names}${debit.padStart(11)}${credit.padStart(11)}`.trimEnd();
}

/** The figures that the books show of the loan at the end of a day. */
function layOutBooks(events: readonly LoanEvent[], until: PlainDate): string {
  const text = ['', `On the books on ${until}`, ''];
  for (const [account, amount] of Object.entries(bookFiguresAsOf(events, until))) {
    text.push(`${account.padEnd(20)}${show(amount).padStart(10)}`);
  }
  return `${text.join('\n')}\n`;
}
