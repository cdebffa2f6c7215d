/** Values of POST /loans as schemas: each may be `""` or null, which counts as absent. */
import { type TProperties, type TSchema, Type } from 'typebox';
import { closed } from './operation.ts';

/** A decimalInput as text or as a JSON number; its exact digits count. */
export const decimalInput = (description: string) =>
  Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'], maxLength: 64, description });
export const amount = (description: string) =>
  decimalInput(`${description} An amount: 1234.50, "1234.50" or "1,234.50".`);
/** A forecast may be finer than cents, and is returned with its own decimals. */
export const forecast = (description: string) =>
  decimalInput(`${description} An amount with at most six decimals, which are kept: 1234.5678 or "1,234.5678".`);
export const whole = (description: string) => decimalInput(`${description} An integer.`);
export const dayInput = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 10, format: 'date', description });
export const text = (maxLength: number, description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, description });
export const oneOf = (values: readonly string[], description: string) =>
  Type.Union([Type.Enum([...values]), Type.Literal(''), Type.Null()], { description });
export const patterned = (pattern: string, description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], pattern: `^(?:${pattern})?$`, description });
export const reference = (description: string) =>
  patterned('[A-Za-z0-9._:-]{1,64}', `${description} Must not be a social security number.`);
export const accountInput = (whose: string) =>
  patterned('0x[0-9a-fA-F]{40}', `Ledger accountInput of the ${whose}; default: one derived from its id.`);
export const digest = (of: string) => patterned('0x(?:[0-9a-fA-F]{2}){1,64}', `Hex digest of the ${of}, with 0x.`);
export const holder = (name: string, properties: TProperties, description: string) =>
  Type.Unsafe<object | null>({ ...closed(properties), title: name, type: ['object', 'null'], description });
export function partial(properties: Readonly<Record<string, TSchema>>): TProperties {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]));
}
