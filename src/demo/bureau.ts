/**
 * What a credit bureau would say about somebody who does not exist: the account list, the thousand coded figures, and the report as a
 * page of PDF. The figures mean nothing; their names, their number and the form of their values are what a real answer has.
 */
import { addDays, addMonths, type PlainDate } from '../core/calendar.ts';
import { type Cents, cents } from '../core/money.ts';
import type { Applicant } from './applicant.ts';
import type { Dice } from './dice.ts';

const TRADE_LINE_COLUMNS = [
  ...['subscriber', 'account_type', 'member', 'account_num', 'opened', 'closed', 'payment', 'terms', 'portfolio_type'],
  ...['balance', 'high_balance', 'past_due', 'rating', '30dpd', '60dpd', '90dpd', 'account_class', 'today', 'age'],
  ...['age_closed', 'seasoned'],
];

const KINDS = [
  { type: 'CC', portfolio: 'revolving', class: 'credit card', high: [800, 14_000], months: 0 },
  { type: 'CC', portfolio: 'revolving', class: 'credit card', high: [500, 9_000], months: 0 },
  { type: 'CH', portfolio: 'revolving', class: 'charge account', high: [300, 3_000], months: 0 },
  { type: 'AU', portfolio: 'installment', class: 'auto', high: [9_000, 38_000], months: 66 },
  { type: 'ST', portfolio: 'installment', class: 'student loan', high: [4_000, 42_000], months: 120 },
  { type: 'US', portfolio: 'installment', class: 'personal loan', high: [1_500, 15_000], months: 36 },
] as const;
const SUBSCRIBERS = [
  'EXAMPLE NATIONAL',
  'SAMPLE CREDIT UNION',
  'MOCK CARD SERVICES',
  'PRETEND FINANCE',
  'NOTIONAL BANK',
];

export type TradeLines = {
  readonly csv: string;
  readonly count: number;
  readonly open: number;
  /** What the open accounts ask for each month. */
  readonly monthly: Cents;
  readonly pastDue: number;
  readonly oldest: PlainDate;
};

/** A lower score has more late payments; nobody has paid all accounts late. */
export function inventTradeLines(of: Dice, score: number, on: PlainDate): TradeLines {
  const count = of.whole(6, 17);
  const rows: string[] = [];
  let monthly = 0;
  let open = 0;
  let late = 0;
  let oldest = on;
  for (let i = 0; i < count; i++) {
    const kind = of.pick(KINDS);
    const age = of.whole(5, 190);
    const opened = addDays(addMonths(on, -age), -of.whole(0, 27));
    const isClosed = kind.months > 0 ? age >= kind.months || of.oneIn(4) : of.oneIn(3);
    const ageClosed = isClosed ? of.whole(1, age) : 0;
    const high = of.whole(kind.high[0], kind.high[1]);
    const balance = isClosed ? 0 : Math.round((high * of.whole(5, 85)) / 100);
    const payment = isClosed
      ? 0
      : kind.months === 0
        ? Math.max(25, Math.round(balance / 40))
        : Math.round(high / kind.months);
    const times = of.oneIn(score >= 700 ? 12 : score >= 620 ? 4 : 2) ? of.whole(1, 4) : 0;
    const pastDue = !isClosed && times > 2 ? payment : 0;
    if (opened < oldest) oldest = opened;
    if (!isClosed) open += 1;
    if (pastDue > 0) late += 1;
    monthly += payment;
    rows.push(
      [
        of.pick(SUBSCRIBERS),
        kind.type,
        `${of.digits(4)}DB${of.digits(3)}`,
        `****${of.digits(4)}`,
        opened,
        isClosed ? addMonths(on, -ageClosed) : '',
        payment,
        kind.months === 0 ? 'MIN' : `${kind.months}M`,
        kind.portfolio,
        balance,
        high,
        pastDue,
        pastDue > 0 ? '02' : '01',
        times,
        times > 1 ? times - 1 : 0,
        times > 2 ? times - 2 : 0,
        kind.class,
        on,
        age,
        isClosed ? ageClosed : '',
        age >= 24 ? 'Y' : 'N',
      ].join(','),
    );
  }
  return {
    csv: `${TRADE_LINE_COLUMNS.join(',')}\n${rows.join('\n')}\n`,
    count,
    open,
    monthly: cents(monthly * 100),
    pastDue: late,
    oldest,
  };
}

/** Families of bureau codes, how many each has here, and the largest figure it shows. Together 1,152, beside the eleven with names. */
const FAMILIES: readonly (readonly [prefix: string, count: number, most: number])[] = [
  ...named('AT BC BR RE IN', 46, 40),
  ...named('G S CV FI', 40, 120),
  ...named('AGG AGGS TRV PB', 38, 45_000),
  ...named('AU MT HI HR ST US OF RT FC FR JT LM MD RP SE', 28, 24),
  ...named('TRD RVDEX RVLR INDEX PAYMNT', 24, 999),
  ...named('RETS REVS WALSHR WALSRTS WALSRVS', 14, 100),
];

function named(prefixes: string, count: number, most: number): [string, number, number][] {
  return prefixes.split(' ').map((prefix) => [prefix, count, most]);
}

/** `AT01S`, `AGG101`, `G058S`, `WALSHR3`: short codes that never collide, because no prefix goes on with a digit. */
const CODES: readonly (readonly [code: string, most: number])[] = FAMILIES.flatMap(([prefix, count, most]) =>
  Array.from({ length: count }, (_, i): [string, number] => {
    if (prefix === 'AGG' || prefix === 'AGGS') return [`${prefix}${101 + i}`, most];
    if (prefix === 'G' || prefix === 'S') return [`${prefix}${String(i + 1).padStart(3, '0')}S`, most];
    if (prefix.length > 3) return [`${prefix}${i + 1}`, most];
    return [`${prefix}${String(i + 1).padStart(2, '0')}S`, most];
  }),
);

/** All values are strings, as the bureau sends them; -1 to -4 are its codes for "nothing to count". */
export function inventCreditInfo(of: Dice, { score, inFileSince, on }: Report): Record<string, string> {
  const info: Record<string, string> = {
    CreditScore: String(score),
    ApplicantCreditReportDate: on,
    FileSummaryFileHitIndicator: 'regularHit',
    FileSummarySsnMatchIndicator: 'exact',
    FileSummaryInFileSinceDate: inFileSince,
    FileSummaryMarket: of.digits(2),
    FileSummarySubmarket: of.pick(['LA', 'OH', 'TX', 'GA', 'MI']),
    FileSummaryConsumerStatementIndicator: 'false',
    CreditDataStatusSuppressed: 'false',
    InFileSinceDate: inFileSince,
    TrackingTransactionTimeStamp: `${on}T${String(of.whole(8, 18)).padStart(2, '0')}:${of.whole(10, 59)}:${of.whole(10, 59)}.${of.digits(3)}-06:00`,
  };
  for (const [code, most] of CODES) info[code] = of.oneIn(7) ? String(-of.whole(1, 4)) : String(of.whole(0, most));
  return info;
}

type Report = { readonly score: number; readonly inFileSince: PlainDate; readonly on: PlainDate };

/** One page, as bytes. */
export function reportPdf(person: Applicant, lines: TradeLines, { score, inFileSince, on }: Report): Buffer {
  return onePage([
    'CREDIT REPORT',
    'Synthetic data for a demonstration: nobody of this name, number and address exists.',
    '',
    `Report date: ${on}`,
    `Name: ${person.lastName}, ${person.firstName} ${person.middleInitial}`.trimEnd(),
    `SSN: ${person.ssn}   Born: ${person.born}`,
    `Address: ${person.street}, ${person.city}, ${person.state} ${person.zip}`,
    `In file since: ${inFileSince}`,
    `Score: ${score}`,
    `Accounts: ${lines.count}, open ${lines.open}, past due ${lines.pastDue}`,
  ]);
}

/** PDF 1.4 by hand: five objects, their offsets, and where the table of offsets is. */
function onePage(lines: readonly string[]): Buffer {
  const escaped = lines.map((line) => line.replace(/[\\()]/g, '\\$&'));
  const text = `BT /F1 11 Tf 14 TL 54 738 Td ${escaped.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const offset = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(
    `${file}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1',
  );
}
