/** The content of the file: the accounts with two years of payments each, collections, public records, inquiries. */
import { addDays, addMonths, type PlainDate } from '../../../core/calendar.ts';
import type { TradeLine } from '../../bureau.ts';
import { type Account, TREND_MONTHS } from '../accounts.ts';
import type { CreditFile } from '../file.ts';
import type { Color, Page } from './pdf.ts';
import type { Printed } from './printed.ts';
import {
  type ColumnOf,
  DARK,
  FAINT,
  GREEN,
  GREY,
  inDollars,
  LEFT,
  ORANGE,
  paragraph,
  RED,
  RIGHT,
  type Sheets,
  table,
  YELLOW,
} from './sheets.ts';
import { textWidth } from './typeface.ts';

export function accounts(sheets: Sheets, { file, tradeLines }: Printed): void {
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
      { title: 'Limit or loan', width: 51, align: 'right', cell: ({ line }) => inDollars(line.highBalance) },
      { title: 'Balance', width: 46, align: 'right', cell: ({ line }) => inDollars(line.balance) },
      { title: 'Payment', width: 39, align: 'right', cell: ({ line }) => inDollars(line.payment) },
      { title: 'Past due', width: 41, align: 'right', cell: ({ line }) => inDollars(line.pastDue), style: late },
      { title: 'Rating', width: 26, align: 'right', cell: ({ line }) => line.rating, style: late },
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
  const lead = 'The bar under each account shows the last 24 months:';
  page.text(LEFT, y + 4, lead, { size: 7.5, color: FAINT });
  let x = LEFT + 12 + textWidth(lead, 7.5);
  for (const [color, text] of entries) {
    page.box(x, y - 1.5, 8, 6, color);
    page.text(x + 11, y + 4, text, { size: 7.5, color: FAINT });
    x += 22 + textWidth(text, 7.5);
  }
  sheets.down(14);
}

export function collections(sheets: Sheets, { file, tradeLines }: Printed): void {
  sheets.heading('Collections', 40);
  if (file.collections.length === 0) {
    paragraph(sheets, 'None reported.', { color: FAINT });
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

export function publicRecords(sheets: Sheets, { bankruptcies }: CreditFile, today: PlainDate): void {
  sheets.heading('Public records', 40);
  if (bankruptcies.length === 0) {
    paragraph(sheets, 'None reported.', { color: FAINT });
    return;
  }
  table(
    sheets,
    [
      { title: 'Record', width: 220, cell: ({ chapter }) => `Bankruptcy, chapter ${chapter}` },
      { title: 'Filed', width: 100, cell: ({ age, days }) => addDays(addMonths(today, -age), -days) },
      { title: 'Status', width: 200, cell: ({ discharged }) => (discharged ? 'discharged' : 'not discharged') },
    ],
    bankruptcies,
  );
}

export function inquiries(sheets: Sheets, { inquiries: asked }: CreditFile, today: PlainDate): void {
  sheets.heading('Inquiries in the last two years', 40);
  if (asked.length === 0) {
    paragraph(sheets, 'None reported.', { color: FAINT });
    return;
  }
  table(
    sheets,
    [
      { title: 'Date', width: 120, cell: ({ daysAgo }) => addDays(today, -daysAgo) },
      { title: 'Requested by', width: 260, cell: ({ from }) => from },
      { title: 'Kind', width: 140, cell: ({ kind }) => kind },
    ],
    asked,
  );
}
