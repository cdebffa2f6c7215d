/** The point at which the page looks at a loan: as of a business day, and as it was known at a moment. Null: today, and now. */

export type Point = { readonly asOf: string | null; readonly knownAt: string | null };

export const NOW: Point = { asOf: null, knownAt: null };
export const isNow = ({ asOf, knownAt }: Point): boolean => asOf === null && knownAt === null;

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Some browsers roll the 30th of February over, others know no such day. */
const isDay = (date: string): boolean => !Number.isNaN(Date.parse(`${date}T00:00:00Z`)) && addDays(date, 0) === date;

/** As the address has it; what is no day or no moment counts as now. */
export function pointIn(search: Readonly<Record<string, unknown>>): Point {
  const { asOf, knownAt } = search;
  return {
    asOf: typeof asOf === 'string' && DAY.test(asOf) && isDay(asOf) ? asOf : null,
    knownAt: typeof knownAt === 'string' && MOMENT.test(knownAt) && !Number.isNaN(Date.parse(knownAt)) ? knownAt : null,
  };
}

/** For the query of a read, and for the address. */
export function queryOf({ asOf, knownAt }: Point): { asOf?: string; knownAt?: string } {
  return { ...(asOf !== null && { asOf }), ...(knownAt !== null && { knownAt }) };
}

const DAY_MS = 86_400_000;

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The moments at which something was recorded, in order, each once. The last of them is what is known now. */
export function momentsOf(facts: readonly { readonly recordedAt: string }[]): string[] {
  return [...new Set(facts.map(({ recordedAt }) => recordedAt))].sort();
}

/** The place of a moment among them: the last that is not later. Now is the last place. */
export function placeOf(moments: readonly string[], knownAt: string | null): number {
  if (knownAt === null) return Math.max(0, moments.length - 1);
  const at = Date.parse(knownAt);
  return Math.max(
    0,
    moments.findLastIndex((moment) => Date.parse(moment) <= at),
  );
}
