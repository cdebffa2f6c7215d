/** The first page: the subject, the score and its factors, a summary of accounts, four figures at a glance. */
import type { BureauSubject, FileFlags, TradeLine } from '../../bureau.ts';
import { sum } from '../facts.ts';
import type { CreditFile } from '../file.ts';
import type { Color, TextStyle } from './pdf.ts';
import type { Printed } from './printed.ts';
import {
  type ColumnOf,
  counted,
  DARK,
  FAINT,
  GREEN,
  INK,
  inDollars,
  LEFT,
  NAVY,
  ORANGE,
  PALE,
  paragraph,
  RED,
  RIGHT,
  RULE,
  type Sheets,
  TOP,
  table,
  WIDTH,
} from './sheets.ts';
import { fitted } from './typeface.ts';

export function nameOf({ lastName, firstName, middleInitial }: BureauSubject): string {
  const given = [firstName, middleInitial].filter((part) => part !== '').join(' ');
  return [lastName, given].filter((part) => part !== '').join(', ') || 'Name not given';
}

export function identity(sheets: Sheets, { subject, inFileSince, file }: Printed): void {
  const page = sheets.page();
  const width = 340;
  page.frame(LEFT, TOP - 10, width, 126, RULE);
  page.text(LEFT + 12, TOP + 8, fitted(nameOf(subject), width - 24, 13, 'bold'), {
    size: 13,
    font: 'bold',
    color: INK,
  });
  const address = [subject.address, subject.city, `${subject.state} ${subject.zip}`.trim()].filter(
    (part) => part !== '',
  );
  const facts: [string, string][] = [
    ['Role', subject.role === 'primary' ? 'Applicant' : 'Co-applicant'],
    ['Social security number', `XXX-XX-${subject.ssn.replace(/\D/g, '').slice(-4)}`],
    ['Date of birth', subject.dateOfBirth || 'Not given'],
    ['Address', address.join(', ') || 'Not given'],
    ['In file since', inFileSince ?? '–'],
    ['SSN matches the file', file.flags.ssnMatch === null ? '–' : MATCHES[file.flags.ssnMatch]],
  ];
  facts.forEach(([label, value], i) => {
    const y = TOP + 26 + i * 15;
    page.text(LEFT + 12, y, label, { size: 8.5, color: FAINT });
    page.text(LEFT + 126, y, fitted(value, width - 136, 9), { size: 9, color: INK });
  });
}

const MATCHES = { exact: 'Yes', partial: 'In part', noMatch: 'No' } as const;

/** The score bands of auto lenders in the United States. */
export const BANDS: readonly { readonly from: number; readonly name: string; readonly color: Color }[] = [
  { from: 300, name: 'Deep subprime', color: DARK },
  { from: 501, name: 'Subprime', color: RED },
  { from: 601, name: 'Near-prime', color: ORANGE },
  { from: 661, name: 'Prime', color: GREEN },
  { from: 781, name: 'Super prime', color: [0.16, 0.45, 0.3] },
];
export const HIGHEST = 850;

export function scoreBox(sheets: Sheets, { score }: CreditFile): void {
  const page = sheets.page();
  const x = LEFT + 352;
  const width = RIGHT - x;
  page.box(x, TOP - 10, width, 126, PALE);
  page.frame(x, TOP - 10, width, 126, RULE);
  const middle = x + width / 2;
  page.text(middle, TOP + 6, 'Credit score', { size: 9, color: FAINT, align: 'center' });
  if (score === null) {
    page.text(middle, TOP + 50, 'No score', { size: 22, font: 'bold', color: FAINT, align: 'center' });
    return;
  }
  const band = BANDS.findLast(({ from }) => score >= from) ?? (BANDS[0] as (typeof BANDS)[number]);
  page.text(middle, TOP + 50, String(score), { size: 42, font: 'bold', color: INK, align: 'center' });
  page.text(middle, TOP + 66, band.name, { size: 10, font: 'bold', color: band.color, align: 'center' });
  const left = x + 14;
  const scale = (width - 28) / (HIGHEST - 300);
  BANDS.forEach(({ from, color }, i) => {
    const to = BANDS[i + 1]?.from ?? HIGHEST;
    page.box(left + (from - 300) * scale, TOP + 86, (to - from) * scale - 1, 8, color);
  });
  const mark = left + (score - 300) * scale;
  page.box(mark - 1.2, TOP + 82, 2.4, 16, INK);
  page.text(left, TOP + 108, '300', { size: 7, color: FAINT });
  page.text(left + (HIGHEST - 300) * scale, TOP + 108, String(HIGHEST), { size: 7, color: FAINT, align: 'right' });
}

const ALERTS = {
  initial: 'Fraud alert: the consumer asks to be contacted before credit is granted.',
  extended:
    'Extended fraud alert: the consumer must be contacted in person or as stated here before credit is granted.',
  activeDuty:
    'Active-duty alert: the consumer is in military service. Identity must be verified before credit is granted.',
} as const;

/** Nothing is printed when there is nothing to notice. */
export function notices(sheets: Sheets, flags: FileFlags): void {
  const { deceased, addressDiscrepancy, fraudAlert, alertPhone, ssnMatch } = flags;
  const found = [
    ...(deceased ? ['The person with this social security number is reported as deceased.'] : []),
    ...(ssnMatch === 'noMatch' ? ['The social security number belongs to another person.'] : []),
    ...(ssnMatch === 'partial' ? ['The social security number matches the file only in part.'] : []),
    ...(addressDiscrepancy ? ['Address discrepancy: the given address differs from those in the file.'] : []),
    ...(fraudAlert === 'none' ? [] : [ALERTS[fraudAlert]]),
    ...(alertPhone === null ? [] : [`Telephone number in the alert: ${alertPhone}`]),
  ];
  if (found.length === 0) return;
  sheets.heading('Notices', 20);
  for (const text of found) paragraph(sheets, text, { color: RED });
}

export function noFile(sheets: Sheets, { flags: { frozen } }: CreditFile): void {
  sheets.heading(frozen ? 'The file is frozen' : 'No file', 40);
  paragraph(
    sheets,
    frozen
      ? 'The consumer has placed a security freeze on this file. Its content cannot be released until the freeze is lifted.'
      : 'No file was found for this social security number. There are no accounts, inquiries, public records or score.',
  );
}

export function factors(sheets: Sheets, file: CreditFile): void {
  sheets.heading(file.score === null ? 'Why there is no score' : 'Key factors that lower the score', 20);
  const reasons = file.factors.length > 0 ? file.factors : ['No factors lower the score'];
  reasons.forEach((factor, i) => {
    sheets.page().text(LEFT + 4, sheets.y() + 6, `${i + 1}.`, { size: 9, font: 'bold', color: NAVY });
    sheets.page().text(LEFT + 18, sheets.y() + 6, factor, { size: 9, color: INK });
    sheets.down(14);
  });
}

export function summary(sheets: Sheets, { tradeLines }: Printed): void {
  sheets.heading('Summary of accounts', 60);
  const isCollection = ({ accountClass }: TradeLine) => accountClass === 'collection';
  const own = tradeLines.filter((line) => !isCollection(line));
  const groups = (['revolving', 'installment', 'mortgage', 'open'] as const).map((portfolio) => ({
    name: portfolio.charAt(0).toUpperCase() + portfolio.slice(1),
    lines: own.filter(({ portfolioType }) => portfolioType === portfolio),
    isTotal: false,
  }));
  const rows = [
    ...groups,
    { name: 'Collections', lines: tradeLines.filter(isCollection), isTotal: false },
    { name: 'All', lines: tradeLines, isTotal: true },
  ];
  type Row = (typeof rows)[number];
  const style = ({ isTotal }: Row): TextStyle => (isTotal ? { font: 'bold' } : {});
  const column = (title: string, width: number, cell: (lines: readonly TradeLine[]) => string): ColumnOf<Row> => ({
    ...{ title, width, align: 'right', style, cell: ({ lines }) => cell(lines) },
  });
  const total = (of: (line: TradeLine) => number) => (lines: readonly TradeLine[]) => sum(lines.map(of));
  table(
    sheets,
    [
      { title: 'Kind', width: 92, cell: ({ name }) => name, style },
      column('Accounts', 50, (lines) => counted(lines.length)),
      column('Open', 44, (lines) => counted(lines.filter(({ closed }) => closed === null).length)),
      column('Balance', 66, (lines) => inDollars(total(({ balance }) => balance)(lines))),
      column('Monthly payment', 74, (lines) => inDollars(total(({ payment }) => payment)(lines))),
      column('Past due', 60, (lines) => inDollars(total(({ pastDue }) => pastDue)(lines))),
      column('30 days', 46, (lines) => counted(total(({ late30 }) => late30)(lines))),
      column('60 days', 46, (lines) => counted(total(({ late60 }) => late60)(lines))),
      column('90 days', 46, (lines) => counted(total(({ late90 }) => late90)(lines))),
    ],
    rows,
  );
}

/** Four figures at a glance. */
export function highlights(
  sheets: Sheets,
  { accounts: all, inquiries: asked, collections: collected, bankruptcies }: CreditFile,
): void {
  const revolving = all.filter(({ kind, ageClosed }) => kind.portfolio === 'revolving' && ageClosed === null);
  const limit = sum(revolving.map((account) => account.limit));
  const used = limit === 0 ? '–' : `${Math.round((sum(revolving.map(({ balance }) => balance)) / limit) * 100)} %`;
  const oldest = Math.max(0, ...all.map(({ age }) => age));
  const boxes: [string, string][] = [
    ['Revolving utilization', used],
    ['Oldest account', oldest >= 24 ? `${Math.floor(oldest / 12)} years` : `${oldest} months`],
    ['Inquiries in six months', String(asked.filter(({ daysAgo }) => daysAgo <= 182).length)],
    ['Collections and public records', String(collected.length + bankruptcies.length)],
  ];
  sheets.need(52);
  const width = (WIDTH - 24) / boxes.length;
  boxes.forEach(([label, value], i) => {
    const x = LEFT + i * (width + 8);
    sheets.page().frame(x, sheets.y(), width, 40, RULE);
    sheets.page().text(x + width / 2, sheets.y() + 20, value, { size: 14, font: 'bold', color: NAVY, align: 'center' });
    sheets.page().text(x + width / 2, sheets.y() + 33, label, { size: 7.5, color: FAINT, align: 'center' });
  });
  sheets.down(50);
}
