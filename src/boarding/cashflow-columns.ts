/**
 * The cash flows that were handed over, as everybody may see them: of the CSV the columns that the service knows, in the order they were
 * given in, with figures, dates and the kind of the row in their cells. What is something else is left empty.
 *
 * Sixty deals are over 100,000 cells. Those that are plain, which is nearly all of them, are looked at in place, and a stretch without
 * anything to change is copied at once: 730 KB take a few milliseconds, where splitting every line and cell takes sixty.
 */
import { CASHFLOW_COLUMNS } from '../underwriting/cashflows.ts';
import { figure } from './figure.ts';

const KNOWN: ReadonlySet<string> = new Set(CASHFLOW_COLUMNS);
const ROW_TYPES: ReadonlySet<string> = new Set(['Projected', 'Actual', 'Scheduled']);
/** Longer ones are left out: sixty deals over fifty years are less. */
const LONGEST = 8_000_000;
const MOST_COLUMNS = 200;

export function publicCashflows(csv: string): string {
  const headerEnd = lineEnd(csv, 0);
  const header = csv.length > LONGEST ? [] : cellsOf(csv.slice(0, headerEnd));
  const kept = header.flatMap((name, i) => (KNOWN.has(name) && header.indexOf(name) === i ? [i] : []));
  if (kept.length === 0 || header.length > MOST_COLUMNS) return '';
  const kinds = header.map(kindOf);
  const shown = kept.length === header.length ? allColumns(csv, headerEnd + 1, kinds) : someColumns(csv, headerEnd + 1);
  return `${kept.map((i) => header[i]).join(',')}\n${shown}`;

  function someColumns(text: string, from: number): string {
    const rows: string[] = [];
    for (let at = from; at < text.length; at = lineEnd(text, at) + 1) {
      const line = text.slice(at, lineEnd(text, at));
      if (line.trim() === '') continue;
      const cells = cellsOf(line);
      rows.push(kept.map((i) => publicCell(cells[i] ?? '', kinds[i] as Kind)).join(','));
    }
    return rows.length === 0 ? '' : `${rows.join('\n')}\n`;
  }
}

type Kind = 'figure' | 'Date' | 'Type';

function kindOf(column: string): Kind {
  return column === 'Date' || column === 'Type' ? column : 'figure';
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** Every column is known: what is plain stays where it is, and only what is not is cut out. */
function allColumns(csv: string, from: number, kinds: readonly Kind[]): string {
  const quoted = csv.includes('"', from);
  let text = '';
  let copied = from;
  // The next comma is looked for once: where there are few, each row would go through the rest of the text.
  let comma = -1;
  for (let start = from; start < csv.length; ) {
    const end = lineEnd(csv, start);
    if (quoted && csv.slice(start, end).includes('"')) {
      const cells = cellsOf(csv.slice(start, end));
      text += csv.slice(copied, start) + kinds.map((kind, i) => publicCell(cells[i] ?? '', kind)).join(',');
      copied = end;
    } else row(start, end);
    start = end + 1;
  }
  text += csv.slice(copied);
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;

  function row(start: number, end: number): void {
    let at = start;
    for (let column = 0; at <= end; column++) {
      if (comma < at) {
        const next = csv.indexOf(',', at);
        comma = next < 0 ? csv.length : next;
      }
      const cellEnd = Math.min(comma, end);
      const kind = kinds[column];
      if (kind === undefined) {
        // More cells than columns.
        text += csv.slice(copied, at - 1);
        copied = end;
        return;
      }
      if (!isPlain(csv, at, cellEnd, kind)) {
        text += csv.slice(copied, at) + publicCell(csv.slice(at, cellEnd).trim(), kind);
        copied = cellEnd;
      }
      at = cellEnd + 1;
    }
  }
}

const [MINUS, POINT, ZERO, NINE] = [45, 46, 48, 57];

/** Whether the cell needs no further look: empty, or a number of the plainest form, a date, the usual word. */
function isPlain(csv: string, from: number, to: number, kind: Kind): boolean {
  if (from === to) return true;
  if (kind === 'Type') return to - from === 9 && csv.startsWith('Projected', from);
  if (kind === 'Date') return isDate(csv, from, to);
  let digits = 0;
  let points = 0;
  for (let i = csv.charCodeAt(from) === MINUS ? from + 1 : from; i < to; i++) {
    const code = csv.charCodeAt(i);
    if (code >= ZERO && code <= NINE) digits += 1;
    else if (code === POINT && points === 0) points += 1;
    else return false;
  }
  return digits > 0 && digits <= 20 && (digits !== 9 || points > 0);
}

/** YYYY-MM-DD, of the calendar or not. */
function isDate(csv: string, from: number, to: number): boolean {
  if (to - from !== 10) return false;
  for (let i = 0; i < 10; i++) {
    const code = csv.charCodeAt(from + i);
    if (i === 4 || i === 7 ? code !== MINUS : code < ZERO || code > NINE) return false;
  }
  return true;
}

function publicCell(text: string, kind: Kind): string {
  if (kind === 'Date') return isDate(text, 0, text.length) ? text : '';
  if (kind === 'Type') return ROW_TYPES.has(text) ? text : '';
  // A cell with a separator in it would need quotes.
  return figure(text).replaceAll(',', '');
}

/** The cells of a line, trimmed. A line feed within quotes ends the line: what follows is no figure of any column, and is not shown. */
function cellsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  const cells: string[] = [];
  let quoted = false;
  let from = 0;
  for (let i = 0; i <= line.length; i++) {
    const character = line.charAt(i);
    if (character === '"') quoted = !quoted;
    else if (i === line.length || (character === ',' && !quoted)) {
      cells.push(line.slice(from, i).replaceAll('"', '').trim());
      from = i + 1;
    }
  }
  return cells;
}
