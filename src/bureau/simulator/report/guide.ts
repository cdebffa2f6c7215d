/** The last page: how to read the report, and what it is not. */
import { BANDS, HIGHEST } from './first-page.ts';
import { PAGE } from './pdf.ts';
import { FAINT, INK, LEFT, NAVY, paragraph, type Sheets } from './sheets.ts';

const RATINGS: readonly (readonly [string, string])[] = [
  ['01', 'paid as agreed, or paid and closed'],
  ['02 to 05', '30, 60, 90, and 120 or more days late'],
  ['07', 'included in bankruptcy'],
  ['08', 'repossessed by the lender'],
  ['09', 'charged off'],
  ['9B', 'with a collection agency'],
];

const TERMS: readonly (readonly [string, string])[] = [
  ['60M', 'repaid in sixty months'],
  ['MIN', 'a minimum payment each month'],
  ['1M', 'due in full each month'],
];

const NOTES = [
  'Amounts are whole dollars; a dash means zero. “Limit or loan” is the limit of a revolving account, or the original amount of a loan. ' +
    'Late payments are counted in months, over the last seven years. Ages are whole months.',
  'This report was produced by the Daybook simulator for tests and demonstrations. Name, date of birth and address are as given in the request. ' +
    'Everything else was generated from the digits of the social security number alone: the same number has the same file, with dates ' +
    'that move with the date of the report. Creditors and agencies of these names do not exist.',
  'It is not a consumer report. It describes no real person and must not be used for a decision about a person.',
];

/** On a page of its own. */
export function howToRead(sheets: Sheets): void {
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
