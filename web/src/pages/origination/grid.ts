/**
 * The sixty deals as a map: terms are columns, down payments are groups of rows, and within a group each row is one level of the rate, from
 * the buy rate up. The requested deal has a row of its own at the top unless its rate is one of the levels.
 */
import { cents } from '../../format.ts';
import { type Deal, FIGURES, type FigureId } from './figures.ts';

export type Cell = Deal | null;
export type Row = {
  /** "Buy rate", "+1.00" or "+0.87 to +1.00"; "Requested". */
  label: string;
  /** One for each column. */
  cells: readonly Cell[];
};
export type Group = { downPayment: string; requested: boolean; rows: readonly Row[] };
export type Layout = {
  columns: readonly { term: string; requested: boolean }[];
  groups: readonly Group[];
  /** Its own row, when it does not stand among the others. */
  requested: Deal | null;
};

const sizeOf = (text: string): number => Number(text.replaceAll(',', ''));

/** Null where the deals make no map: fewer than four, or hardly two of the same term and down payment. */
export function layOut(deals: readonly Deal[]): Layout | null {
  const terms = distinct(deals.map(({ term }) => term));
  const downs = distinct(deals.map(({ downPayment }) => downPayment));
  if (deals.length < 4 || terms.length * downs.length > deals.length) return null;
  const requested = deals.find(({ dealIndex }) => dealIndex === 0);
  const at = (term: string, down: string) =>
    deals
      .filter((deal) => deal.term === term && deal.downPayment === down)
      .sort((a, b) => sizeOf(a.apr) - sizeOf(b.apr));
  const others = downs.flatMap((down) => terms.map((term) => at(term, down).filter((deal) => deal !== requested)));
  const levels = Math.max(...others.map((cell) => cell.length));
  const beside = requested && at(requested.term, requested.downPayment);
  // If the requested rate is one of the levels, the requested deal stands in its place, and none is left over.
  const apart = beside !== undefined && beside.length > levels ? (requested ?? null) : null;
  return {
    columns: terms.map((term) => ({ term, requested: term === requested?.term })),
    requested: apart,
    groups: downs.map((down) => {
      const cells = terms.map((term) => at(term, down).filter((deal) => deal !== apart));
      const rows = Array.from({ length: Math.max(...cells.map((cell) => cell.length)) }, (_, level): Row => {
        const row = cells.map((cell) => cell[level] ?? null);
        return { label: levelLabel(row), cells: row };
      });
      return { downPayment: down, requested: down === requested?.downPayment, rows };
    }),
  };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort((a, b) => sizeOf(a) - sizeOf(b));
}

/** By how far the rates of a row are above the buy rates of their deals. */
function levelLabel(cells: readonly Cell[]): string {
  const markups = cells.flatMap((deal) => (deal?.pricing ? [pointsAbove(deal)] : []));
  if (markups.length === 0) return 'Rate';
  const [least, most] = [Math.min(...markups), Math.max(...markups)];
  if (least === 0 && most === 0) return 'Buy rate';
  return least === most ? points(least) : `${points(least)} to ${points(most)}`;
}

/** Hundredths of a percent above the buy rate. */
function pointsAbove({ apr, pricing }: Deal): number {
  return Math.round((sizeOf(apr) - sizeOf(pricing?.buyRate ?? '0')) * 100);
}
const points = (hundredths: number): string =>
  `${hundredths < 0 ? '−' : '+'}${(Math.abs(hundredths) / 100).toFixed(2)}`;

/** Every row from the top, the requested deal's own row first. */
export function rowsOf({ columns, groups, requested }: Layout): Cell[][] {
  const own = requested && [columns.map(({ term }) => (term === requested.term ? requested : null))];
  return [...(own ?? []), ...groups.flatMap(({ rows }) => rows.map(({ cells }) => [...cells]))];
}

export const STEPS = 5;

/**
 * Band of each deal among five equal ones between the least and the greatest value; null where it has no figure. `apart` is left out of the
 * least and the greatest: a requested rate far above every offer would leave one colour for all of them. It has the nearest band.
 */
export function bands(
  deals: readonly Deal[],
  id: FigureId,
  apart: Deal | null = null,
): { bandOf: (deal: Deal) => number | null; edges: readonly number[] } {
  const { value } = FIGURES[id];
  const values = deals
    .filter((deal) => deal.dealIndex !== apart?.dealIndex)
    .map(value)
    .filter((one) => one !== null);
  if (values.length === 0) return { bandOf: () => null, edges: [] };
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const width = (most - least) / STEPS;
  return {
    bandOf(deal) {
      const own = value(deal);
      if (own === null) return null;
      return width === 0 ? 0 : Math.max(0, Math.min(STEPS - 1, Math.floor((own - least) / width)));
    },
    edges: width === 0 ? [least, most] : Array.from({ length: STEPS + 1 }, (_, n) => least + width * n),
  };
}

export type Direction = 'left' | 'right' | 'up' | 'down' | 'home' | 'end';

/** The deal that an arrow key leads to: the next in the same row or column, over gaps; the same one at an edge. */
export function beside(layout: Layout, dealIndex: number, direction: Direction): number {
  const rows = rowsOf(layout);
  const y = rows.findIndex((row) => row.some((cell) => cell?.dealIndex === dealIndex));
  const x = rows[y]?.findIndex((cell) => cell?.dealIndex === dealIndex) ?? -1;
  if (y < 0 || x < 0) return dealIndex;
  const row = rows[y] ?? [];
  const line: readonly (Cell | undefined)[] =
    direction === 'left'
      ? row.slice(0, x).reverse()
      : direction === 'right'
        ? row.slice(x + 1)
        : direction === 'home'
          ? row
          : direction === 'end'
            ? row.toReversed()
            : direction === 'up'
              ? rows
                  .slice(0, y)
                  .reverse()
                  .map((one) => one[x])
              : rows.slice(y + 1).map((one) => one[x]);
  return line.find((cell) => cell !== null && cell !== undefined)?.dealIndex ?? dealIndex;
}

/** By how much more is paid down than requested, as text; null where it is the same. */
export function moreDown(downPayment: string, requested: string | undefined): bigint | null {
  const [own, other] = [cents(downPayment), cents(requested)];
  return own === null || other === null || own === other ? null : own - other;
}
