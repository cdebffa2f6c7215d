/**
 * The parts that the calculators share: the values in their schemas, and how the engine's answer or refusal is returned. Amounts and rates
 * come as strings or numbers and go out as plain decimal strings.
 */

import { type TSchema, Type } from 'typebox';
import type { PlainDate } from '../../core/calendar.ts';
import { type Cents, formatCents } from '../../core/money.ts';
import type { Reader } from '../../core/reader.ts';
import { isRefusal, type Refusal } from '../../core/refusal.ts';
import { CALCULATOR_BODY } from '../shared/body-limits.ts';
import { decimalOut } from '../shared/numbers.ts';

import { closed, envelope } from '../shared/operation.ts';
import { refusedProblem } from '../shared/refusal-problems.ts';
import { Amount, day } from '../shared/shapes.ts';

/** Every calculator: stateless, answered by the engine that services loans. */
export const calculator = {
  tag: 'Calculators',
  scopes: ['loans:read'],
  key: 'checked',
  limits: CALCULATOR_BODY,
  exactNumbers: true,
} as const;

/** A request with the answer it gets. The tests send each one and compare every character. */
export type Example = { readonly request: object; readonly answer: object };

export function requests(examples: readonly Example[]) {
  return { examples: examples.map(({ request }) => request) };
}

export function answers<D extends TSchema>(data: D, examples: readonly Example[]) {
  return envelope(data, ...examples.map(({ answer }) => answer));
}

/** A decimal as text or as a JSON number; the `Reader` takes its exact digits. */
export const decimal = (description: string) =>
  Type.Unsafe<string | number>({ type: ['string', 'number'], maxLength: 64, description });
export const Day = day('A date, YYYY-MM-DD.');
export const Count = (maximum: number, description: string) => Type.Integer({ minimum: 1, maximum, description });
export const Percent = decimalOut('A percentage with ten decimals, as text.');
export const DatedAmount = closed(
  { date: day('The date.'), amount: Amount },
  { title: 'DatedAmount', description: 'An amount on a date.' },
);

export function readDated(read: Reader, dated: object, at: string): { date: PlainDate; amount: Cents } {
  return { date: read.date(dated, 'date', at), amount: read.positiveAmount(dated, 'amount', at) };
}

/** The engine's answer; its refusal is thrown as a problem. */
export function computed<T>(value: T | Refusal): T {
  if (isRefusal(value)) throw refusedProblem(value);
  return value;
}

export function texts<K extends string>(amounts: Readonly<Record<K, Cents>>): Record<K, string> {
  const entries = Object.entries(amounts) as [K, Cents][];
  return Object.fromEntries(entries.map(([name, amount]) => [name, formatCents(amount)])) as Record<K, string>;
}
