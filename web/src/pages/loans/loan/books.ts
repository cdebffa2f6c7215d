/** The journal of a loan by transaction, each with its own totals. Every one must balance. */
import type { Data } from 'daybook-sdk';
import { cents, words } from '../../../format.ts';
import { readable } from './explanation.ts';

export type Entry = Data<'readJournal'>['items'][number];
export type Posting = {
  readonly transactionHash: string;
  readonly sequence: number;
  readonly datePosted: string;
  readonly lines: readonly Entry[];
  readonly debit: bigint;
  readonly credit: bigint;
};

/** Newest first. */
export function postingsOf(entries: readonly Entry[]): Posting[] {
  const sum = (lines: readonly Entry[], side: 'debit' | 'credit') =>
    lines.reduce((total, line) => total + (cents(line[side]) ?? 0n), 0n);
  return [...Map.groupBy(entries, ({ transactionHash }) => transactionHash)]
    .map(([transactionHash, lines]) => ({
      transactionHash,
      sequence: lines[0]?.sequence ?? 0,
      datePosted: lines.reduce((last, { datePosted }) => (datePosted > last ? datePosted : last), ''),
      lines,
      debit: sum(lines, 'debit'),
      credit: sum(lines, 'credit'),
    }))
    .sort((a, b) => b.sequence - a.sequence);
}

/** The values of a policy as rows, one level deep: "Extension · minimum paid". */
export function policyRows(values: Readonly<Record<string, unknown>>): { name: readonly string[]; value: string }[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isRecord(value) && Object.keys(value).length > 0
      ? Object.entries(value).map(([part, inner]) => ({ name: [name, part], value: valueText(inner) }))
      : [{ name: [name], value: valueText(value) }],
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function valueText(value: unknown): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(' → ');
  if (isRecord(value)) {
    const members = Object.entries(value);
    return members.length === 0 ? 'none' : members.map(([name, inner]) => `${name}: ${valueText(inner)}`).join(', ');
  }
  // A name such as `currentFirst` or `pastDue.interest` is written in words; an amount or a number stays as it is.
  const text = readable(String(value));
  return /[a-z][A-Z]/.test(text) ? words(text).toLowerCase() : text;
}
