/** The printed report: score and summary, the accounts with two years of payments each, what else is in file, and how to read it. */
import type { PlainDate } from '../../core/calendar.ts';
import { addDays, addMonths } from '../../core/calendar.ts';
import type { BureauSubject, TradeLine } from '../bureau.ts';
import { type Account, TREND_MONTHS } from './accounts.ts';
import type { CreditFile } from './file.ts';
import { type Color, fitted, newPdf, PAGE, type Page, type TextStyle, textWidth, wrapped } from './pdf.ts';

export type Printed = {
  readonly file: CreditFile;
  readonly subject: BureauSubject;
  readonly today: PlainDate;
  /** ISO 8601. */
  readonly at: string;
  readonly inFileSince: PlainDate | null;
  /** Of the accounts, in their order, and then of the collections. */
  readonly tradeLines: readonly TradeLine[];
};

export function reportPages(printed: Printed): Uint8Array {
  const { subject, today, at, file } = printed;
  const pdf = newPdf({ title: 'Simulated credit report', createdAt: at.slice(0, 19).replace(/\D/g, '') });
  const sheets = sheetsOf(pdf.page, today);
  identity(sheets, printed);
  scoreBox(sheets, file);
  sheets.moveTo(TOP + 138);
  if (file.hit && !file.frozen) {
    factors(sheets, file);
    summary(sheets, printed);
    highlights(sheets, file);
    accounts(sheets, printed);
    collections(sheets, printed);
    publicRecords(sheets, file, today);
    inquiries(sheets, file, today);
  } else noFile(sheets, file);
  howToRead(sheets);
  sheets.number(nameOf(subject));
  return pdf.bytes();
}

// ---- sheets ----

const LEFT = 42;
const RIGHT = PAGE.width - 42;
const WIDTH = RIGHT - LEFT;
const TOP = 74;
const BOTTOM = PAGE.height - 62;

const INK: Color = [0.13, 0.15, 0.2];
const FAINT: Color = [0.42, 0.45, 0.5];
const NAVY: Color = [0.1, 0.2, 0.38];
const WHITE: Color = [1, 1, 1];
const PALE: Color = [0.95, 0.96, 0.98];
const RULE: Color = [0.78, 0.81, 0.86];
const GREEN: Color = [0.3, 0.62, 0.42];
const YELLOW: Color = [0.93, 0.76, 0.29];
const ORANGE: Color = [0.9, 0.52, 0.2];
const RED: Color = [0.78, 0.24, 0.22];
const DARK: Color = [0.42, 0.1, 0.12];
const GREY: Color = [0.86, 0.87, 0.89];

type Sheets = {
  /** The one that is written on, and where. */
  page(): Page;
  y(): number;
  moveTo(y: number): void;
  down(by: number): void;
  /** Begins another page unless so much fits on this one; tells whether it did. */
  need(height: number): boolean;
  heading(text: string, below: number): void;
  number(name: string): void;
};

function sheetsOf(newPage: () => Page, today: PlainDate): Sheets {
  const pages: Page[] = [];
  let y = TOP;
  const begin = () => {
    const page = newPage();
    pages.push(page);
    page.box(0, 0, PAGE.width, 46, NAVY);
    page.text(LEFT, 29, 'Credit report', { size: 16, font: 'bold', color: WHITE });
    page.text(LEFT + 112, 29, today, { size: 10, color: WHITE });
    page.box(RIGHT - 106, 14, 106, 18, ORANGE);
    page.text(RIGHT - 53, 27, 'SIMULATED DATA', { size: 10, font: 'bold', color: WHITE, align: 'center' });
    y = TOP;
  };
  begin();
  const page = () => pages.at(-1) as Page;
  const need = (height: number): boolean => {
    if (y + height <= BOTTOM) return false;
    begin();
    return true;
  };
  return {
    page,
    y: () => y,
    moveTo: (to) => {
      y = to;
    },
    down: (by) => {
      y += by;
    },
    need,
    heading(text, below) {
      // A heading never stands alone at the foot of a page.
      if (!need(34 + below)) y += 12;
      page().text(LEFT, y + 8, text, { size: 12, font: 'bold', color: NAVY });
      page().line(LEFT, y + 13, RIGHT, y + 13, NAVY);
      y += 24;
    },
    number(name) {
      pages.forEach((one, i) => {
        one.line(LEFT, BOTTOM + 14, RIGHT, BOTTOM + 14, RULE);
        one.text(
          LEFT,
          BOTTOM + 26,
          'Simulated: every account, balance and score was invented. It says nothing about any person.',
          {
            size: 7.5,
            color: FAINT,
          },
        );
        one.text(LEFT, BOTTOM + 37, fitted(name, 380, 7.5), { size: 7.5, color: FAINT });
        one.text(RIGHT, BOTTOM + 26, `Page ${i + 1} of ${pages.length}`, { size: 7.5, color: FAINT, align: 'right' });
      });
    },
  };
}

type ColumnOf<Row> = {
  readonly title: string;
  readonly width: number;
  readonly align?: 'left' | 'right';
  readonly cell: (row: Row) => string;
  readonly style?: (row: Row) => TextStyle;
};

/** `below` is drawn under each row and takes so much more height. */
function table<Row>(
  sheets: Sheets,
  columns: readonly ColumnOf<Row>[],
  rows: readonly Row[],
  below: { readonly height: number; readonly draw: (row: Row, y: number) => void } = { height: 0, draw: () => {} },
): void {
  const size = 7.8;
  const height = 13 + below.height;
  const head = () => {
    const page = sheets.page();
    page.box(LEFT, sheets.y() - 3, WIDTH, 14, PALE);
    put((column) => column.title, { size: 7.2, font: 'bold', color: NAVY }, sheets.y() + 6.5);
    sheets.down(15);
  };
  const put = (
    cell: (column: ColumnOf<Row>) => string,
    style: TextStyle | ((column: ColumnOf<Row>) => TextStyle),
    y: number,
  ) => {
    let x = LEFT + 3;
    for (const column of columns) {
      const { width, align = 'left' } = column;
      const how = typeof style === 'function' ? style(column) : style;
      const text = fitted(cell(column), width - 4, how.size ?? size, how.font);
      sheets.page().text(align === 'right' ? x + width - 4 : x, y, text, { ...how, align });
      x += width;
    }
  };
  sheets.need(15 + height);
  head();
  rows.forEach((row, i) => {
    if (sheets.need(height)) head();
    if (i % 2 === 1) sheets.page().box(LEFT, sheets.y() - 3, WIDTH, height, [0.985, 0.987, 0.992]);
    put(
      (column) => column.cell(row),
      (column) => ({ size, color: INK, ...column.style?.(row) }),
      sheets.y() + 6.5,
    );
    below.draw(row, sheets.y() + 10);
    sheets.down(height);
  });
  sheets.page().line(LEFT, sheets.y() - 2, RIGHT, sheets.y() - 2, RULE);
  sheets.down(6);
}

function paragraph(sheets: Sheets, text: string, style: TextStyle = {}): void {
  const size = style.size ?? 9;
  for (const line of wrapped(text, WIDTH, size, style.font)) {
    sheets.need(size + 4);
    sheets.page().text(LEFT, sheets.y() + size, line, { color: INK, ...style, size });
    sheets.down(size + 3.5);
  }
  sheets.down(4);
}

/** `1,234` dollars; nothing is a dash. */
function dollars(amount: number): string {
  return amount === 0 ? '–' : String(Math.round(amount)).replace(/\B(?=(\d{3})+$)/g, ',');
}
const counted = (count: number): string => (count === 0 ? '–' : String(count));
const inDollars = (cents: number): string => dollars(cents / 100);
const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);

// ---- the first page ----

function nameOf({ lastName, firstName, middleInitial }: BureauSubject): string {
  const given = [firstName, middleInitial].filter((part) => part !== '').join(' ');
  return [lastName, given].filter((part) => part !== '').join(', ') || 'Name not given';
}

function identity(sheets: Sheets, { subject, inFileSince, file }: Printed): void {
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
    ['As asked for', subject.role === 'primary' ? 'Applicant' : 'Co-applicant'],
    ['Social security number', `XXX-XX-${subject.ssn.replace(/\D/g, '').slice(-4)}`],
    ['Date of birth', subject.dateOfBirth || 'Not given'],
    ['Address', address.join(', ') || 'Not given'],
    ['In file since', inFileSince ?? '–'],
    ['Number matches the file', !file.hit ? '–' : file.ssnMatch === 'exact' ? 'Yes' : 'No'],
  ];
  facts.forEach(([label, value], i) => {
    const y = TOP + 26 + i * 15;
    page.text(LEFT + 12, y, label, { size: 8.5, color: FAINT });
    page.text(LEFT + 126, y, fitted(value, width - 136, 9), { size: 9, color: INK });
  });
}

/** As auto lenders in the United States speak of scores. */
const BANDS: readonly { readonly from: number; readonly name: string; readonly color: Color }[] = [
  { from: 300, name: 'Deep subprime', color: DARK },
  { from: 501, name: 'Subprime', color: RED },
  { from: 601, name: 'Near-prime', color: ORANGE },
  { from: 661, name: 'Prime', color: GREEN },
  { from: 781, name: 'Super prime', color: [0.16, 0.45, 0.3] },
];
const HIGHEST = 850;

function scoreBox(sheets: Sheets, { score }: CreditFile): void {
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

function noFile(sheets: Sheets, { frozen }: CreditFile): void {
  sheets.heading(frozen ? 'The file is frozen' : 'No file', 40);
  paragraph(
    sheets,
    frozen
      ? 'The consumer has placed a security freeze on this file. It exists, and nothing of it may be shown until the freeze is lifted.'
      : 'No file was found for this social security number. There is no account, no inquiry, no public record and no score.',
  );
}

function factors(sheets: Sheets, file: CreditFile): void {
  sheets.heading(file.score === null ? 'Why there is no score' : 'What holds the score down', 20);
  const reasons = file.factors.length > 0 ? file.factors : ['Nothing in this file holds the score down'];
  reasons.forEach((factor, i) => {
    sheets.page().text(LEFT + 4, sheets.y() + 6, `${i + 1}.`, { size: 9, font: 'bold', color: NAVY });
    sheets.page().text(LEFT + 18, sheets.y() + 6, factor, { size: 9, color: INK });
    sheets.down(14);
  });
}

function summary(sheets: Sheets, { tradeLines }: Printed): void {
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
      column('Payment a month', 74, (lines) => inDollars(total(({ payment }) => payment)(lines))),
      column('Past due', 60, (lines) => inDollars(total(({ pastDue }) => pastDue)(lines))),
      column('30 days', 46, (lines) => counted(total(({ late30 }) => late30)(lines))),
      column('60 days', 46, (lines) => counted(total(({ late60 }) => late60)(lines))),
      column('90 days', 46, (lines) => counted(total(({ late90 }) => late90)(lines))),
    ],
    rows,
  );
}

/** Four figures at a glance. */
function highlights(
  sheets: Sheets,
  { accounts: all, inquiries: asked, collections: collected, bankruptcies }: CreditFile,
): void {
  const revolving = all.filter(({ kind, ageClosed }) => kind.portfolio === 'revolving' && ageClosed === null);
  const limit = sum(revolving.map((account) => account.limit));
  const used = limit === 0 ? '–' : `${Math.round((sum(revolving.map(({ balance }) => balance)) / limit) * 100)} %`;
  const oldest = Math.max(0, ...all.map(({ age }) => age));
  const boxes: [string, string][] = [
    ['Revolving limits in use', used],
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

// ---- the accounts ----

function accounts(sheets: Sheets, { file, tradeLines }: Printed): void {
  sheets.heading('Accounts', 70);
  legend(sheets);
  const rows = file.accounts.map((account, i) => ({ account, line: tradeLines[i] as TradeLine }));
  type Row = (typeof rows)[number];
  const late: NonNullable<ColumnOf<Row>['style']> = ({ line }) =>
    line.pastDue > 0 ? { color: RED, font: 'bold' } : {};
  table<Row>(
    sheets,
    [
      { title: 'Creditor', width: 116, cell: ({ line }) => line.subscriber, style: () => ({ font: 'bold' }) },
      { title: 'Kind', width: 84, cell: ({ line }) => line.accountClass },
      { title: 'Opened', width: 47, cell: ({ line }) => line.opened ?? '' },
      { title: 'Closed', width: 47, cell: ({ line }) => line.closed ?? '' },
      { title: 'Terms', width: 28, cell: ({ line }) => line.terms },
      { title: 'Limit or lent', width: 51, align: 'right', cell: ({ line }) => inDollars(line.highBalance) },
      { title: 'Balance', width: 46, align: 'right', cell: ({ line }) => inDollars(line.balance) },
      { title: 'Payment', width: 39, align: 'right', cell: ({ line }) => inDollars(line.payment) },
      { title: 'Past due', width: 41, align: 'right', cell: ({ line }) => inDollars(line.pastDue), style: late },
      { title: 'Rated', width: 26, align: 'right', cell: ({ line }) => line.rating, style: late },
    ],
    rows,
    {
      height: 16,
      draw({ account, line }, y) {
        const page = sheets.page();
        page.text(LEFT + 3, y + 7, `${line.accountNumber}   ${line.member}${account.joint ? '   joint' : ''}`, {
          size: 7,
          color: FAINT,
        });
        paymentBar(page, account, LEFT + 119, y + 1);
        const times = `late 30: ${line.late30}   60: ${line.late60}   90: ${line.late90}`;
        page.text(RIGHT - 3, y + 7, times, { size: 7, color: FAINT, align: 'right' });
      },
    },
  );
}

const BAR_WIDTH = 264;
const LATE_COLORS: readonly Color[] = [GREEN, YELLOW, ORANGE, RED];

/** Two years, the oldest month on the left. Months of one color are one box. */
function paymentBar(page: Page, { history, age }: Account, x: number, y: number): void {
  const step = BAR_WIDTH / TREND_MONTHS;
  const colorOf = (month: number): Color => {
    const state = month > age ? -1 : (history[month] as number);
    return state < 0 ? GREY : (LATE_COLORS[state] ?? DARK);
  };
  let from = TREND_MONTHS - 1;
  for (let month = TREND_MONTHS - 1; month >= 0; month--) {
    const color = colorOf(month);
    if (month > 0 && colorOf(month - 1) === color) continue;
    page.box(x + (TREND_MONTHS - 1 - from) * step, y, (from - month + 1) * step - 0.6, 6, color);
    from = month - 1;
  }
}

function legend(sheets: Sheets): void {
  const entries: [Color, string][] = [
    [GREEN, 'paid as agreed'],
    [YELLOW, '30 days late'],
    [ORANGE, '60'],
    [RED, '90'],
    [DARK, '120 and more'],
    [GREY, 'not reported'],
  ];
  const page = sheets.page();
  const y = sheets.y();
  page.text(LEFT, y + 4, 'The bar under each account shows the last 24 months:', { size: 7.5, color: FAINT });
  let x = LEFT + 190;
  for (const [color, text] of entries) {
    page.box(x, y - 1.5, 8, 6, color);
    page.text(x + 11, y + 4, text, { size: 7.5, color: FAINT });
    x += 22 + textWidth(text, 7.5);
  }
  sheets.down(14);
}

// ---- what else is in file ----

function collections(sheets: Sheets, { file, tradeLines }: Printed): void {
  sheets.heading('Collections', 40);
  if (file.collections.length === 0) {
    paragraph(sheets, 'There are none.', { color: FAINT });
    return;
  }
  const rows = file.collections.map((collection, i) => ({
    collection,
    line: tradeLines[file.accounts.length + i] as TradeLine,
  }));
  table(
    sheets,
    [
      { title: 'Agency', width: 150, cell: ({ line }) => line.subscriber, style: () => ({ font: 'bold' }) },
      { title: 'Account', width: 70, cell: ({ line }) => line.accountNumber },
      { title: 'For', width: 80, cell: ({ collection }) => collection.about },
      { title: 'Since', width: 70, cell: ({ line }) => line.opened ?? '' },
      { title: 'Paid', width: 60, cell: ({ line }) => line.closed ?? '' },
      { title: 'Amount', width: 46, align: 'right', cell: ({ line }) => inDollars(line.highBalance) },
      { title: 'Owed', width: 46, align: 'right', cell: ({ line }) => inDollars(line.balance) },
    ],
    rows,
  );
}

function publicRecords(sheets: Sheets, { bankruptcies }: CreditFile, today: PlainDate): void {
  sheets.heading('Public records', 40);
  if (bankruptcies.length === 0) {
    paragraph(sheets, 'There are none.', { color: FAINT });
    return;
  }
  table(
    sheets,
    [
      { title: 'Record', width: 220, cell: ({ chapter }) => `Bankruptcy, chapter ${chapter}` },
      { title: 'Filed', width: 100, cell: ({ age, days }) => addDays(addMonths(today, -age), -days) },
      { title: 'State', width: 200, cell: ({ discharged }) => (discharged ? 'discharged' : 'not discharged') },
    ],
    bankruptcies,
  );
}

function inquiries(sheets: Sheets, { inquiries: asked }: CreditFile, today: PlainDate): void {
  sheets.heading('Inquiries of the last two years', 40);
  if (asked.length === 0) {
    paragraph(sheets, 'There are none.', { color: FAINT });
    return;
  }
  table(
    sheets,
    [
      { title: 'Date', width: 120, cell: ({ daysAgo }) => addDays(today, -daysAgo) },
      { title: 'Who asked', width: 260, cell: ({ from }) => from },
      { title: 'Kind', width: 140, cell: ({ kind }) => kind },
    ],
    asked,
  );
}

// ---- how to read it ----

const RATINGS: readonly (readonly [string, string])[] = [
  ['01', 'paid as agreed, or paid and closed'],
  ['02 to 05', 'late by 30, 60, 90, and by 120 and more days'],
  ['07', 'included in a bankruptcy'],
  ['08', 'taken back by the lender'],
  ['09', 'charged off'],
  ['9B', 'with a collection agency'],
];

const TERMS: readonly (readonly [string, string])[] = [
  ['60M', 'to be paid in sixty months'],
  ['MIN', 'a minimum payment each month'],
  ['1M', 'due in full each month'],
];

const NOTES = [
  'Amounts are whole dollars; a dash stands for nothing. Of a revolving account “limit or lent” is its limit, of a loan the amount that was lent. ' +
    'Late payments are counted in months, over the last seven years. Ages are whole months.',
  'This report was made by the simulator of Daybook, for tests and demonstrations. Name, date of birth and address are those of the question. ' +
    'Everything else was invented from the digits of the social security number alone: the same number has the same file, with dates ' +
    'that move with the date of the report. Creditors and agencies of these names do not exist.',
  'It is not a consumer report. It says nothing about any person, and no decision about a person may rest on it.',
];

/** On a page of its own. */
function howToRead(sheets: Sheets): void {
  sheets.need(PAGE.height);
  sheets.heading('How to read this report', 0);
  list(sheets, 'Rated', RATINGS);
  list(sheets, 'Terms', TERMS);
  list(
    sheets,
    'Score',
    BANDS.map(({ from, name }, i) => [`${from} to ${(BANDS[i + 1]?.from ?? HIGHEST + 1) - 1}`, name]),
  );
  for (const note of NOTES) paragraph(sheets, note, { color: FAINT });
}

function list(sheets: Sheets, title: string, entries: readonly (readonly [string, string])[]): void {
  const page = sheets.page();
  page.text(LEFT, sheets.y() + 6, title, { size: 9, font: 'bold', color: NAVY });
  for (const [code, meaning] of entries) {
    page.text(LEFT + 62, sheets.y() + 6, code, { size: 9, font: 'bold', color: INK });
    page.text(LEFT + 132, sheets.y() + 6, meaning, { size: 9, color: INK });
    sheets.down(14);
  }
  sheets.down(8);
}
