/** The sheets of the report: header and footer of each page, headings, tables and paragraphs that continue on the next page. */
import type { PlainDate } from '../../../core/calendar.ts';
import { type Color, PAGE, type Page, type TextStyle } from './pdf.ts';
import { fitted, textWidth, wrapped } from './typeface.ts';

export const LEFT = 42;
export const RIGHT = PAGE.width - 42;
export const WIDTH = RIGHT - LEFT;
export const TOP = 74;
const BOTTOM = PAGE.height - 62;

export const INK: Color = [0.13, 0.15, 0.2];
export const FAINT: Color = [0.42, 0.45, 0.5];
export const NAVY: Color = [0.1, 0.2, 0.38];
const WHITE: Color = [1, 1, 1];
export const PALE: Color = [0.95, 0.96, 0.98];
export const RULE: Color = [0.78, 0.81, 0.86];
export const GREEN: Color = [0.3, 0.62, 0.42];
export const YELLOW: Color = [0.93, 0.76, 0.29];
export const ORANGE: Color = [0.9, 0.52, 0.2];
export const RED: Color = [0.78, 0.24, 0.22];
export const DARK: Color = [0.42, 0.1, 0.12];
export const GREY: Color = [0.86, 0.87, 0.89];

export type Sheets = {
  /** The current page, and the position on it. */
  page(): Page;
  y(): number;
  moveTo(y: number): void;
  down(by: number): void;
  /** Begins another page unless this height fits on the current one; returns whether it did. */
  need(height: number): boolean;
  heading(text: string, below: number): void;
  number(name: string): void;
};

export function sheetsOf(newPage: () => Page, today: PlainDate): Sheets {
  const pages: Page[] = [];
  let y = TOP;
  const begin = () => {
    const page = newPage();
    pages.push(page);
    page.box(0, 0, PAGE.width, 46, NAVY);
    page.text(LEFT, 29, 'Credit report', { size: 16, font: 'bold', color: WHITE });
    page.text(LEFT + 14 + textWidth('Credit report', 16, 'bold'), 29, today, { size: 10, color: WHITE });
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
      // A heading is never the last line of a page.
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
          'Simulated report: all accounts, balances and scores are fictitious and describe no real person.',
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

export type ColumnOf<Row> = {
  readonly title: string;
  readonly width: number;
  readonly align?: 'left' | 'right';
  readonly cell: (row: Row) => string;
  readonly style?: (row: Row) => TextStyle;
};

/** `below` is drawn under each row and adds this height. */
export function table<Row>(
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

export function paragraph(sheets: Sheets, text: string, style: TextStyle = {}): void {
  const size = style.size ?? 9;
  for (const line of wrapped(text, WIDTH, size, style.font)) {
    sheets.need(size + 4);
    sheets.page().text(LEFT, sheets.y() + size, line, { color: INK, ...style, size });
    sheets.down(size + 3.5);
  }
  sheets.down(4);
}

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `1,234` dollars; a dash for 0. */
function dollars(amount: number): string {
  return amount === 0 ? '–' : GROUPED.format(Math.round(amount));
}
export const counted = (count: number): string => (count === 0 ? '–' : String(count));
export const inDollars = (cents: number): string => dollars(cents / 100);
